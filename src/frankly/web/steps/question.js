// Question: one a page, big options, and at hand what can be sent.
import { labelOf, readings } from "../questions.js";
import { channel, sizesOf } from "../odds.js";
import { button, fold, h, problem, tag } from "../view.js";

/**
 * @param {any} page
 * @param {number} i  which of the page's steps
 * @param {string} [wrong]  what is the matter, after an attempt to go on
 * @param {string} [typed]  what stood in the box then
 */
export function question(page, i, wrong, typed) {
  const { words, steps } = page;
  const step = steps[i];
  const kept = step.cover ? page.covers : page.answers;
  const field = FIELDS[step.kind](page, step, kept, typed);
  const next = () => {
    const answers = field.read();
    if (typeof answers === "string") return question(page, i, answers, form.querySelector("input").value);
    Object.assign(kept, answers);
    const back = page.changing;
    page.changing = false;
    page.go(page, back ? steps.length + 2 : page.at + 1);
  };
  const form = h("form", { novalidate: true, autocomplete: "off", onsubmit: (e) => { e.preventDefault(); next(); } },
    h("fieldset", { "aria-describedby": wrong ? "wrong" : null },
      h("legend", {}, h("h1", {}, page.text(step.prompt ?? step.questions[0].prompt) || step.questions[0].name)),
      step.cover && h("p", { class: "warn" }, words.coverWhy),
      wrong && h("p", { id: "wrong", class: "wrong" }, wrong),
      field.element),
    step.group && !step.cover && odds(page, step),
    h("div", { class: "row" }, h("button", { class: "go" }, words.next), button(words.back, () => history.back())));
  page.show(page,
    wrong && problem(words, [[wrong, form.querySelector("input")]]),
    h("p", { class: "quiet" }, words.step(i + 1, steps.length)),
    h("progress", { max: steps.length, value: i + 1, "aria-label": words.step(i + 1, steps.length) }),
    tag(words, step.group),
    step.cover && h("p", { class: "quiet" }, words.coverAsk),
    form);
}

/** Each reads its answers, or says what is wrong. @type {Record<string, (page: any, step: Step, kept: any, typed?: string) => {element: any, read: () => any}>} */
const FIELDS = {
  one: choice, scale: choice,
  number: (page, { questions: [asked] }, kept, typed) => {
    const { words, language } = page;
    const wrong = typed === undefined ? {} : { "aria-invalid": "true", "aria-describedby": "wrong" };
    const input = h("input", { id: "answer", type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": words.number, ...wrong });
    input.value = typed ?? kept[asked.name] ?? "";
    const ranges = asked.values.map((value) => labelOf(page, asked, value)).join(" · ");
    return {
      element: h("div", {}, h("p", { class: "quiet" }, words.number, " ", h("bdi", {}, ranges)), input),
      read: () => {
        const found = readings(input.value);
        if (found.length > 1) return words.twoWays(...found.map((n) => Number(n).toLocaleString(language, { useGrouping: false, minimumFractionDigits: /\..*[1-9]$/.test(n) ? 4 : 0 })));
        return found.length ? { [asked.name]: found[0] } : words.missingNumber;
      },
    };
  },
  ticks: (page, { questions }, kept) => {
    const boxes = questions.map((asked) => {
      const box = h("input", { type: "checkbox", autocomplete: "off" });
      box.checked = kept[asked.name] === asked.values[1];
      return { asked, box };
    });
    return {
      element: h("div", { id: "answer" }, h("p", { class: "quiet" }, page.words.several),
        boxes.map(({ asked, box }) => h("label", { class: "option" }, box, page.text(asked.prompt) || asked.name))),
      read: () => Object.fromEntries(boxes.map(({ asked, box }) => [asked.name, asked.values[Number(box.checked)]])),
    };
  },
};

/** @param {any} page @param {Step} step @param {any} kept */
function choice(page, { kind, questions: [asked] }, kept) {
  const finer = Object.keys(asked.merged ?? {}).filter((value) => !asked.values.includes(value));
  const options = [...asked.values, ...finer].map((value, i) => {
    const input = h("input", { type: "radio", name: "answer", id: i ? null : "answer", value, autocomplete: "off" });
    input.checked = kept[asked.name] === value;
    return h("label", { class: "option" }, input, h("bdi", {}, labelOf(page, asked, value)));
  });
  const element = h("div", { class: kind === "scale" ? "scale" : null }, options);
  return { element, read: () => {
    const chosen = element.querySelector("input:checked");
    return chosen ? { [asked.name]: chosen.value } : page.words.missing;
  } };
}

/**
 * Say how many send what; where all reports but the truth are as likely, together.
 * @param {any} words
 * @param {string[]} reports
 * @param {number[]} chances
 * @param {string} truth
 */
function parts(words, reports, chances, truth) {
  const rest = chances.filter((_, i) => reports[i] !== truth);
  const alike = rest.length > 1 && rest.length < chances.length && Math.max(...rest) - Math.min(...rest) < 1e-9;
  const said = (chance, report) => {
    const n = Math.round(100 * chance);
    return chance > 0 && words.sends(n, Math.abs(100 * chance - n) > 1e-9, report);
  };
  const each = reports.map((report, i) => (alike && report !== truth ? "" : said(chances[i], report)));
  return [...each, alike && said(rest[0])].filter(Boolean);
}

/** Say in natural frequencies what people send. @param {any} page @param {Step} step */
function odds(page, { questions }) {
  const groups = page.design.forms[page.form].groups;
  const lines = questions.map((asked) => {
    const { names, mechanism } = groups.find((group) => group.names.includes(asked.name));
    const rows = channel(mechanism, names, sizesOf(page.design, names), names.indexOf(asked.name));
    const reports = (mechanism.reports ?? asked.values).map((value) => labelOf(page, asked, value));
    return [questions.length > 1 && h("p", { class: "quiet" }, page.text(asked.prompt) || asked.name),
      h("ul", {}, asked.values.map((value, truth) => {
        const label = labelOf(page, asked, value);
        return h("li", {}, page.words.channel(label, parts(page.words, reports, rows[truth], label)));
      }))];
  });
  const together = groups.some(({ names }) => names.length > 1 && names.includes(questions[0].name));
  return fold(page.words.how, lines, together && h("p", { class: "quiet" }, page.words.together));
}

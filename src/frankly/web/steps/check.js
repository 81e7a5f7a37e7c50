// Check: the answers stay here; what can be sent is said in both cases; one click draws and sends.
import { encode } from "../design.js";
import { channel, sizesOf } from "../odds.js";
import { labelOf } from "../questions.js";
import { randomize } from "../randomize.js";
import { bodyOf } from "../send.js";
import { secureTape } from "../tape.js";
import { button, fold, h, tag } from "../view.js";
import { deliver } from "./thanks.js";

/** @param {any} page */
export function check(page) {
  const { words, design, steps } = page;
  const open = steps.findIndex((step) => step.questions.some((q) => (step.cover ? page.covers : page.answers)[q.name] === undefined));
  const own = design.own_device;
  if (open >= 0) return page.go(page, own ? 1 : open + 2, true);
  const hidden = steps.some((step) => step.group);
  const rows = steps.flatMap((step) =>
    step.questions.map((asked) => {
      const change = button(words.change, () => { page.changing = !own; page.go(page, own ? 1 : steps.indexOf(step) + 2); }, "link");
      const prompt = page.text(asked.prompt) || asked.name;
      change.setAttribute("aria-label", `${words.change}: ${prompt}`);
      return h("tr", {},
        h("th", { scope: "row" }, prompt, step.cover && h("p", { class: "quiet" }, words.coverAsk), !step.group && tag(words, false)),
        h("td", {}, h("bdi", {}, told(page, asked, step.cover ? page.covers : page.answers))), h("td", { class: "act" }, change));
    }));
  const send = h("button", { type: "button", class: "go", onclick: (e) => {
    if (e.detail > 1) return; // a double click on the button before
    send.disabled = true;
    bodyOf(page.id, page, () => report(page));
    deliver(page);
  } }, words.send);
  page.show(page,
    h("h1", {}, words.check),
    hidden && !own && h("p", {}, words.stays),
    h("table", {}, h("tbody", {}, rows)),
    hidden && h("div", { class: "card" },
      h("h2", {}, own ? words.same : words.can),
      h("p", {}, own ? `${words.sameText} ${words.own.only}` : words.canText),
      !own && cases(page)),
    h("p", { class: "warn" }, words.final),
    h("div", { class: "row" }, send, button(words.back, () => history.back())),
  );
}

/** Draw the report: the one place where the truth meets the coin. @param {any} page */
const report = (page) =>
  page.design.own_device
    ? asGiven(page)
    : randomize(page.design, page.answers, secureTape(), { form: page.form, covers: page.covers });

/** The report that a person's own die has made. @param {any} page */
const asGiven = ({ design, answers }) =>
  Object.fromEntries(design.attributes.map(({ name }) => [name, answers[name]]));

/** @param {any} page @param {any} asked @param {any} kept */
function told(page, asked, kept) {
  const answer = kept[asked.name];
  const value = asked.values[encode(asked, answer)];
  const label = labelOf(page, asked, value);
  return value === answer ? label : `${labelOf(page, asked, answer)} (${label})`;
}

/** Show both cases as they would be written. @param {any} page */
function cases(page) {
  const { words, design, form, answers, covers } = page;
  const { groups = [], clear = [] } = design.forms[form];
  const groupOf = (a) => groups.find(({ names }) => names.includes(a.name));
  const asked = design.attributes.filter((a) => groupOf(a) || clear.includes(a.name));
  const value = (a, kept) => a.values[encode(a, kept[a.name])];
  const other = (a) => {
    if (!groupOf(a)) return value(a, answers);
    const { names, mechanism } = groupOf(a);
    if (mechanism.asked) return value(a, covers);
    // At theta 0 a device sends its substitutes; a matrix has no theta.
    const rows = channel({ ...mechanism, theta: "0" }, names, sizesOf(design, names), names.indexOf(a.name));
    return (mechanism.reports ?? a.values).filter((_, i) => rows[encode(a, answers[a.name])][i]).join(" | ");
  };
  const own = asked.map((a) => [a.name, groupOf(a)?.mechanism.rows ? other(a) : value(a, answers)]);
  const any = asked.map((a) => [a.name, other(a)]);
  const written = (pairs) => h("pre", {}, JSON.stringify(Object.fromEntries(pairs), null, 1));
  return fold(words.json, h("p", {}, words.caseOwn), written(own), h("p", {}, words.caseOther), written(any));
}

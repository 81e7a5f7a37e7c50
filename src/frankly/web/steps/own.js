// Own device: people throw a die, toss a coin or think of a birthday; the page takes the result.
// @ts-check
import { instructions } from "../own.js";
import { labelOf } from "../questions.js";
import { button, h, icon } from "../view.js";

/**
 * The questions of one group, with what to do first.
 * @param {any} page
 * @param {any} group  without a mechanism: asked in clear
 * @param {string} [wrong]
 */
export function ownPage(page, group, wrong) {
  const { words, design } = page;
  const questions = group.names.map((name) => design.attributes.find((a) => a.name === name));
  const fields = questions.map((asked) =>
    h("fieldset", {}, h("legend", {}, h("h2", {}, page.text(asked.prompt) || asked.name)),
      asked.values.map((value) => {
        const input = h("input", { type: "radio", name: asked.name, value, autocomplete: "off" });
        input.checked = page.answers[asked.name] === value;
        return h("label", { class: "option" }, input, labelOf(page, asked, value));
      })));
  const form = h("form", { novalidate: true, onsubmit: (e) => {
    e.preventDefault();
    const chosen = [...form.querySelectorAll("input:checked")];
    chosen.forEach((input) => (page.answers[input.name] = input.value));
    if (chosen.length < questions.length) return ownPage(page, group, words.missing);
    page.go(page, page.at + 1);
  } }, fields, h("div", { class: "row" }, h("button", { class: "go" }, words.next), button(words.back, () => history.back())));
  page.show(page,
    wrong && h("div", { class: "error", role: "alert" }, h("strong", {}, words.error), h("br"), wrong),
    h("p", { class: group.mechanism ? "tag" : "tag open" }, icon(Boolean(group.mechanism)), group.mechanism ? words.protected : words.open),
    h("h1", {}, group.mechanism ? words.own[design.own_device] : words.open),
    group.mechanism && [h("p", {}, words.own.lead), guide(page, group, questions)],
    form);
}

/** Say what to throw and what each throw means. @param {any} page @param {any} group @param {any[]} questions */
function guide(page, group, questions) {
  const { first, then } = instructions(page.design.own_device, group.mechanism, questions, page.words.own, (asked, value) => labelOf(page, asked, value));
  return h("div", { class: "card" },
    h("p", {}, page.words.own.first), h("ul", {}, first.map((line) => h("li", {}, line))),
    h("p", {}, page.words.own.then),
    then.map(({ asked, lines }) => [then.length > 1 && h("p", { class: "quiet" }, page.text(asked.prompt) || asked.name),
      h("ul", {}, lines.map((line) => h("li", {}, line)))]));
}

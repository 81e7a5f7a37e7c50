// Own device: people throw a die, toss a coin or think of a birthday; the page takes the result.
import { pickAttributes } from "../design.js";
import { fraction } from "../mechanism/exact.js";
import { labelOf } from "../questions.js";
import { button, h, problem, tag } from "../view.js";

/**
 * The questions of one group, with what to do first.
 * @param {any} page
 * @param {any} group  without a mechanism: asked in clear
 * @param {boolean} [tried]  whether somebody went on before all were answered
 */
export function ownPage(page, group, tried = false) {
  const { words, design } = page;
  const questions = pickAttributes(design, group.names);
  /** @type {[string, any][]} */
  const wrong = [];
  const fields = questions.map((asked, i) => {
    const prompt = page.text(asked.prompt) || asked.name;
    const open = tried && page.answers[asked.name] === undefined;
    const options = asked.values.map((value) => {
      const input = h("input", { type: "radio", name: asked.name, value, autocomplete: "off" });
      input.checked = page.answers[asked.name] === value;
      return h("label", { class: "option" }, input, h("bdi", {}, labelOf(page, asked, value)));
    });
    if (open) wrong.push([`${words.missing}: ${prompt}`, options[0].firstChild]);
    return h("fieldset", { "aria-describedby": open && `wrong${i}` }, h("legend", {}, h("h2", {}, prompt)),
      open && h("p", { id: `wrong${i}`, class: "wrong" }, words.missing), options);
  });
  const form = h("form", { novalidate: true, onsubmit: (e) => {
    e.preventDefault();
    const chosen = [...form.querySelectorAll("input:checked")];
    chosen.forEach((input) => (page.answers[input.name] = input.value));
    if (chosen.length < questions.length) return ownPage(page, group, true);
    page.go(page, page.at + 1);
  } }, fields, h("div", { class: "row" }, h("button", { class: "go" }, words.next), button(words.back, () => history.back())));
  page.show(page,
    wrong.length > 0 && problem(words, wrong),
    tag(words, group.mechanism),
    h("h1", {}, group.mechanism ? words.own[design.own_device][0] : words.bare),
    group.mechanism && [h("p", {}, words.own.lead), guide(page, group, questions)],
    form);
}

const SIDES = { die: 6, coin: 2, birthday: 12 };

/**
 * Say what to do: first the toss, then what each further toss means for each question.
 * @param {any} page
 * @param {any} group
 * @param {any[]} questions
 */
function guide(page, { mechanism }, questions) {
  const { design: { own_device: own }, words: { own: words } } = page;
  const { p, q } = fraction(mechanism.theta);
  const [straight, other] = runs(own, [p, q - p], words);
  const list = (lines) => h("ul", {}, lines.map((line) => h("li", {}, line)));
  return h("div", { class: "card" },
    h("p", {}, words.first), list([words.truth(straight), words.other(other, words[own][1])]),
    h("p", {}, words.then),
    questions.map((asked) => {
      const on = runs(own, mechanism.cover?.[asked.name] ?? asked.values.map(() => 1), words);
      return [questions.length > 1 && h("p", { class: "quiet" }, page.text(asked.prompt) || asked.name),
        list(asked.values.map((value, i) => words.row(on[i], labelOf(page, asked, value))))];
    }));
}

/**
 * Share the sides of a die (or the months) out by weights, in words; a design is refused where they do not come out even.
 * @param {keyof typeof SIDES} own
 * @param {number[]} weights
 * @param {any} words
 * @returns {string[]}
 */
function runs(own, weights, words) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let from = 1;
  return weights.map((weight) => {
    const run = [from, (from += (weight * SIDES[own]) / total) - 1];
    return own === "coin" ? words.coinOn[run[0] - 1] : words[`${own}On`](...run);
  });
}

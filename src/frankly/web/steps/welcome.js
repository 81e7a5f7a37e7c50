// Welcome: who asks and why, and what an answer can lead to, before anything is asked.
import { others, spent } from "../odds.js";
import { button, h, tag } from "../view.js";

/** Say what this survey can reveal at most: the epsilon of the form that was drawn. @param {any} page */
export function cost({ words, design, form = 0 }) {
  const e = spent(design, form);
  return h("p", { class: "quiet", id: "epsilon" },
    Number.isFinite(e) ? words.costs(e.toFixed(2), Number(Math.exp(e).toPrecision(2))) : words.proof);
}

/** @param {any} page */
export function welcome(page) {
  const { words, design, text } = page;
  const about = design.about ?? {};
  const facts = [["who", words.who], ["why", words.why], ["time", words.time], ["contact", words.contact]]
    .filter(([key]) => text(about[key]))
    .flatMap(([key, label]) => [h("dt", {}, label), h("dd", {}, text(about[key]))]);
  const clear = page.steps.filter((step) => !step.group)
    .flatMap((step) => step.questions.map((q) => text(q.prompt) || q.name));
  const hidden = page.steps.some((step) => step.group);
  const own = design.own_device;
  const label = hidden && words.label(own ? words.own.only : words.here, own ? words.other.own : others(design.forms[page.form].groups, words));
  page.show(page,
    h("h1", {}, hidden ? words.welcome : words.bare),
    h("p", { class: "lead" }, text(about.what) || text(design.title)),
    hidden && h("div", { class: "card" }, tag(words, true),
      h("dl", {}, label.flatMap(([ask, answer]) => [h("dt", {}, ask), h("dd", {}, answer)]))),
    facts.length > 0 && h("dl", {}, facts),
    h("p", {}, words.asks(page.steps.length), hidden && ` ${words.count}`),
    clear.length > 0 && h("p", {}, words.clear(clear)),
    cost(page),
    h("p", { class: "warn" }, words.final),
    h("div", { class: "row" }, button(words.start, () => page.go(page, 1), "go")),
  );
}

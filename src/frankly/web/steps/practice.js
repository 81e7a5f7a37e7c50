// Practice: see once how an answer is protected, on a question that does not matter.
// @ts-check
import { told } from "../odds.js";
import { spinner } from "../spinner.js";
import { secureTape } from "../tape.js";
import { button, h } from "../view.js";
import { fraction } from "../mechanism/exact.js";

/** @param {any} page */
export function practice(page) {
  const { words } = page;
  const first = page.steps.find((step) => step.group && told(step.group.mechanism));
  if (!first) return page.go(page, 2, true);
  const theta = told(first.group.mechanism) ?? 0;
  const labels = [words.no, words.yes];
  const flips = first.group.mechanism.kind === "flip";
  const others = flips ? [{ label: "⇄", share: 1 }] : labels.map((label) => ({ label, share: 0.5 }));
  const { element, turn } = spinner(theta, others, words);
  const said = h("p", { role: "status", class: "lead" });
  const spin = button(words.spin, () => {
    const chosen = main.querySelector("input:checked");
    if (!chosen) { said.textContent = words.chooseFirst; return; }
    const own = Number(chosen.value);
    const { p, q } = fraction(first.group.mechanism.theta);
    const tape = secureTape();
    const drawn = flips ? 1 - own : tape.below(2);
    const straight = tape.toss(p, q);
    turn(straight ? theta / 2 : theta + (1 - theta) * (flips ? 0.5 : (drawn + 0.5) / 2));
    said.textContent = straight ? words.cameOwn(labels[own]) : words.cameChance(labels[drawn]);
    said.append(h("span", { class: "quiet" }, ` ${words.nobody}`));
    spin.textContent = words.again;
  });
  const main = h("div", {},
    h("fieldset", {}, h("legend", { class: "lead" }, words.practiceAsk),
      h("div", { class: "scale" }, [1, 0].map((value) =>
        h("label", { class: "option" }, h("input", { type: "radio", name: "practice", value, autocomplete: "off" }), labels[value])))),
    element, said);
  const exact = Number.isInteger(Math.round(1e9 * theta) / 1e7);
  page.show(page,
    h("h1", {}, words.practice),
    h("p", {}, words.practiceLead),
    main,
    h("p", {}, words.odds(Math.round(100 * theta), 100 - Math.round(100 * theta), exact ? "" : "about")),
    h("div", { class: "row" }, button(words.next, () => page.go(page, 2), "go"), spin, button(words.back, () => history.back())),
  );
}

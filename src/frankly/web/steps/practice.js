// Practice: see once how an answer is protected, on a question that does not matter.
import { fraction } from "../mechanism/exact.js";
import { others, sentence } from "../odds.js";
import { secureTape } from "../tape.js";
import { button, h, s } from "../view.js";

/** @param {any} page */
export function practice(page) {
  const { words } = page;
  const first = page.steps.find((step) => step.group?.mechanism.theta);
  if (!first) return page.go(page, 2, true);
  const { p, q } = fraction(first.group.mechanism.theta);
  const theta = p / q;
  const labels = [words.no, words.yes];
  const flips = first.group.mechanism.kind === "flip";
  const whose = [words.mine, others([first.group], words)];
  const { element, turn } = spinner(theta, flips ? ["⇄"] : labels, whose);
  const said = h("p", { role: "status", class: "lead" });
  const spin = button(words.spin, () => {
    const chosen = main.querySelector("input:checked");
    if (!chosen) { said.textContent = words.chooseFirst; return; }
    const own = Number(chosen.value);
    const tape = secureTape();
    const drawn = flips ? 1 - own : tape.below(2);
    const straight = tape.toss(p, q);
    const within = (1 + tape.below(99)) / 100;
    turn(straight ? theta * within : theta + (1 - theta) * (flips ? within : (drawn + within) / 2));
    // Empty for a moment, so that the same words are announced again; nothing below moves meanwhile.
    said.style.minHeight = `${said.offsetHeight}px`;
    said.textContent = "";
    setTimeout(() => said.replaceChildren(
      straight ? words.came(whose[0], labels[own]) : words.came(whose[1], labels[drawn]),
      h("span", { class: "quiet" }, ` ${words.nobody}`)), 200);
    spin.textContent = words.again;
  });
  const main = h("div", {},
    h("fieldset", {}, h("legend", { class: "lead" }, words.practiceAsk),
      h("div", { class: "scale" }, [1, 0].map((value) =>
        h("label", { class: "option" }, h("input", { type: "radio", name: "practice", value, autocomplete: "off" }), labels[value])))),
    element, h("p", {}, spin), said);
  page.show(page,
    h("h1", {}, words.practice),
    h("p", {}, words.practiceLead),
    main,
    h("p", {}, sentence(page.design.forms[page.form].groups, words)),
    h("div", { class: "row" }, button(words.next, () => page.go(page, 2), "go"), button(words.back, () => history.back())),
  );
}

const R = 46;

/** @param {number} share @returns {[number, number]} */
const at = (share) => [50 + R * Math.sin(2 * Math.PI * share), 50 - R * Math.cos(2 * Math.PI * share)];

/** @param {number} from @param {number} to */
const slice = (from, to) => {
  const [x1, y1] = at(from);
  const [x2, y2] = at(to);
  return `M50 50L${x1} ${y1}A${R} ${R} 0 ${to - from > 0.5 ? 1 : 0} 1 ${x2} ${y2}z`;
};

/**
 * Draw a spinner: theta of the circle is the person's own answer, the rest the substitutes.
 * @param {number} theta
 * @param {string[]} labels  of the substitutes, all equally likely
 * @param {string[]} whose  what each of the two parts means
 */
function spinner(theta, labels, whose) {
  const hand = s("g", { class: "hand" }, ["edge", ""].map((look) => s("line", { class: look, x1: 50, y1: 50, x2: 50, y2: 30 })));
  let [from, turns] = [theta, 0];
  const slices = labels.flatMap((label) => {
    const to = from + (1 - theta) / labels.length;
    const [x, y] = at((from + to) / 2).map((v) => 50 + (v - 50) * 0.74);
    const path = s("path", { class: "chance", d: slice(from, Math.min(to, 0.99999)) });
    from = to;
    return [path, s("text", { x, y: y + 3 }, label)];
  });
  const drawing = s("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": whose.map((part, i) => `${part}: ${Math.round(100 * (i ? 1 - theta : theta))} %`).join(", ") },
    s("path", { class: "own", d: slice(0, Math.min(theta, 0.99999)) }), slices, hand);
  const element = h("div", { class: "spinner" }, drawing,
    h("ul", { class: "key" }, whose.map((part, i) => h("li", {}, h("span", { class: i ? null : "own" }), part))));
  /** Turn the hand once round and to a place on the circle. @param {number} share */
  const turn = (share) => { hand.style.transform = `rotate(${360 * (++turns + share)}deg)`; };
  return { element, turn };
}

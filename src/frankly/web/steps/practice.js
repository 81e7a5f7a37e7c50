// Practice: see once how an answer is protected, on a question that does not matter.
import { told } from "../odds.js";
import { secureTape } from "../tape.js";
import { button, h, s } from "../view.js";
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
 * @param {{label: string, share: number}[]} others
 * @param {any} words
 */
function spinner(theta, others, words) {
  const hand = s("line", { class: "hand", x1: 50, y1: 50, x2: 50, y2: 30 });
  let from = theta;
  const slices = others.filter(({ share }) => share > 0).flatMap(({ label, share }) => {
    const to = from + (1 - theta) * share;
    const [x, y] = at((from + to) / 2).map((v) => 50 + (v - 50) * 0.74);
    const path = s("path", { class: "chance", d: slice(from, Math.min(to, 0.99999)) });
    from = to;
    return [path, s("text", { x, y: y + 3 }, label)];
  });
  const drawing = s("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": `${words.keyOwn}: ${Math.round(100 * theta)} %, ${words.keyChance}: ${Math.round(100 - 100 * theta)} %` },
    s("path", { class: "own", d: slice(0, Math.min(theta, 0.99999)) }), slices, hand);
  const element = h("div", { class: "spinner" }, drawing,
    h("ul", { class: "key" },
      h("li", {}, h("span", { class: "own" }), words.keyOwn),
      h("li", {}, h("span", {}), words.keyChance)));
  /** Turn the hand to a place on the circle. @param {number} share */
  const turn = (share) => { hand.style.transform = `rotate(${360 * share}deg)`; };
  return { element, turn };
}

// Spinner: a device drawn to scale. Filled: your own answer; hatched rim: drawn by chance.
// @ts-check
import { h, s } from "./view.js";

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
export function spinner(theta, others, words) {
  const hand = s("line", { class: "hand", x1: 50, y1: 50, x2: 50, y2: 12 });
  let from = theta;
  const slices = others.filter(({ share }) => share > 0).flatMap(({ label, share }) => {
    const to = from + (1 - theta) * share;
    const [x, y] = at((from + to) / 2).map((v) => 50 + (v - 50) * 0.66);
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
  const turn = (share) => { hand.style.transformOrigin = "50px 50px"; hand.style.transform = `rotate(${360 * share}deg)`; };
  return { element, turn };
}

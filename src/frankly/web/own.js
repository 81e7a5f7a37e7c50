// Own: what to do with a die, a coin or a birthday, so that chance is exactly the design's.
// @ts-check
import { fraction } from "./mechanism/exact.js";

const SIDES = { die: 6, coin: 2, birthday: 12 };

/**
 * Cut the sides of a die (or the months) into runs of these lengths, in words.
 * @param {keyof typeof SIDES} own
 * @param {number[]} lengths
 * @param {any} words
 * @returns {string[]}
 */
function runs(own, lengths, words) {
  let from = 1;
  return lengths.map((length) => {
    const run = [from, (from += length) - 1];
    if (own === "coin") return words.coinOn[run[0] - 1];
    return (own === "die" ? words.dieOn : words.birthdayOn)(...run);
  });
}

/**
 * Share the sides out by weights; refuse what does not come out even.
 * @param {keyof typeof SIDES} own
 * @param {number[]} weights
 */
function sides(own, weights) {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const lengths = weights.map((weight) => (weight * SIDES[own]) / total);
  if (!lengths.every((length) => Number.isInteger(length) && length > 0)) {
    throw new Error(`a ${own} cannot make these chances exactly`);
  }
  return lengths;
}

/**
 * Say what to do: first the toss, then what each further toss means for each question.
 * @param {keyof typeof SIDES} own
 * @param {import("./mechanism/base.js").Device} device
 * @param {any[]} questions
 * @param {any} words
 * @param {(asked: any, value: string) => string} labelOf
 */
export function instructions(own, device, questions, words, labelOf) {
  const { p, q } = fraction(device.theta);
  const [straight, other] = runs(own, sides(own, [p, q - p]), words);
  const then = questions.map((asked) => {
    const weights = /** @type {any} */ (device.cover)?.[asked.name] ?? asked.values.map(() => 1);
    const on = runs(own, sides(own, weights), words);
    return { asked, lines: asked.values.map((value, i) => words.row(on[i], labelOf(asked, value))) };
  });
  return { first: [words.truth(straight), words.other(other)], then };
}

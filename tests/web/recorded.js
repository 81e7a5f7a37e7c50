// A tape with known words on it: only tests can open one, the shipped page cannot.
import { Tape } from "../../src/frankly/web/tape.js";

/**
 * Open a tape with these words on it.
 * @param {number[]} words
 * @param {typeof Tape} [Kind]  of the page that is tried, where it is not the shipped one
 */
export function recordedTape(words, Kind = Tape) {
  let next = 0;
  return new Kind(() => {
    if (next === words.length) throw new Error(`the recorded tape ends after ${next} words`);
    return words[next++];
  });
}

// Words are read as whole numbers by rejection, and compared as whole numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { secureTape } from "../../src/frankly/web/tape.js";
import { recordedTape } from "./recorded.js";

const LAST = 2 ** 32 - 1;

test("a word stands for its place among q equal parts", () => {
  const tape = recordedTape([0, 2 ** 31 - 1, 2 ** 31, LAST]);
  assert.deepEqual([1, 2, 3, 4].map(() => tape.below(2)), [0, 0, 1, 1]);
});

test("words that would favour small numbers are thrown away", () => {
  // 3 parts of 1,431,655,765 words leave one word over: the last.
  assert.equal(recordedTape([LAST, LAST, 1431655765]).below(3), 1);
  assert.equal(recordedTape([LAST - 1]).below(3), 2);
});

test("the finest chance keeps one word apart from the next", () => {
  assert.equal(recordedTape([LAST, LAST - 1]).below(LAST), LAST - 1);
  assert.equal(recordedTape([7]).toss(7, LAST), false);
  assert.equal(recordedTape([6]).toss(7, LAST), true);
});

test("a certain toss reads a word all the same", () => {
  const tape = recordedTape([LAST, 0]);
  assert.equal(tape.toss(1, 1), true);
  assert.equal(tape.toss(0, 1), false);
  assert.throws(() => tape.toss(1, 1), /the recorded tape ends after 2 words/);
});

test("a toss is true for exactly p of q parts", () => {
  const width = Math.floor(2 ** 32 / 10);
  assert.equal(recordedTape([7 * width - 1]).toss(7, 10), true);
  assert.equal(recordedTape([7 * width]).toss(7, 10), false);
});

test("chances that one word cannot draw are refused", () => {
  for (const q of [0, -1, 0.5, 2 ** 32, NaN, undefined]) {
    assert.throws(() => secureTape().below(q), /whole number of chances/);
  }
});

test("a secure tape asks for a chunk at a time, and never gives a word twice", (t) => {
  let asked = 0;
  let next = 0;
  t.mock.method(globalThis.crypto, "getRandomValues", (words) => {
    asked += 1;
    assert.ok(words.byteLength <= 65536);
    return words.map((_, i) => (words[i] = next++));
  });
  const tape = secureTape();
  const words = Array.from({ length: 5000 }, () => tape.read());
  assert.deepEqual(words, Array.from({ length: 5000 }, (_, i) => i));
  assert.ok(asked >= 2 && asked < 50);
});

test("two secure tapes share no words", () => {
  const [one, other] = [secureTape(), secureTape()];
  const words = new Set(Array.from({ length: 4 }, () => [one.read(), other.read()]).flat());
  assert.ok(words.size >= 6); // 8 words; two pairs alike by chance: less than 1 in 10**16
});

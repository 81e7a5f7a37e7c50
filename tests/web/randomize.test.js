// One record in, one report out: worked out by hand, word by word.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drawForm, randomize } from "../../src/frankly/web/randomize.js";
import { secureTape } from "../../src/frankly/web/tape.js";
import { recordedTape } from "./recorded.js";

const TOP = 2 ** 32 - 10; // the highest tenth: a toss of 7/10 fails, and a draw gives the last
const ILL = { name: "ill", values: ["no", "yes"] };
const SEX = { name: "sex", values: ["f", "m", "x"] };
const one = (mechanism, ...names) => ({
  attributes: [ILL, SEX],
  forms: [{ groups: [{ names, mechanism }] }],
});

test("the truth is told when the toss succeeds, and the substitute when it fails", () => {
  const design = one({ kind: "unrelated", theta: "7/10" }, "ill", "sex");
  const truth = { ill: "no", sex: "f" };
  assert.deepEqual(randomize(design, truth, recordedTape([TOP, TOP, 0])), { ill: "no", sex: "f" });
  assert.deepEqual(randomize(design, truth, recordedTape([TOP, 0, TOP])), { ill: "yes", sex: "f" });
});

test("a joint cover takes one draw, and its last question runs fastest", () => {
  const cover = [[1, 1, 1], [1, 5, 1]]; // 10 parts; the fifth to the ninth are (yes, m)
  const design = one({ kind: "unrelated", theta: "1/2", cover }, "ill", "sex");
  const tenth = Math.floor(2 ** 32 / 10);
  const truth = { ill: "no", sex: "f" };
  const tapes = [3, 4, 8, 9].map((part) => recordedTape([part * tenth, TOP]));
  const sent = tapes.map((tape) => randomize(design, truth, tape));
  assert.deepEqual(sent.map(({ ill }) => ill), ["yes", "yes", "yes", "yes"]);
  assert.deepEqual(sent.map(({ sex }) => sex), ["f", "m", "m", "x"]);
});

test("a flip turns the whole group round", () => {
  const attributes = [ILL, { name: "smokes", values: ["no", "yes"] }];
  const groups = [{ names: ["ill", "smokes"], mechanism: { kind: "flip", theta: "7/10" } }];
  const truth = { ill: "no", smokes: "yes" };
  const report = randomize({ attributes, forms: [{ groups }] }, truth, recordedTape([TOP]));
  assert.deepEqual(report, { ill: "yes", smokes: "no" });
});

test("the page may draw the form first and keep it", () => {
  const forms = [
    { groups: [{ names: ["ill"], mechanism: { kind: "flip", theta: "7/10" } }], weight: 3 },
    { clear: ["sex", "ill"] },
  ];
  const design = { attributes: [ILL, SEX], forms };
  const words = [0, 3 * 2 ** 30 - 1, 3 * 2 ** 30];
  assert.deepEqual(words.map((word) => drawForm(design, recordedTape([word]))), [0, 0, 1]);
  const kept = randomize(design, { ill: "no", sex: "x" }, recordedTape([]), { form: 1 });
  assert.deepEqual(kept, { form: 1, ill: "no", sex: "x" });
  const drawn = randomize(design, { ill: "no" }, recordedTape([0, TOP]));
  assert.deepEqual(drawn, { form: 0, ill: "yes", sex: null });
  assert.throws(() => randomize(design, {}, recordedTape([]), { form: 2 }), /no form 2/);
});

test("an only form needs no draw", () => {
  assert.equal(drawForm(one({ kind: "flip", theta: "1" }, "ill"), recordedTape([])), 0);
});

test("asked substitutes are the person's own, and only the toss reads the tape", () => {
  const design = one({ kind: "unrelated", theta: "7/10", asked: true }, "ill");
  const given = { covers: { ill: "yes" } };
  assert.equal(randomize(design, { ill: "no" }, recordedTape([0]), given).ill, "no");
  assert.equal(randomize(design, { ill: "no" }, recordedTape([TOP]), given).ill, "yes");
  assert.throws(() => randomize(design, { ill: "no" }, recordedTape([0]), { covers: {} }), /"ill"/);
});

test("substitutes are drawn where the design does not ask for them, whatever is given", () => {
  const design = one({ kind: "unrelated", theta: "7/10" }, "ill");
  const given = { covers: { ill: "yes" } };
  assert.equal(randomize(design, { ill: "no" }, recordedTape([0, TOP]), given).ill, "no");
});

test("nothing is drawn before every answer is there", () => {
  const mechanism = { kind: "flip", theta: "7/10" };
  const groups = [{ names: ["ill"], mechanism }];
  const design = { attributes: [ILL, SEX], forms: [{ groups, clear: ["sex"] }] };
  const tape = recordedTape([]);
  assert.throws(() => randomize(design, { ill: "no" }, tape), /the answer to "sex" is missing/);
  assert.throws(() => randomize(design, { sex: "f" }, tape), /the answer to "ill" is missing/);
});

test("a device the page does not know is refused", () => {
  const design = one({ kind: "constructor", theta: "7/10" }, "ill");
  assert.throws(() => randomize(design, { ill: "no" }, secureTape()), /no device called/);
});

test("weights that are not whole numbers are refused", () => {
  for (const weights of [[0.5, 0.5], [2, -1], [0, 0], [2 ** 32, 1]]) {
    const design = one({ kind: "unrelated", theta: "7/10", cover: { ill: weights } }, "ill");
    assert.throws(() => randomize(design, { ill: "no" }, secureTape()), /whole number/);
  }
});

test("two truths send the same columns in the same order", () => {
  const design = one({ kind: "flip", theta: "7/10" }, "ill");
  for (const ill of ["no", "yes"]) {
    assert.deepEqual(Object.keys(randomize(design, { ill }, recordedTape([0]))), ["ill", "sex"]);
  }
});

// Answers become codes and codes become labels; what fits nothing is refused without an echo.
import assert from "node:assert/strict";
import { test } from "node:test";
import { decode, encode, pickAttributes } from "../../src/frankly/web/design.js";
import { fraction } from "../../src/frankly/web/mechanism/exact.js";

const ILL = { name: "ill", values: ["no", "yes"] };
const AGE = { name: "age", values: ["young", "middle", "old"], bins: [30, 50.5] };
const merged = { widowed: "alone", wed: "alone" };
const LIVES = { name: "lives", values: ["alone", "wed"], merged };

test("an answer is the position of its value", () => {
  assert.deepEqual(["no", "yes"].map((answer) => encode(ILL, answer)), [0, 1]);
});

test("a number falls into a bin, and on a cut into the bin above", () => {
  const ages = [-1, 29.9, 30, 50, 50.5, 1e9];
  assert.deepEqual(ages.map((age) => encode(AGE, age)), [0, 0, 1, 1, 2, 2]);
  const typed = ["29.9", " 30 ", "+50.5", "5e1", ".5", "-1"];
  assert.deepEqual(typed.map((age) => encode(AGE, age)), [0, 1, 2, 1, 0, 0]);
  assert.equal(encode(AGE, "middle"), 1);
});

test("a finer answer counts as the value it is merged into, a value as itself", () => {
  assert.equal(encode(LIVES, "widowed"), 0);
  assert.equal(encode(LIVES, "wed"), 1);
});

test("a missing or unknown answer is refused by its question alone", () => {
  for (const answer of [undefined, null, "", "canary", 31, NaN, "constructor", "__proto__"]) {
    for (const attribute of [ILL, LIVES]) {
      assert.throws(() => encode(attribute, answer), (error) => {
        assert.match(error.message, new RegExp(`the answer to "${attribute.name}" is`));
        assert.doesNotMatch(error.message, /canary|31|NaN|constructor|proto|yes|widowed/);
        return true;
      });
    }
  }
  for (const answer of [NaN, "31 years", "0x1f", "1,5", " ", "e5"]) {
    assert.throws(() => encode(AGE, answer), /the answer to "age" is none/);
  }
});

test("a code is sent as a label, a matrix's by the names of its own", () => {
  assert.equal(decode(ILL, 1), "yes");
  assert.equal(decode(ILL, 2, ["0", "1", "2"]), "2");
  assert.throws(() => decode(ILL, 2), /the device of "ill" does not fit it/);
});

test("attributes are found by name", () => {
  const design = { attributes: [ILL, AGE], forms: [] };
  assert.deepEqual(pickAttributes(design, ["age", "ill"]), [AGE, ILL]);
  assert.throws(() => pickAttributes(design, ["toString"]), /no attribute "toString"/);
});

test("theta is two whole numbers", () => {
  assert.deepEqual(fraction("7/10"), { p: 7, q: 10 });
  assert.deepEqual(fraction("1"), { p: 1, q: 1 });
  assert.deepEqual(fraction("0"), { p: 0, q: 1 });
  for (const text of ["0.7", 0.7, "8/7", "1/0", "-1/2", "7/10 ", "", "0x1/2", "1e0", undefined]) {
    assert.throws(() => fraction(text), /theta must be a fraction/);
  }
});

// A typed number is read as people write it; what can be read two ways is asked, never guessed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readings, stepsOf } from "../../src/frankly/web/questions.js";

test("a number is read with the separators of any country", () => {
  const typed = {
    "34": "34", " 34 ": "34", "-2": "-2", "−2": "-2", ".5": ".5", "0,125": "0.125", "1500.5": "1500.5", "12,5": "12.5",
    "1,500.50": "1500.50", "1.500,50": "1500.50", "1 500": "1500", "1’500.5": "1500.5", "1,500,000": "1500000",
    "1.500.000,25": "1500000.25", "1234.567": "1234.567", "1.2340": "1.2340", "٣٤": "34", "۱٫۵": "1.5", "007": "007",
  };
  for (const [text, number] of Object.entries(typed)) assert.deepEqual(readings(text), [number], text);
});

test("what can be read two ways gives both numbers", () => {
  assert.deepEqual(readings("1,500"), ["1.500", "1500"]);
  assert.deepEqual(readings("1.500"), ["1.500", "1500"]);
  assert.deepEqual(readings("٢٬٠٠٠"), ["2.000", "2000"]);
});

test("what is no number gives none", () => {
  for (const text of ["", " ", "old", "34 years", "3 4", "1,50,0", "1.5.0", "1,500.50,2", "-", ".", "1e3", "1,,500", "0,500.5"]) {
    assert.deepEqual(readings(text), [], text);
  }
});

test("a scale of numbers lies side by side, and one of words beneath one another", () => {
  const kind = (labels) => {
    const stress = { name: "stress", prompt: "How stressed?", values: [..."12345"], labels };
    return stepsOf({ attributes: [stress], forms: [{ clear: ["stress"] }] }, 0)[0].kind;
  };
  assert.equal(kind(undefined), "scale");
  assert.equal(kind({ 1: "Not at all", 5: "Extremely" }), "one");
});

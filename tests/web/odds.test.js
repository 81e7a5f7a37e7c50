// The page's odds are Python's: chances of every report, and everything a form can reveal.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { channel, spent } from "../../src/frankly/web/odds.js";

const file = new URL("../../conformance/odds.json", import.meta.url);
const lines = JSON.parse(readFileSync(file, "utf8"));
const close = (found, wanted) =>
  assert.ok(found === wanted || Math.abs(found - wanted) <= 1e-9, `${found} is not ${wanted}`);

test("the page tells the odds that Python computes", () => {
  assert.ok(lines.length >= 50);
  for (const { design, odds } of lines) {
    odds.forEach(({ epsilon, channels }, form) => {
      close(spent(design, form), epsilon ?? Infinity);
      for (const { names, mechanism } of design.forms[form].groups ?? []) {
        const size = (name) => design.attributes.find((one) => one.name === name).values.length;
        names.forEach((name, place) => {
          const rows = channel(mechanism, names, names.map(size), place);
          const wanted = Object.getOwnPropertyDescriptor(channels, name).value;
          assert.equal(rows.length, wanted.length);
          rows.forEach((row, truth) => row.forEach((chance, k) => close(chance, wanted[truth][k])));
        });
      }
    });
  }
});

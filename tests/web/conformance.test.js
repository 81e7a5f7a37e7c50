// The browser's half gives the golden reports, and reads every word to do so.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { MECHANISMS } from "../../src/frankly/web/mechanism/index.js";
import { randomize } from "../../src/frankly/web/randomize.js";
import { recordedTape } from "./recorded.js";

const folder = new URL("../../conformance/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
// Golden odds and statements have no cases: they say nothing about a tape.
const lines = files.flatMap((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")))
  .filter(({ cases }) => cases?.length);

for (const { what, design, cases } of lines) {
  test(`the browser sends the golden report: ${what}`, () => {
    for (const { truth, words, report } of cases) {
      const tape = recordedTape(words);
      assert.deepEqual(randomize(design, truth, tape), report);
      assert.throws(() => tape.read(), /the recorded tape ends/);
    }
  });
}

test("the golden vectors cover every device", () => {
  const groups = lines.flatMap(({ design }) => design.forms.flatMap((form) => form.groups ?? []));
  const kinds = new Set(groups.map(({ mechanism }) => mechanism.kind));
  assert.deepEqual(kinds, new Set(MECHANISMS.keys()));
  assert.ok(lines.length >= 20);
});

// The page's odds are the statement's, and the shipped devices spend the epsilon that is stated.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as odds from "../../src/frankly/web/odds.js";
import { randomize } from "../../src/frankly/web/randomize.js";
import { Tape } from "../../src/frankly/web/tape.js";
import words from "../../src/frankly/web/words/en.js";

const lines = JSON.parse(readFileSync(new URL("../../conformance/privacy.json", import.meta.url), "utf8"));
const number = (epsilon) => (epsilon === "infinite" ? Infinity : epsilon);
const close = (found, wanted) =>
  assert.ok(found === wanted || Math.abs(found - wanted) <= 1e-9, `${found} is not ${wanted}`);

/** A tape that takes every way in turn, and knows how likely each is. */
class EveryWay extends Tape {
  ways = [];
  start() {
    this.at = 0;
    this.chance = 1;
  }
  choose(chances) {
    const way = (this.ways[this.at] ??= { taken: 0, chances });
    this.at++;
    this.chance *= way.chances[way.taken];
    return way.taken;
  }
  below(q) {
    return this.choose(Array(q).fill(1 / q));
  }
  toss(p, q) {
    return this.choose([p / q, 1 - p / q]) === 0;
  }
  next() {
    while (this.ways.length && ++this.ways.at(-1).taken === this.ways.at(-1).chances.length) {
      this.ways.pop();
    }
    return this.ways.length > 0;
  }
}

/** The chance of every report of one truth, by drawing with every tape there is. */
function reports(design, form, truth) {
  const found = new Map();
  const tape = new EveryWay();
  do {
    tape.start();
    const report = JSON.stringify(randomize(design, truth, tape, { form }));
    found.set(report, (found.get(report) ?? 0) + tape.chance);
  } while (tape.next());
  return found;
}

/** Every way to answer some questions. */
const combinations = (lists) =>
  lists.reduce((rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])), [[]]);

/** The largest log-odds between two truths, over all reports. */
function tried(design, form) {
  const hidden = (design.forms[form].groups ?? []).flatMap(({ names }) => names);
  const values = Object.fromEntries(design.attributes.map((a) => [a.name, a.values]));
  const plain = Object.fromEntries(design.attributes.map((a) => [a.name, a.values[0]]));
  const each = combinations(hidden.map((name) => values[name])).map((row) =>
    reports(design, form, { ...plain, ...Object.fromEntries(hidden.map((name, i) => [name, row[i]])) }));
  let most = 0;
  for (const report of new Set(each.flatMap((one) => [...one.keys()]))) {
    const chances = each.map((one) => one.get(report) ?? 0).filter((chance) => chance >= 0);
    const [least, best] = [Math.min(...chances), Math.max(...chances)];
    if (best > 0) most = Math.max(most, least > 0 ? Math.log(best / least) : Infinity);
  }
  return most;
}

/** How many ways the tape can go for one truth. */
const ways = ({ forms }, form) =>
  (forms[form].groups ?? []).reduce((product, { mechanism }) => {
    const weights = [mechanism.cover, mechanism.rows?.[0]].flatMap((part) =>
      Array.isArray(part) ? [part.flat(Infinity)] : Object.values(part ?? {}));
    const sums = weights.map((part) => part.reduce((sum, weight) => sum + weight, 0));
    return sums.reduce((all, sum) => all * sum, 12 * product);
  }, 1);

let [enumerated, spans] = [0, 0];
for (const { what, design, odds: forms } of lines) {
  test(`the page states the odds of: ${what}`, () => {
    forms.forEach(({ epsilon, groups, text }, form) => {
      const asked = design.forms[form].groups ?? [];
      const { other, label, own, here } = words;
      const told = design.own_device ? undefined : odds.sentence(asked, words);
      const sentences = text.split("\n").filter((line) => line.includes("00 people like you"));
      assert.deepEqual(sentences, told ? [told] : []);
      if (sentences.some((line) => line.startsWith("Depending"))) spans++;
      if (asked.length) {
        const said = design.own_device ? label(own.only, other.own) : label(here, odds.others(asked, words));
        said.forEach((line) => assert.ok(text.includes(line.join(" ")), line.join(" ")));
      }
      close(odds.spent(design, form), number(epsilon));
      groups.forEach((said, i) => {
        const { names, mechanism } = design.forms[form].groups[i];
        const sizes = names.map((name) => design.attributes.find((a) => a.name === name).values.length);
        close(odds.told(mechanism) ?? null, said.told);
        close(odds.epsilon(mechanism, names, sizes), number(said.epsilon));
        said.channels.forEach((rows, place) =>
          odds.channel(mechanism, names, sizes, place).flat().forEach((chance, k) => close(chance, rows.flat()[k])));
        if (said.sentence) assert.equal(odds.sentence([{ mechanism }], words), said.sentence);
      });
    });
  });
  forms.forEach(({ epsilon }, form) => {
    if (ways(design, form) > 20_000) return;
    enumerated++;
    test(`the shipped device spends what is stated: ${what}, form ${form}`, () =>
      close(tried(design, form), number(epsilon)));
  });
}

test("several designs have groups with different odds", () => assert.ok(spans >= 2));

test("most designs are small enough to be tried in full", () => assert.ok(enumerated >= 20));

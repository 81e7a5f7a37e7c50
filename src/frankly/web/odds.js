// Odds: what a device makes of answers, as exact chances and as natural frequencies.
import { pickAttributes } from "./design.js";
import { fraction } from "./mechanism/exact.js";

/**
 * The chance that a group's answers are told straight; none for a matrix.
 * @param {Device} device
 */
export function told(device) {
  if (!device.theta) return undefined;
  const { p, q } = fraction(device.theta);
  return p / q;
}

/**
 * Say what takes an answer's place.
 * @param {{mechanism: Device}[]} groups
 * @param {any} words
 */
export function others(groups, words) {
  const [kind, mixed] = new Set(groups.map(({ mechanism: { kind, asked } }) => (kind === "flip" ? kind : asked ? "asked" : "chance")));
  return words.other[mixed ? "mixed" : kind];
}

/**
 * Say the odds of a form in one sentence, or their span when groups differ; nothing where there is no coin.
 * @param {{mechanism: Device}[]} groups
 * @param {any} words
 * @returns {string | undefined}
 */
export function sentence(groups, words) {
  const coins = groups.filter(({ mechanism }) => mechanism.theta);
  if (!coins.length) return;
  const exact = coins.map(({ mechanism: { theta } }) => fraction(theta)).map(({ p, q }) => (100 * p) / q);
  const [least, most] = [Math.min(...exact), Math.max(...exact)].map(Math.round);
  const other = others(coins, words);
  return least < most ? words.span(least, most, other) : words.odds(least, 100 - least, other, !exact.every(Number.isInteger));
}

/**
 * How often each substitute of one question of a group is drawn.
 * @param {Device} device
 * @param {string[]} names  the questions of the group
 * @param {number[]} sizes
 * @param {number} place  which of them
 * @returns {number[]}
 */
export function cover({ cover: given }, names, sizes, place) {
  if (!given) return Array(sizes[place]).fill(1 / sizes[place]);
  const weights = Array.isArray(given) ? margin(given, sizes, place) : given[names[place]];
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/**
 * Sum a joint cover over all other questions.
 * @param {any[]} joint
 * @param {number[]} sizes
 * @param {number} place
 */
function margin(joint, sizes, place) {
  const after = sizes.slice(place + 1).reduce((product, size) => product * size, 1);
  const sums = Array(sizes[place]).fill(0);
  joint.flat(Infinity).forEach((weight, i) => (sums[Math.floor(i / after) % sizes[place]] += weight));
  return sums;
}

/**
 * What one question's truths become, seen alone: rows[truth][report].
 * @param {Device} device
 * @param {string[]} names
 * @param {number[]} sizes
 * @param {number} place
 * @returns {number[][]}
 */
export function channel(device, names, sizes, place) {
  if (device.kind === "matrix") {
    return device.rows.map((row) => row.map((weight) => weight / row.reduce((a, b) => a + b, 0)));
  }
  const theta = told(device) ?? 0;
  const codes = Array.from({ length: sizes[place] }, (_, code) => code);
  const drawn = device.kind === "flip" ? null : cover(device, names, sizes, place);
  return codes.map((truth) =>
    codes.map((report) => {
      const other = drawn ? drawn[report] : Number(report === codes.length - 1 - truth);
      return theta * Number(truth === report) + (1 - theta) * other;
    }));
}

/**
 * The largest log-odds that one report of a group can shift.
 * @param {Device} device
 * @param {string[]} names
 * @param {number[]} sizes
 */
export function epsilon(device, names, sizes) {
  if (device.kind === "matrix") return largest(channel(device, names, sizes, 0));
  const theta = told(device) ?? 0;
  if (theta === 1) return Infinity;
  if (device.kind === "flip") {
    return names.length > 1 ? Infinity : Math.abs(Math.log(theta / (1 - theta)));
  }
  const least = rarest(device.cover, sizes);
  return least ? Math.log1p(theta / ((1 - theta) * least)) : Infinity;
}

/** @param {Device["cover"]} given @param {number[]} sizes */
function rarest(given, sizes) {
  if (!given) return 1 / sizes.reduce((product, size) => product * size, 1);
  const share = (weights) =>
    Math.min(...weights) / weights.reduce((sum, weight) => sum + weight, 0);
  if (Array.isArray(given)) return share(given.flat(Infinity));
  return Object.values(given).reduce((product, weights) => product * share(weights), 1);
}

/** @param {number[][]} rows */
function largest(rows) {
  let most = 0;
  for (const report of rows[0].keys()) {
    const column = rows.map((row) => row[report]);
    if (column.some(Boolean)) most = Math.max(most, Math.log(Math.max(...column) / Math.min(...column)));
  }
  return most;
}

/**
 * How many values each of these questions has.
 * @param {Design} design
 * @param {string[]} names
 */
export const sizesOf = (design, names) => pickAttributes(design, names).map(({ values }) => values.length);

/**
 * Everything that one report of a form can reveal.
 * @param {Design} design
 * @param {number} form
 */
export const spent = (design, form) =>
  (design.forms[form].groups ?? []).reduce(
    (sum, { names, mechanism }) => sum + epsilon(mechanism, names, sizesOf(design, names)), 0);

// A coin: the truth with probability theta, otherwise a substitute. One toss for the whole group.
// @ts-check
import { fraction } from "./exact.js";

/**
 * A group's device, as the survey document writes it.
 * @typedef {object} Device
 * @property {string} kind
 * @property {string} theta  the probability of the truth, as text "p/q"
 * @property {Record<string, number[]> | any[]} [cover]  weights of the substitutes
 * @property {boolean} [asked]  whether the person's own answers stand in for drawn ones
 * @property {number[][]} rows  a matrix's weights: rows[truth][report]
 * @property {string[]} [reports]  the values a matrix's report can have
 *
 * One person's answers to the questions of a group, as positions among their values.
 * @typedef {object} Group
 * @property {{name: string, values: string[]}[]} attributes
 * @property {number[]} truth
 * @property {number[]} [own]  the person's own substitutes, where the design asks for them
 *
 * @typedef {(device: Device, group: Group, tape: import("../tape.js").Tape) => number[]} Draw
 */

/**
 * Make a device from its substitutes. They are drawn first and the coin is tossed second,
 * so both cases read the tape alike.
 * @param {Draw} standIn
 * @returns {Draw}
 */
export const coin = (standIn) => (device, group, tape) => {
  const { p, q } = fraction(device.theta);
  const substitutes = standIn(device, group, tape);
  return tape.toss(p, q) ? group.truth : substitutes;
};

// A coin: the truth with probability theta, otherwise a substitute. One toss for the whole group.
import { fraction } from "./exact.js";

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

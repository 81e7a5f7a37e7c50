// What a respondent's device does; one file a device, one line a device in the registry.
import * as flip from "./flip.js";
import * as matrix from "./matrix.js";
import * as unrelated from "./unrelated.js";

/** Every device by the name it has in a survey document. */
export const MECHANISMS = new Map(
  [unrelated, flip, matrix].map((mechanism) => [mechanism.kind, mechanism]),
);

/**
 * Send one group's answers through its device.
 * @type {Draw}
 */
export function drawReport(device, group, tape) {
  const mechanism = MECHANISMS.get(device.kind);
  if (!mechanism) throw new Error(`this page knows no device called "${device.kind}"`);
  return mechanism.draw(device, group, tape);
}

// Flip: otherwise, the opposite of every answer of the group.
import { coin } from "./base.js";

export const kind = "flip";
export const draw = coin((_device, { truth }) => truth.map((code) => 1 - code));

// Matrix: any channel from the answer to one question to its report; one draw, whatever the truth.
import { pick } from "./cover.js";

export const kind = "matrix";
/** @type {Draw} */
export const draw = ({ rows }, { truth: [code] }, tape) => [pick(rows[code], tape)];

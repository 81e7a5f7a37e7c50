// Unrelated: otherwise, answers drawn from a cover that has nothing to do with the person.
import { coin } from "./base.js";
import { drawCover } from "./cover.js";

export const kind = "unrelated";
export const draw = coin(
  ({ cover }, { attributes, own }, tape) => own ?? drawCover(cover, attributes, tape),
);

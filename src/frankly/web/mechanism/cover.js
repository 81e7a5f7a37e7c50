// The cover: how often each substitute answer is drawn.

/**
 * Draw substitutes: one draw a question, or one for a joint cover.
 * @param {Device["cover"]} cover  nothing: all answers are equally likely
 * @param {Group["attributes"]} attributes
 * @param {Tape} tape
 * @returns {number[]}
 */
export function drawCover(cover, attributes, tape) {
  const sizes = attributes.map(({ values }) => values.length);
  if (!cover) return sizes.map((size) => tape.below(size));
  if (Array.isArray(cover)) return place(pick(cover.flat(Infinity), tape), sizes);
  return attributes.map(({ name }) => pick(cover[name], tape));
}

/**
 * Draw a position with probability in proportion to whole-number weights.
 * @param {number[]} weights
 * @param {Tape} tape
 * @returns {number}
 */
export function pick(weights, tape) {
  if (!weights.every((weight) => Number.isInteger(weight) && weight >= 0)) {
    throw new Error("weights must be whole numbers, none of them negative");
  }
  const drawn = tape.below(weights.reduce((sum, weight) => sum + weight, 0));
  let end = 0;
  return weights.findIndex((weight) => drawn < (end += weight));
}

/**
 * Turn a position in a joint array into one code a question; the last question runs fastest.
 * @param {number} position
 * @param {number[]} sizes
 * @returns {number[]}
 */
function place(position, sizes) {
  if (!sizes.length) return [];
  const size = sizes[sizes.length - 1];
  const rest = Math.floor(position / size);
  return [...place(rest, sizes.slice(0, -1)), position - rest * size];
}

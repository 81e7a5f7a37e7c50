// Exact chances: a theta such as "7/10" as two whole numbers, never as a float.

/**
 * Read "p/q" (or "0", or "1") as the whole numbers that will be drawn.
 * @param {string} text
 * @returns {{p: number, q: number}}
 */
export function fraction(text) {
  const found = /^(\d+)(?:\/(\d+))?$/.exec(text);
  const p = Number(found?.[1]);
  const q = Number(found?.[2] ?? 1);
  if (!(p <= q && q >= 1)) {
    throw new Error('theta must be a fraction in [0, 1], written as text such as "7/10"');
  }
  return { p, q };
}

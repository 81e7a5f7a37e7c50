// The design: what is asked, how an answer becomes a code, and a code the label that is sent.

const NUMBER = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

/**
 * Find attributes by their names.
 * @param {Design} design
 * @param {string[]} names
 * @returns {Attribute[]}
 */
export function pickAttributes({ attributes }, names) {
  return names.map((name) => {
    const found = attributes.find((attribute) => attribute.name === name);
    if (!found) throw new Error(`the design has no attribute "${name}"`);
    return found;
  });
}

/**
 * Turn the answer to a question into its code: the position among the attribute's values.
 * @param {Attribute} attribute
 * @param {unknown} answer  one of the values, a merged one, or a number where there are bins
 * @returns {number}
 */
export function encode({ name, values, bins, merged = {} }, answer) {
  if (answer === undefined || answer === null || answer === "") {
    throw new Error(`the answer to "${name}" is missing. Please answer it`);
  }
  if (bins && NUMBER.test(String(answer))) {
    return bins.filter((cut) => cut <= Number(answer)).length;
  }
  const word = /** @type {string} */ (answer);
  const finer = Object.hasOwn(merged, word) && !values.includes(word);
  const code = values.indexOf(finer ? merged[word] : word);
  // Never say which answer it was: a message may be logged.
  if (code < 0) throw new Error(`the answer to "${name}" is none of those it can have`);
  return code;
}

/**
 * Turn a code into the label that is sent.
 * @param {Attribute} attribute
 * @param {number} code
 * @param {string[]} [reports]  the labels of a matrix whose reports have names of their own
 * @returns {string}
 */
export function decode({ name, values }, code, reports = values) {
  if (reports[code] === undefined) throw new Error(`the device of "${name}" does not fit it`);
  return reports[code];
}

// Keep: what stays on this device. The form that was drawn, the row that was sent, the privacy spent.
// Never a true answer, never the coin.

/** @param {string} key */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(`frankly ${key}`) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
const write = (key, value) => localStorage.setItem(`frankly ${key}`, JSON.stringify(value));

/**
 * Give what was kept under a name, or make it and keep it: made once, however often it is asked for.
 * @template T
 * @param {string} id  the survey and the invitation
 * @param {string} what
 * @param {() => T} make
 * @returns {T}
 */
export function once(id, what, make) {
  const kept = read(`${id} ${what}`);
  if (kept !== null) return kept;
  const made = make();
  write(`${id} ${what}`, made);
  return made;
}

/** @param {string} id @returns {string | null} */
export const sentBody = (id) => read(`${id} body`);

/** @param {string} id @returns {boolean} */
export const isStored = (id) => read(`${id} stored`) === true;

/** @param {string} id */
export const markStored = (id) => write(`${id} stored`, true);

/**
 * Add a survey to the privacy spent on this site, once, and tell the sum.
 * @param {string} id
 * @param {number} epsilon
 * @returns {number}
 */
export function spend(id, epsilon) {
  const all = { ...read("spent"), [id]: epsilon };
  write("spent", all);
  return Object.values(all).reduce((sum, epsilon) => sum + (epsilon ?? Infinity), 0);
}

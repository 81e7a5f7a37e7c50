// The tape of chance: a stream of 32-bit words, read as whole numbers below some q.

const WORDS = 2 ** 32;

// How many words are asked for at a time; a browser gives at most 16,384.
const CHUNK = 1024;

// A word stands for floor(word / width). The few words at the top that would favour the small
// numbers are thrown away, so below(q) < p has probability exactly p/q; no float is compared.
export class Tape {
  /** @param {() => number} read  gives the next word, a whole number in 0 .. 2**32 - 1 */
  constructor(read) {
    this.read = read;
  }

  /**
   * Read a whole number, uniform in 0 .. q-1.
   * @param {number} q
   * @returns {number}
   */
  below(q) {
    if (!Number.isInteger(q) || q < 1 || q >= WORDS) {
      throw new Error("a draw needs a whole number of chances, at least 1 and below 2**32");
    }
    const width = Math.floor(WORDS / q);
    let word = this.read();
    while (word >= width * q) word = this.read();
    return Math.floor(word / width);
  }

  /**
   * Toss a coin that is true with probability p/q.
   * @param {number} p
   * @param {number} q
   * @returns {boolean}
   */
  toss(p, q) {
    return this.below(q) < p;
  }
}

/** Open a tape that nobody can foretell. */
export function secureTape() {
  const words = new Uint32Array(CHUNK);
  let next = CHUNK;
  return new Tape(() => {
    if (next === CHUNK) {
      crypto.getRandomValues(words);
      next = 0;
    }
    return words[next++];
  });
}

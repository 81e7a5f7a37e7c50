// Words: which language, and the words of a survey in it.

/** The languages this page speaks, each in its own name. */
export const SPOKEN = new Map([["en", "English"], ["de", "Deutsch"], ["ar", "العربية"]]);

/**
 * List the languages that a survey offers and this page speaks.
 * @param {string[]} [offered]
 */
export const languagesOf = (offered = []) => {
  const both = offered.filter((language) => SPOKEN.has(language));
  return both.length ? both : ["en"];
};

/**
 * Choose the first wish that is offered.
 * @param {string[]} offered
 * @param {readonly string[]} wished
 */
export const choose = (offered, wished) =>
  wished.map((wish) => wish.split("-")[0]).find((wish) => offered.includes(wish)) ?? offered[0];

/**
 * Load the words of a language.
 * @param {string} language
 * @returns {Promise<any>}
 */
export const load = async (language) => (await import(`/web/words/${language}.js`)).default;

/**
 * Give a text of the survey in a language, or in the first one it has.
 * @param {string | Record<string, string> | undefined} text
 * @param {string} language
 * @returns {string}
 */
export const inLanguage = (text, language) =>
  typeof text === "string" ? text : text?.[language] ?? Object.values(text ?? {})[0] ?? "";

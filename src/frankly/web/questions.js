// Questions: which pages a form has. One question a page; ticks that belong together share one.

/**
 * List the pages of a form, in the order of the design.
 * @param {any} design
 * @param {number} form
 * @returns {Step[]}
 */
export function stepsOf(design, form) {
  const { groups = [], clear = [] } = design.forms[form];
  const groupOf = (name) =>
    groups.find((group) => group.names.includes(name));
  /** @type {Step[]} */
  const steps = [];
  for (const question of design.attributes) {
    const group = groupOf(question.name);
    if (!group && !clear.includes(question.name)) continue;
    const [set] = question.name.split(".");
    const prompt = design.about?.[set];
    const last = steps.at(-1);
    if (set !== question.name && prompt && question.values.length === 2 && !group?.mechanism.asked) {
      if (last?.prompt === prompt && !last.group === !group) last.questions.push(question);
      else steps.push({ kind: "ticks", questions: [question], group, prompt });
      continue;
    }
    steps.push({ kind: kindOf(question), questions: [question], group });
    if (group?.mechanism.asked) {
      const own = { ...question, prompt: design.about?.[`cover.${question.name}`] ?? question.prompt };
      steps.push({ kind: kindOf(question), questions: [own], group, cover: true });
    }
  }
  return steps;
}

/** @param {Question} question @returns {Step["kind"]} */
function kindOf({ bins, values, labels }) {
  if (bins) return "number";
  const numbers = values.every((value) => /^\d{1,2}$/.test(value));
  return numbers && !labels && values.length > 2 && values.length <= 11 ? "scale" : "one";
}

const WAYS = [["", "[.]"], ["", ","], [",", "[.]"], ["[.]", ","], ["[\\s'’]", "[.,]"]];

/**
 * Read a number as people type it, such as 1,500.50 or 1.500,50: every number that it can mean.
 * @param {string} typed
 * @returns {string[]}  none: no number; two: it can be read both ways, as 1,500 can
 */
export function readings(typed) {
  const text = typed.trim().replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replace("−", "-").replace("٫", ".").replace(/[٬،]/g, ",");
  return [...new Set(WAYS.map(([group, point]) => {
    const whole = group ? `[1-9]\\d{0,2}(?:${group}\\d{3})+` : "\\d*";
    const [, left = "", right] = text.match(`^([+-]?${whole})(?:${point}(\\d+))?$`) ?? [];
    return left.replace(/[^\d+-]/g, "") + (right ? `.${right}` : "");
  }))].filter((number) => /\d/.test(number));
}

/**
 * Name a value as people read it.
 * @param {any} page
 * @param {Question} question
 * @param {string} value
 */
export const labelOf = (page, { labels = {} }, value) =>
  page.text(labels[value]) || (value === "yes" || value === "no" ? page.words[value] : value);

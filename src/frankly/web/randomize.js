// True answers in, one report out: the one place where the truth meets the coin.
import { decode, encode, pickAttributes } from "./design.js";
import { pick } from "./mechanism/cover.js";
import { drawReport } from "./mechanism/index.js";

/**
 * Draw the form that this person gets: before the first question, and only once.
 * @param {Design} design
 * @param {Tape} tape
 * @returns {number}
 */
export function drawForm({ forms }, tape) {
  return forms.length === 1 ? 0 : pick(forms.map(({ weight = 1 }) => weight), tape);
}

/**
 * Turn one person's true answers into the report that is sent.
 *
 * The tape is read in this order: the form, when there are several and none is given; then,
 * group by group, the substitutes, then the toss. All answers are checked before the first toss.
 * @param {Design} design  the survey document
 * @param {Answers} truth  the true answer to every question of the form
 * @param {Tape} tape
 * @param {{form?: number, covers?: Answers}} [given]  a form that was drawn before, and the
 *   person's own answers to innocent questions, used only where the design asks for them
 * @returns {Record<string, string | number | null>}  null where the form does not ask
 */
export function randomize(design, truth, tape, { form = drawForm(design, tape), covers } = {}) {
  if (!design.forms[form]) throw new Error(`the design has no form ${form}`);
  const { groups = [], clear = [] } = design.forms[form];
  const plain = pickAttributes(design, clear);
  const sent = new Map(labels(plain, codes(plain, truth)));
  const hidden = groups.map(({ names, mechanism }) => {
    const attributes = pickAttributes(design, names);
    const own = mechanism.asked && covers ? codes(attributes, covers) : undefined;
    return { mechanism, attributes, truth: codes(attributes, truth), own };
  });
  for (const { mechanism, ...group } of hidden) {
    const report = drawReport(mechanism, group, tape);
    const told = labels(group.attributes, report, mechanism.reports);
    told.forEach(([name, label]) => sent.set(name, label));
  }
  const columns = design.attributes.map(({ name }) => [name, sent.get(name) ?? null]);
  return Object.fromEntries(design.forms.length > 1 ? [["form", form], ...columns] : columns);
}

/**
 * Turn answers into codes.
 * @param {Attribute[]} attributes
 * @param {Answers} answers
 * @returns {number[]}
 */
function codes(attributes, answers) {
  return attributes.map((attribute) => encode(attribute, answers[attribute.name]));
}

/**
 * Name what is sent of each question.
 * @param {Attribute[]} attributes
 * @param {number[]} report
 * @param {string[]} [reports]
 * @returns {[string, string][]}
 */
function labels(attributes, report, reports) {
  return attributes.map((attribute, i) => [attribute.name, decode(attribute, report[i], reports)]);
}

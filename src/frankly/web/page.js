// The page: loads the survey, keeps the steps, and shows one at a time.
import { sentBody, isStored, once } from "./keep.js";
import { drawForm } from "./randomize.js";
import { secureTape } from "./tape.js";
import { button, h } from "./view.js";
import { SPOKEN, choose, inLanguage, languagesOf, load } from "./words.js";
import { stepsOf } from "./questions.js";
import { welcome } from "./steps/welcome.js";
import { practice } from "./steps/practice.js";
import { question } from "./steps/question.js";
import { ownPage } from "./steps/own.js";
import { check } from "./steps/check.js";
import { deliver, message } from "./steps/thanks.js";

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const top_ = /** @type {HTMLElement} */ (document.getElementById("top"));
const late = /** @type {HTMLElement} */ (document.getElementById("late"));

// An invitation as it is made: 22 letters in a link, or 16 that can be typed.
const WHOLE = /^([\w-]{22}|[0-9A-Z]{16})$/;

/** Load the survey and begin where this person is. */
async function begin() {
  const answer = await fetch("design.json", { credentials: "omit", cache: "no-store" });
  if (!answer.ok) throw new Error("no survey");
  const survey = await answer.json();
  const invitation = survey.mode === "invited" ? location.hash.slice(1) : null;
  const languages = languagesOf(survey.design.languages);
  const language = choose(languages, navigator.languages);
  const page = {
    ...survey, invitation, languages, language, words: await load(language),
    id: `${survey.fingerprint} ${invitation ?? ""}`,
    answers: Object.create(null), covers: Object.create(null),
    text: (text) => inLanguage(text, page.language),
    show, go, at: 0,
  };
  // Another link in the same tab is another person: nothing of this one stays on the page.
  addEventListener("hashchange", () => location.reload());
  addEventListener("popstate", (event) => page.steps && go(page, event.state?.at ?? 0, true));
  header(page);
  arrive(page);
}

/** Go where this person belongs: on, to what was sent before, or away. @param {any} page */
function arrive(page) {
  if (sentBody(page.id) !== null) return deliver(page);
  if (page.state !== "open" && !isStored(page.id)) return message(page, "closed");
  if (page.mode === "invited" && !WHOLE.test(page.invitation)) return message(page, "invite");
  page.form = once(page.id, "form", () => drawForm(page.design, secureTape()));
  page.steps = stepsOf(page.design, page.form);
  history.replaceState({ at: 0 }, "");
  go(page, 0, true);
}

/**
 * Show a step: welcome, practice, the questions, check.
 * @param {any} page
 * @param {number} at
 * @param {boolean} [back]  whether the browser went there itself
 */
function go(page, at, back = false) {
  if (sentBody(page.id) !== null) return deliver(page);
  if (!back) history.pushState({ at }, "");
  page.at = at;
  const own = page.design.own_device;
  const steps = own
    ? [welcome, ...ownPages(page), check]
    : [welcome, practice, ...page.steps.map((_, i) => (p) => question(p, i)), check];
  steps[Math.min(at, steps.length - 1)](page);
}

/** One page a group where people throw a die themselves. @param {any} page */
const ownPages = (page) => {
  const { groups = [], clear = [] } = page.design.forms[page.form];
  return [...groups, ...(clear.length ? [{ names: clear }] : [])].map((group) => (p) => ownPage(p, group));
};

/**
 * Put a step on the page, and lead readers to its first words.
 * @param {any} page
 * @param {...any} parts
 */
function show(page, ...parts) {
  main.replaceChildren(...parts.flat().filter(Boolean));
  const title = main.querySelector("h1");
  document.title = [title?.textContent, page.text(page.design.title)].filter(Boolean).join(" – ");
  title?.setAttribute("tabindex", "-1");
  (main.querySelector(".error a") ?? title)?.focus();
  scrollTo(0, 0);
}

/** What can be filled in just now. */
const inputs = () => [...main.querySelectorAll("input")];

/** Name the survey, and offer its languages. @param {any} page */
function header(page) {
  document.documentElement.lang = page.language;
  document.documentElement.dir = page.words.dir;
  const pick = (language) => async () => {
    Object.assign(page, { language, words: await load(language) });
    const given = inputs().map(({ checked, value }) => ({ checked, value }));
    header(page);
    sentBody(page.id) === null && page.steps ? go(page, page.at, true) : arrive(page);
    inputs().forEach((input, i) => Object.assign(input, given[i]));
  };
  const offer = page.languages.map((language) => {
    const choice = button(/** @type {string} */ (SPOKEN.get(language)), pick(language), "link");
    choice.lang = language;
    if (language === page.language) choice.setAttribute("aria-current", "true");
    return choice;
  });
  top_.replaceChildren(
    h("span", {}, page.text(page.design.title)),
    ...(offer.length > 1 ? [h("nav", { "aria-label": page.words.language }, offer)] : []),
  );
}

begin().catch(() => {
  late.removeAttribute("id");
  main.replaceChildren(late);
});

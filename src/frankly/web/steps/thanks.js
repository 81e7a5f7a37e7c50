// Thanks: this is exactly what was sent; or it waits on this device until it can be.
import { spend, sentBody } from "../keep.js";
import { spent } from "../odds.js";
import { labelOf } from "../questions.js";
import { send } from "../send.js";
import { button, fold, h, tag } from "../view.js";
import { cost } from "./welcome.js";

const WAIT = [2000, 5000, 15000, 60000];

/** Send what was kept, and show what came of it. @param {any} page @param {number} [tries] */
export async function deliver(page, tries = 0) {
  const { words } = page;
  if (!tries) page.show(page, h("h1", {}, words.sending));
  const outcome = await send(page.id);
  if (outcome === "stored") return thanks(page);
  if (outcome !== "later") return message(page, outcome);
  clearTimeout(page.timer);
  page.timer = setTimeout(() => deliver(page, tries + 1), WAIT[Math.min(tries, WAIT.length - 1)]);
  if (!tries) {
    page.show(page, h("h1", {}, words.later), h("p", {}, words.laterText),
      h("div", { class: "row" }, button(words.retry, () => { clearTimeout(page.timer); deliver(page); }, "go")));
  }
}

/** A page with nothing to do. @param {any} page @param {"closed" | "used" | "refused" | "invite"} why */
export function message(page, why) {
  const { words, design, text } = page;
  const contact = text(design.about?.contact);
  page.show(page, h("h1", {}, words[why]), h("p", {}, words[`${why}Text`]), contact && h("p", {}, `${words.contact}: ${contact}`));
}

/** @param {any} page */
function thanks(page) {
  const { words, design } = page;
  const body = /** @type {string} */ (sentBody(page.id));
  const { receipt, report } = JSON.parse(body);
  const form = report.form ?? 0;
  const { groups = [], clear = [] } = design.forms[form];
  const rows = design.attributes.filter((a) => report[a.name] !== null)
    .map((a) => h("tr", {}, h("th", { scope: "row" }, page.text(a.prompt) || a.name, clear.includes(a.name) && tag(words, false)), h("td", {}, h("bdi", {}, labelOf(page, a, report[a.name])))));
  const e = spend(page.id, spent(design, form));
  page.show(page,
    h("h1", {}, words.sent),
    h("p", {}, words.left, groups.length > 0 && ` ${design.own_device ? words.own.only : words.sentText}`),
    h("table", {}, h("tbody", {}, rows)),
    fold(words.json, h("pre", { id: "body" }, body)),
    h("h2", {}, words.receipt), h("p", {}, h("code", {}, receipt), h("br"), h("span", { class: "quiet" }, words.receiptText)),
    h("h2", {}, words.then), h("p", {}, page.text(design.about?.next) || words.next1),
    h("h2", {}, words.verify), h("p", {}, words.verifyText(page.fingerprint.slice(0, 16))),
    cost({ ...page, form }),
    h("p", { class: "quiet" }, words.spent(Number.isFinite(e) ? e.toFixed(2) : "∞")),
  );
}

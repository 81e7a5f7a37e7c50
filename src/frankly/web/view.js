// View: small builders. Everything from a survey enters the page as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element.
 * @param {string} tag
 * @param {Record<string, any>} [props]  attributes, and listeners such as onclick
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export const h = (tag, props = {}, ...children) =>
  fill(document.createElement(tag), props, children);

/** Make an element of a drawing. @type {typeof h} */
export const s = (tag, props = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), props, children);

/**
 * @param {Element} element
 * @param {Record<string, any>} props
 * @param {any[]} children
 */
function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** The shield: this is protected. The open lock: this is sent as it is. @param {any} words @param {any} shielded */
export const tag = (words, shielded) =>
  h("p", { class: shielded ? "tag" : "tag open" },
    s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" },
      shielded
        ? s("path", { d: "M10 1 3 4v5c0 5 3 8 7 10 4-2 7-5 7-10V4z", fill: "currentColor" })
        : s("path", { d: "M5 9h11v9H5zM7.500 9V6a3 3 0 0 1 6 0", fill: "none", stroke: "currentColor", "stroke-width": 1.6 })),
    shielded ? words.protected : words.open);

/** What is wrong, above everything else, and the way to each field. @param {any} words @param {[string, any][]} wrong */
export const problem = (words, wrong) =>
  h("div", { class: "error", role: "alert" }, h("strong", {}, words.error),
    wrong.map(([text, field]) => h("a", { href: "#", onclick: (e) => { e.preventDefault(); field.focus(); } }, text)));

/**
 * A button.
 * @param {string} label
 * @param {() => void} onclick
 * @param {string} [look]  go: the next step; link: a quiet one
 */
export const button = (label, onclick, look = "") =>
  h("button", { type: "button", class: look || null, onclick }, label);

/** Something to unfold. @param {string} summary @param {...any} body */
export const fold = (summary, ...body) => h("details", {}, h("summary", {}, summary), ...body);

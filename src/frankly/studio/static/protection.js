// Protection: the figures follow the slider; what the server says is shown, word for word.
// @ts-check

const form = /** @type {HTMLFormElement | null} */ (document.getElementById("protection"));
const WAIT = 25, REST = 250;

if (form) {
  const steps = (form.dataset.steps ?? "").split(" ").map(Number);
  const field = (name) => /** @type {any} */ (form.elements.namedItem(name));
  const csrf = document.querySelector("meta[name=csrf]")?.getAttribute("content") ?? "";
  let asked = 0, answered = 0;
  /** @type {any} */ let soon, later;

  /** What is set now, as the API wants it. */
  const setting = () => ({
    people: Number(field("people").value), mine: field("mine").value,
    target: field("target").value || null, layout: field("layout").value,
    epsilon: Number(field("epsilon").value), own_device: field("own_device").value || null,
    panel: field("panel").value || null, budget: Number(field("budget").value) || null,
  });

  const FIX = { people: "Give the number of people, from 2.", budget: "Give the budget as a number above 0." };

  /** What must be typed first, if anything. */
  const missing = () => Object.entries(FIX).filter(([name]) => !field(name).checkValidity()).map(([, said]) => said);

  /** Ask for the figures; an answer that comes after a newer one is dropped. */
  async function ask() {
    const turn = ++asked, wrong = missing();
    if (wrong.length) return caution(wrong);
    const answer = await fetch(/** @type {string} */ (form?.dataset.api), {
      method: "POST", body: JSON.stringify(setting()),
      headers: { "Content-Type": "application/json", "X-CSRF": csrf },
    });
    const told = await answer.json();
    if (turn < answered) return;
    answered = turn;
    if (answer.ok) show(told);
    else caution([told.error.message[0].toUpperCase() + told.error.message.slice(1)]);
  }

  /** Put the server's words on the page. @param {any} told */
  function show(told) {
    for (const place of document.querySelectorAll("[data-figure]")) {
      place.textContent = told.shown[/** @type {HTMLElement} */ (place).dataset.figure ?? ""];
    }
    field("place").setAttribute("aria-valuetext", told.shown.odds);
    document.getElementById("own")?.setAttribute("width", told.shown.own || "0");
    caution(told.warnings);
  }

  /** @param {string[]} sentences */
  function caution(sentences) {
    document.getElementById("cautions")?.replaceChildren(...sentences.map((sentence) => {
      const line = document.createElement("p");
      line.className = "warn";
      line.textContent = sentence;
      return line;
    }));
  }

  /** Draw the picture anew, and let the table follow. */
  function draw() {
    if (missing().length) return;
    const pairs = Object.entries(setting()).filter(([, value]) => value !== null);
    const query = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]));
    document.getElementById("front")?.setAttribute("src", `${form?.dataset.picture}?${query}`);
    const table = document.getElementById("table");
    table?.setAttribute("href", `${table.getAttribute("href")?.split("?")[0]}?${query}`);
  }

  function changed() {
    clearTimeout(soon);
    clearTimeout(later);
    soon = setTimeout(ask, WAIT);
    later = setTimeout(draw, REST);
  }

  field("place").addEventListener("input", () => {
    field("epsilon").value = steps[Number(field("place").value)];
    field("was").value = field("place").value;
    const [written, simple] = form.querySelectorAll("input[name=layout]");
    // A survey file's own devices have no slider: moving it chooses simple tosses.
    const plain = /** @type {HTMLInputElement | null} */ (form.querySelector("input[value='own tosses']")) ?? simple;
    if (/** @type {HTMLInputElement} */ (written)?.value === "as written" && field("layout").value === "as written") {
      /** @type {HTMLInputElement} */ (plain).checked = true;
    }
    changed();
  });
  for (const name of ["people", "budget"]) field(name).addEventListener("input", changed);
  for (const radio of form.querySelectorAll("input[name=layout]")) radio.addEventListener("input", changed);
  // Another aim lets other layouts fit: the page is rendered anew.
  for (const name of ["mine", "target"]) {
    field(name).addEventListener("change", () => form.requestSubmit(document.getElementById("look")));
  }
  field("own_device").addEventListener("change", () => form.requestSubmit(document.getElementById("look")));
  field("value").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    form.requestSubmit(document.getElementById("propose"));
  });
  form.addEventListener("submit", (event) => {
    const pressed = /** @type {any} */ (event).submitter;
    const busy = document.getElementById("busy");
    if (pressed?.value === "propose" && busy) busy.textContent = "Looking at every way to ask. This takes a few seconds.";
  });
  const look = document.getElementById("look");
  if (look) look.hidden = true;
}

// Watch: ask how far slow work is, and load the page again when it is over.
// @ts-check

const place = /** @type {HTMLElement} */ (document.querySelector("[data-watch]"));
const bar = /** @type {HTMLProgressElement} */ (place.querySelector("progress"));
const words = /** @type {HTMLElement} */ (place.querySelector("[role=status]"));

const look = async () => {
  const answer = await fetch(String(place.dataset.watch), { credentials: "same-origin" });
  const now = answer.ok ? await answer.json() : { state: "gone" };
  if (now.state !== "waiting" && now.state !== "running") {
    location.reload();
    return;
  }
  bar.max = now.total;
  bar.value = now.done;
  words.textContent = `${now.done} of ${now.total} steps`;
  setTimeout(look, 700);
};

setTimeout(look, 300);

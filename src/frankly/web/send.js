// Send: draw and send are one act. The row is kept before the request leaves; every retry, reload
// and second click sends those same bytes again.
import { isStored, markStored, once, sentBody } from "./keep.js";

/** @returns {string} 128 random bits that recognise a retry */
function receipt() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Make the body of the request, once.
 * @param {string} id
 * @param {{fingerprint: string, invitation: string | null}} survey
 * @param {() => Record<string, unknown>} draw  draws the report; called at most once
 */
export const bodyOf = (id, { fingerprint, invitation }, draw) =>
  once(id, "body", () =>
    JSON.stringify({ design: fingerprint, invitation, receipt: receipt(), report: draw() }));

/**
 * Send what was kept.
 * @param {string} id
 * @returns {Promise<"stored" | "used" | "closed" | "refused" | "later">}
 */
export async function send(id) {
  if (isStored(id)) return "stored";
  const outcome = await post(/** @type {string} */ (sentBody(id)));
  if (outcome === "stored") markStored(id);
  return outcome;
}

/** @param {string} body @returns {ReturnType<typeof send>} */
async function post(body) {
  try {
    const answer = await fetch("reports", {
      method: "POST", body, headers: { "Content-Type": "application/json" },
      credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer", signal: AbortSignal.timeout?.(3e4),
    });
    if (answer.ok) return "stored";
    if (answer.status === 409) return "used";
    if (answer.status === 410) return "closed";
    return answer.status >= 500 || answer.status === 408 ? "later" : "refused";
  } catch {
    return "later";
  }
}

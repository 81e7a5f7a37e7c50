// Prints how often the truth was told, and which substitutes were drawn, from secure tapes:
// node coin.js <folder of the browser's half> '{"draws": n, "thetas": [...], "designs": {...}}'.
import { pathToFileURL } from "node:url";

const [web, task] = process.argv.slice(2);
const { draws, thetas, designs } = JSON.parse(task);
const from = (file) => import(pathToFileURL(`${web}/${file}`).href);
const { secureTape } = await from("tape.js");
const { MECHANISMS } = await from("mechanism/index.js");
const { randomize } = await from("randomize.js");

/** Count how often a flip leaves the first value as it is. */
function told(theta) {
  const { draw } = MECHANISMS.get("flip");
  const [device, group, tape] = [{ theta }, { truth: [0] }, secureTape()];
  let straight = 0;
  for (let i = 0; i < draws; i++) straight += 1 - draw(device, group, tape)[0];
  return straight;
}

/** Count whole reports of people who all have the same truth. */
function reports({ design, truth }) {
  const tape = secureTape();
  const counts = {};
  for (let i = 0; i < draws; i++) {
    const report = JSON.stringify(Object.values(randomize(design, truth, tape)));
    counts[report] = (counts[report] ?? 0) + 1;
  }
  return counts;
}

const each = (things, count) =>
  Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, count(thing)]));
console.log(JSON.stringify({ told: thetas.map(told), reports: each(designs, reports) }));

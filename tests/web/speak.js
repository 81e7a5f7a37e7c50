// Prints the reports of a file of records: node speak.js <folder of the browser's half> <file>.
// A line is {design, cases: [{truth, words}]}; for each comes a line of [{report, used}].
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { recordedTape } from "./recorded.js";

const [web, file] = process.argv.slice(2);
const { Tape } = await import(pathToFileURL(`${web}/tape.js`).href);
const { randomize } = await import(pathToFileURL(`${web}/randomize.js`).href);

/** Whatever goes wrong is an answer too: it is compared, and differs. */
function speak(design, { truth, words }) {
  const tape = recordedTape(words, Tape);
  const { read } = tape;
  let used = 0;
  tape.read = () => {
    used += 1;
    return read();
  };
  try {
    return { report: randomize(design, truth, tape), used };
  } catch (error) {
    return { error: error.message };
  }
}

for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
  const { design, cases } = JSON.parse(line);
  console.log(JSON.stringify(cases.map((one) => speak(design, one))));
}

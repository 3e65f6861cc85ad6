// Writes valid.json and classes.json from the cases: `node make.mjs`; with --check compares it instead.
// Either way reads every message back and writes it again, and compares the worked examples of format.md.
import { readFileSync } from "node:fs";
import { evaluate } from "./evaluate.mjs";
import { encode } from "./write.mjs";
import { decode } from "./read.mjs";
import { hexOf, publish, report } from "./publish.mjs";
import { scalars } from "./cases-scalars.mjs";
import { containers } from "./cases-containers.mjs";
import { objects } from "./cases-objects.mjs";
import { builtIns } from "./cases-builtins.mjs";
import { classes } from "./cases-classes.mjs";
import { graphs } from "./cases-graphs.mjs";
import { typed } from "./cases-typed.mjs";

const vectors = [];
for (const [name, js] of [scalars, containers, objects, builtIns, classes, graphs].flat()) {
  try {
    const bytes = encode(evaluate(js));
    vectors.push({ name, js, hex: hexOf(bytes) });
    const again = hexOf(encode(decode(bytes)));
    if (again !== hexOf(bytes)) report(`${name}: ${hexOf(bytes).slice(0, 400)} is read and written again as ${again.slice(0, 400)}`);
  } catch (error) {
    report(`${name}: ${error.stack}`);
  }
}

// Section 13: an expression in backquotes, then a block whose lines begin with bytes.
const [, section] = readFileSync(new URL("../format.md", import.meta.url), "utf8").split("## 13 A worked example");
const examples = [...section.matchAll(/^`(.+)`[^]*?```\n([^]*?)```/gm)];
if (examples.length < 3) report("format.md: no worked examples found");
for (const [, js, block] of examples) {
  const written = block.split("\n").map((line) => line.match(/^(?:[0-9A-F]{2} ?)*/)[0]).join("").replaceAll(" ", "").toLowerCase();
  const vector = vectors.find((candidate) => candidate.js === js);
  if (vector?.hex !== written) report(`format.md: the example ${js} is ${vector?.hex}, not ${written}`);
}

publish("valid.json", vectors);

publish("classes.json", typed.map(([name, read, js, as = js]) => {
  const vector = { name, read, js, hex: hexOf(encode(evaluate(js))) };
  return as.error ? { ...vector, error: as.error } : { ...vector, as, again: hexOf(encode(evaluate(as))) };
}));

// Writes invalid.json and noncanonical.json: `node forge.mjs`; with --check compares them instead. What is expected of a message was written down
// by hand from format.md, as a `^` in its bytes; either way the reader must come to the same.
import { encode } from "./write.mjs";
import { decode } from "./read.mjs";
import { evaluate } from "./evaluate.mjs";
import { Fault } from "./cursor.mjs";
import { hexOf, publish, report } from "./publish.mjs";
import { envelope } from "./forge-envelope.mjs";
import { values } from "./forge-values.mjs";
import { containers } from "./forge-containers.mjs";
import { shapeFaults } from "./forge-shapes.mjs";
import { buffers } from "./forge-buffers.mjs";
import { recordFaults, records } from "./forge-records.mjs";
import { noncanonical } from "./forge-noncanonical.mjs";
import { indexFaults, indexed, parts } from "./forge-index.mjs";

function outcome(bytes) {
  try {
    return `read as ${hexOf(encode(decode(Uint8Array.from(bytes))))}`;
  } catch (fault) {
    return fault instanceof Fault ? fault.message : fault.stack;
  }
}

const invalid = [envelope, values, containers, shapeFaults, buffers, recordFaults, indexFaults].flat().map(([name, error, { bytes, mark }]) => {
  const expected = `${error} at ${mark}`;
  const actual = outcome(bytes);
  if (actual !== expected) report(`${name}: ${hexOf(bytes)} should be ${expected}, is ${actual}`);
  return { name, hex: hexOf(bytes), error, offset: mark };
});

const rewritten = [...noncanonical, ...records, ...indexed].map(([name, js, { bytes }]) => {
  const canonical = hexOf(encode(evaluate(js)));
  const actual = outcome(bytes);
  if (actual !== `read as ${canonical}`) report(`${name}: ${hexOf(bytes)} should be written as ${canonical}, is ${actual}`);
  if (hexOf(bytes) === canonical) report(`${name}: ${canonical} is canonical`);
  return { name, hex: hexOf(bytes), canonical };
});

const read = parts.map(({ name, entry, path, js, error, message: { bytes, mark } }) => {
  const want = error === undefined ? { canonical: hexOf(encode(evaluate(js))) } : { error, offset: mark };
  return { name, hex: hexOf(bytes), ...(entry === undefined ? {} : { entry }), ...(path === undefined ? {} : { path }), ...want };
});

publish("invalid.json", invalid);
publish("parts.json", read);
publish("noncanonical.json", rewritten);

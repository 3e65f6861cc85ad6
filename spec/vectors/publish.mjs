// Writes a file of vectors, one a line, or with --check compares it.
import { readFileSync, writeFileSync } from "node:fs";

export const hexOf = (bytes) => Buffer.from(bytes).toString("hex");

export function report(fault) {
  console.error(fault);
  process.exitCode = 1;
}

export function publish(name, vectors) {
  const names = new Set();
  for (const vector of vectors) {
    if (names.has(vector.name)) report(`${name}: two vectors are named "${vector.name}"`);
    names.add(vector.name);
  }
  const file = new URL(name, import.meta.url);
  const lines = vectors.map((vector) => JSON.stringify(vector));
  const text = `[\n${lines.join(",\n")}\n]\n`;
  if (!process.argv.includes("--check")) return writeFileSync(file, text);
  const stored = readFileSync(file, "utf8");
  if (stored === text) return;
  const known = new Set(stored.split(/,?\n/));
  const differing = vectors.filter((_, index) => !known.has(lines[index])).map((vector) => vector.name);
  report(`${name} differs: ${differing.length ? differing.join(", ") : "vectors were removed or moved"}`);
}

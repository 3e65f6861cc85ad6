// Reads the shapes section (section 6).
import { Distinct, fail } from "./cursor.mjs";
import { firstMalformed } from "./text.mjs";
import { isArrayIndex } from "./write.mjs";

const wellKnown = new Set((
  "asyncDispose asyncIterator dispose hasInstance isConcatSpreadable iterator match matchAll " +
  "replace search species split toPrimitive toStringTag unscopables"
).split(" "));
const kinds = ["plain", "null", "class", "derived", "error", "custom"];

export function readShapes(cursor) {
  const first = cursor.at;
  const { items: symbols, distinct: distinctSymbols } = table(cursor, "duplicate-symbol", (at, distinct) => readSymbol(cursor, at, distinct));
  distinctSymbols.finish();
  const { items: shapes, distinct: distinctShapes } = table(cursor, "duplicate-shape", (at, distinct) => readShape(cursor, at, distinct, symbols));
  if (symbols.length + shapes.length === 0) fail("empty-section", first);
  distinctShapes.finish();
  if (cursor.at < cursor.end) fail("unused-bytes", cursor.at);
  return { symbols, shapes };
}

function table(cursor, kind, read) {
  const at = cursor.at;
  const count = cursor.varint();
  if (count > cursor.left) fail("length-out-of-bounds", at);
  const distinct = new Distinct(kind);
  const items = Array.from({ length: count }, () => read(cursor.at, distinct));
  return { items, distinct };
}

function readSymbol(cursor, at, distinct) {
  const kind = cursor.u8();
  if (kind > 3) fail("bad-kind", at);
  if (kind === 0) return Symbol();
  const string = readString(cursor, at);
  if (kind === 1) return Symbol(string);
  if (kind === 3 && !wellKnown.has(string)) fail("unknown-symbol", at);
  distinct.add(kind + string, at);
  return kind === 2 ? Symbol.for(string) : Symbol[string];
}

function readString(cursor, at) {
  return stringOf(cursor, cursor.exactVarint(), at);
}

function stringOf(cursor, head, at) {
  const form = Number(head & 3n);
  const length = Number(head >> 2n);
  if (form > 1) fail("bad-kind", at);
  if (form === 1) {
    const bytes = cursor.inline(length * 2);
    return Array.from({ length }, (_, unit) => String.fromCharCode(bytes[2 * unit] | (bytes[2 * unit + 1] << 8))).join("");
  }
  const bytes = cursor.inline(length);
  const malformed = firstMalformed(cursor.bytes, cursor.at - length, cursor.at);
  if (malformed !== undefined) fail("invalid-utf8", malformed);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function readShape(cursor, at, distinct, symbols) {
  const code = cursor.u8();
  if (code >= kinds.length) fail("bad-kind", at);
  const shape = { kind: kinds[code] };
  if (shape.kind === "error") {
    shape.constructor = cursor.u8();
    if (shape.constructor > 8) fail("bad-kind", at);
  } else if (code >= 2) {
    shape.name = readString(cursor, at);
    if (shape.name === "") fail("bad-class", at);
    shape.version = cursor.varint();
    if (shape.version > 2 ** 32 - 1) fail("bad-class", at);
  }
  if (shape.kind !== "custom") shape.keys = readKeys(cursor, at, symbols);
  else shape.keys = [];
  const parts = { ...shape, keys: shape.keys.map((key) => (typeof key === "symbol" ? symbols.indexOf(key) : key)) };
  distinct.add(JSON.stringify(parts), at);
  return shape;
}

function readKeys(cursor, shapeAt, symbols) {
  const count = cursor.varint();
  if (count > cursor.left) fail("length-out-of-bounds", shapeAt);
  const keys = [];
  const distinct = new Distinct("duplicate-key");
  let last = [0, -1];
  for (let index = 0; index < count; index++) {
    const at = cursor.at;
    const head = cursor.exactVarint();
    let key;
    if ((head & 3n) === 2n) key = head >> 2n < symbols.length ? symbols[Number(head >> 2n)] : fail("unknown-symbol", at);
    else key = stringOf(cursor, head, at);
    const place = [isArrayIndex(key) ? 0 : typeof key === "string" ? 1 : 2, isArrayIndex(key) ? Number(key) : -1];
    if (place[0] < last[0] || (place[0] === last[0] && place[1] < last[1])) fail("key-order", at);
    distinct.add(key, at);
    keys.push(key);
    last = place;
  }
  distinct.finish();
  return keys;
}

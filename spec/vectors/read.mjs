// A straightforward reader made from format.md alone. It makes real JavaScript values, and recurses: that is enough for vectors, not for hostile input.
// The order of its checks is section 11's: items in the order in which they are read; of one item first reading, then meaning.
import {
  bareError, custom, define, derived, elementSizes, errorConstructors, instance, tagged, trackedView, viewConstructors,
} from "./evaluate.mjs";
import { isArrayIndex } from "./write.mjs";
import { readShapes } from "./read-shapes.mjs";
import { Distinct, Cursor, fail } from "./cursor.mjs";
import { firstMalformed } from "./text.mjs";

const flagBits = { SHAPES: 1, TEXT: 2, DATA: 4, INDEX: 8, REFS: 16 };
const packedKinds = new Set([0, 1, 3, 4, 5, 6, 8, 9]);
const getters = ["Int8", "Uint8", undefined, "Int16", "Uint16", "Int32", "Uint32", undefined, "Float32", "Float64", "BigInt64", "BigUint64"];

export function decode(input) {
  const { flags, lengths, header } = readHeader(input);
  const textEnd = header + lengths.shapes + lengths.structure + lengths.text;
  const dataStart = flags & flagBits.DATA ? Math.ceil(textEnd / 8) * 8 : textEnd;
  const dataEnd = dataStart + lengths.data;
  const indexStart = flags & flagBits.INDEX ? Math.ceil(dataEnd / 8) * 8 : dataEnd;
  const end = indexStart + lengths.index;
  if (end > input.length) fail("truncated", input.length);
  for (let at = textEnd; at < dataStart; at++) if (input[at] !== 0) fail("bad-padding", at);
  for (let at = dataEnd; at < indexStart; at++) if (input[at] !== 0) fail("bad-padding", at);
  if (end < input.length) fail("trailing-bytes", end);

  const shapeBytes = new Cursor(input, header, header + lengths.shapes);
  const structure = new Cursor(input, shapeBytes.end, shapeBytes.end + lengths.structure);
  const text = new Cursor(input, structure.end, textEnd);
  const data = new Cursor(input, dataStart, dataEnd);
  const tables = flags & flagBits.SHAPES ? readShapes(shapeBytes) : { symbols: [], shapes: [] };
  const malformed = firstMalformed(input, text.at, text.end);
  if (malformed !== undefined) fail("invalid-utf8", malformed);
  const reader = new StructureReader({ structure, text, data, ...tables, references: (flags & flagBits.REFS) !== 0 });
  const root = reader.value();
  for (const used of [structure, text, data]) if (used.at < used.end) fail("unused-bytes", used.at);
  return root;
}

function readHeader(input) {
  const magic = [0xd7, 0x4d];
  if (magic.some((byte, at) => at < input.length && input[at] !== byte)) fail("bad-magic", 0);
  if (input.length < 2) fail("truncated", 0);
  const cursor = new Cursor(input, 2, input.length);
  if (cursor.u8() !== 1) fail("unsupported-version", 2);
  const flags = cursor.u8();
  if (flags & 0b11100000) fail("unsupported-flags", 3);
  const lengths = { structure: 0, shapes: 0, text: 0, data: 0, index: 0 };
  for (const name of Object.keys(lengths)) {
    if (name !== "structure" && !(flags & flagBits[name.toUpperCase()])) continue;
    const at = cursor.at;
    lengths[name] = cursor.varint();
    if (lengths[name] === 0) fail("empty-section", at);
  }
  return { flags, lengths, header: cursor.at };
}

class KeyOrder extends Distinct {
  rank = 0;
  index = -1;

  constructor() {
    super("duplicate-key");
  }

  check(key, at) {
    const rank = isArrayIndex(key) ? 0 : typeof key === "string" ? 1 : 2;
    if (rank < this.rank || (rank === 0 && Number(key) < this.index)) fail("key-order", at);
    this.add(key, at);
    this.rank = rank;
    if (rank === 0) this.index = Number(key);
  }
}

class StructureReader {
  owed = 1;
  identities = []; // { object, isBase }
  interned = [];

  constructor(parts) {
    Object.assign(this, parts);
  }

  // Takes the identity of a value whose tag was read; what `isBase` is of may not be referred to.
  take(object, isBase = false) {
    const entry = { object, isBase };
    this.identities.push(entry);
    return entry;
  }

  owe(count, at) {
    this.owed += count;
    if (count > 0 && this.owed > this.structure.end - this.structure.at) fail("length-out-of-bounds", at);
  }

  // `place` says what may stand here: "any", "key", "source", "primitive", "buffer" or "base". `instanceEntry` is the identity whose base is read.
  value(place = "any", instanceEntry) {
    const at = this.structure.at;
    const tag = this.structure.u8();
    this.owed--;
    if (tag > 0xe3) fail("bad-tag", at);
    if (tag === 0xe0 && !this.references) fail("bad-reference", at);
    if (!fits(tag, place)) fail("wrong-type", at);
    const open = (object) => {
      const entry = this.take(object, place === "base");
      if (instanceEntry) instanceEntry.object = object;
      return entry;
    };
    if (tag < 0x40) return tag;
    if (tag < 0x80) return this.string(tag - 0x40, at);
    if (tag < 0xa0) return this.array(tag - 0x80, at, open);
    if (tag < 0xc0) return this.object(tag - 0xa0, at, place, open);
    const { structure } = this;
    switch (tag) {
      case 0xc0: return null;
      case 0xc1: return undefined;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: return structure.fixed("Uint8", 1);
      case 0xc5: return structure.fixed("Uint16", 2);
      case 0xc6: return structure.fixed("Uint32", 4);
      case 0xc7: return structure.fixed("Int8", 1);
      case 0xc8: return structure.fixed("Int16", 2);
      case 0xc9: return structure.fixed("Int32", 4);
      case 0xca: return structure.fixed("Float32", 4);
      case 0xcb: return structure.fixed("Float64", 8);
      case 0xcc: case 0xcd: return this.bigint(tag === 0xcd, at);
      case 0xce: return this.string(structure.varint(), at);
      case 0xcf: return this.utf16(at);
      case 0xd0: return this.array(structure.varint(), at, open);
      case 0xd1: return this.sparse(at, place, open);
      case 0xd2: return this.packed(at, open);
      case 0xd3: return this.object(structure.varint(), at, place, open);
      case 0xd4: case 0xd5: return this.dictionary(tag === 0xd5 ? null : Object.prototype, at, open);
      case 0xd6: return this.map(at, open);
      case 0xd7: return this.set(at, open);
      case 0xd8: return this.date(at, open);
      case 0xd9: return this.regexp(at, open);
      case 0xda: return this.symbol(at);
      case 0xdb: {
        const entry = open();
        this.owe(1, at);
        return (entry.object = Object(this.value("primitive")));
      }
      case 0xdc: case 0xdd: return this.buffer(tag === 0xdd, at, open);
      case 0xde: return this.typedArray(at, open);
      case 0xdf: return this.view(at, open);
      case 0xe0: return this.reference(at, place);
      case 0xe1: return this.intern(at);
      case 0xe3: return this.records(at, open);
      default: {
        const id = structure.varint();
        return id < this.interned.length ? this.interned[id] : fail("unknown-string", at);
      }
    }
  }

  bigint(negative, at) {
    const bytes = this.structure.inline(this.structure.varint());
    if (bytes.at(-1) === 0 || (negative && bytes.length === 0)) fail("bad-bigint", at);
    const magnitude = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return negative ? -magnitude : magnitude;
  }

  string(length, at) {
    const { text } = this;
    if (length > text.end - text.at) fail("length-out-of-bounds", at);
    const start = text.at;
    text.at += length;
    if (text.at < text.end && (text.bytes[text.at] & 0xc0) === 0x80) fail("split-character", at);
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text.bytes.subarray(start, text.at));
  }

  utf16(at) {
    const bytes = this.payload(this.structure.varint(), 2, 2, at);
    let string = "";
    for (let unit = 0; unit < bytes.length; unit += 2) string += String.fromCharCode(bytes[unit] | (bytes[unit + 1] << 8));
    return string;
  }

  payload(count, size, alignment, at) {
    const { data } = this;
    if (count === 0) return new Uint8Array(0);
    const start = data.start + Math.ceil((data.at - data.start) / alignment) * alignment;
    for (let pad = data.at; pad < Math.min(start, data.end); pad++) if (data.bytes[pad] !== 0) fail("bad-padding", pad);
    if (start + count * size > data.end) fail("length-out-of-bounds", at);
    data.at = start + count * size;
    return data.bytes.slice(start, data.at);
  }

  array(length, at, open) {
    this.owe(length, at);
    if (length > 2 ** 32 - 1) fail("bad-array", at);
    const array = [];
    open(array);
    for (let index = 0; index < length; index++) array.push(this.value());
    return array;
  }

  sparse(at, place, open) {
    const { structure } = this;
    const length = structure.varint();
    if (length > 2 ** 32 - 1) fail("bad-array", at);
    const array = [];
    open(array);
    array.length = length;
    const present = structure.varint();
    this.owe(present, at);
    if (present > length) fail("bad-array", at);
    let previous = -1;
    for (let count = 0; count < present; count++) {
      const index = previous + 1 + structure.varint();
      if (index >= length) fail("bad-array", at);
      array[index] = this.value();
      previous = index;
    }
    const properties = structure.varint();
    this.owe(2 * properties, at);
    if (place === "base" && properties > 0) fail("wrong-type", at);
    const order = new KeyOrder();
    for (let count = 0; count < properties; count++) {
      const keyAt = structure.at;
      const key = this.value("key");
      if (key === "length" || isArrayIndex(key)) fail("bad-key", keyAt);
      order.check(key, keyAt);
      define(array, key, this.value());
    }
    order.finish();
    return array;
  }

  packed(at, open) {
    const kind = this.structure.u8();
    if (!packedKinds.has(kind)) fail("bad-kind", at);
    const array = [];
    open(array);
    const size = elementSizes[kind];
    const count = this.structure.varint();
    const bytes = this.payload(count, size, size, at);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < count; index++) array.push(view[`get${getters[kind]}`](index * size, true));
    return array;
  }

  // An array of records: section 8. A layout becomes a tree with the size of what it stands for.
  records(at, open) {
    const array = [];
    open(array);
    const counts = { values: 0 };
    const layout = this.layout(at, counts);
    const count = this.structure.varint();
    if (count > 2 ** 32 - 1 || counts.values > 2 * layout.size) fail("bad-array", at);
    const bytes = this.payload(count, layout.size, 1, at);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < count; index++) array.push(this.laid(layout, view, index * layout.size));
    return array;
  }

  layout(at, counts) {
    const { structure } = this;
    const code = structure.u8();
    let length = 0;
    let keys;
    if (code === 0x0e) {
      const index = structure.varint();
      if (index >= this.shapes.length) fail("unknown-shape", at);
      const shape = this.shapes[index];
      if (shape.kind !== "plain") fail("wrong-type", at);
      keys = shape.keys;
      length = keys.length;
    } else if (code === 0x0f) length = structure.varint();
    else if (code !== 0x0d && getters[code] === undefined) fail("bad-kind", at);
    if (counts.values + 1 + length > 255) fail("bad-array", at);
    counts.values++;
    if (code < 0x0e) return { code, size: code === 0x0d ? 1 : elementSizes[code] };
    const parts = Array.from({ length }, () => this.layout(at, counts));
    return { code, keys, parts, size: parts.reduce((sum, part) => sum + part.size, 0) };
  }

  laid({ code, keys, parts }, view, start) {
    if (code === 0x0d) return view.getUint8(start) !== 0;
    if (code < 0x0d) {
      const number = view[`get${getters[code]}`](start, true);
      return typeof number === "bigint" && number >= -(2n ** 53n) && number <= 2n ** 53n ? Number(number) : number;
    }
    const object = keys ? {} : [];
    this.take(object, true);
    let place = start;
    parts.forEach((part, index) => {
      define(object, keys ? keys[index] : index, this.laid(part, view, place));
      place += part.size;
    });
    return object;
  }

  object(index, at, place, open) {
    if (index >= this.shapes.length) fail("unknown-shape", at);
    const shape = this.shapes[index];
    const { keys } = shape;
    if (place === "base" && (shape.kind !== "error" || keys.length > 0)) fail("wrong-type", at);
    const fill = (object) => {
      for (const key of keys) define(object, key, this.value(), shape.kind !== "error" || !hiddenErrorKeys.has(key));
      return object;
    };
    if (shape.kind === "custom") {
      const object = custom(shape.name, shape.version, undefined);
      open(object);
      this.owe(1, at);
      tagged.get(object).payload = this.value();
      return object;
    }
    if (shape.kind === "derived") {
      const entry = open();
      this.owe(keys.length + 1, at);
      const base = derived(shape.name, shape.version, this.value("base", entry));
      entry.object = base;
      return fill(base);
    }
    let object = shape.kind === "null" ? Object.create(null) : {};
    if (shape.kind === "class") object = instance(shape.name, shape.version, {});
    if (shape.kind === "error") object = emptyError(shape.constructor);
    open(object);
    this.owe(keys.length, at);
    return fill(object);
  }

  dictionary(prototype, at, open) {
    const count = this.structure.varint();
    const object = Object.create(prototype);
    open(object);
    this.owe(2 * count, at);
    const order = new KeyOrder();
    for (let pair = 0; pair < count; pair++) {
      const keyAt = this.structure.at;
      const key = this.value("key");
      order.check(key, keyAt);
      define(object, key, this.value());
    }
    order.finish();
    return object;
  }

  // An entry of a Set or a key of a Map.
  entry(distinct) {
    const at = this.structure.at;
    const entry = this.value();
    if (Object.is(entry, -0)) fail("bad-key", at);
    distinct.add(entry, at);
    return entry;
  }

  map(at, open) {
    const count = this.structure.varint();
    const map = new Map();
    open(map);
    this.owe(2 * count, at);
    const distinct = new Distinct("duplicate-key");
    for (let pair = 0; pair < count; pair++) {
      const key = this.entry(distinct);
      map.set(key, this.value());
    }
    distinct.finish();
    return map;
  }

  set(at, open) {
    const count = this.structure.varint();
    const set = new Set();
    open(set);
    this.owe(count, at);
    const distinct = new Distinct("duplicate-key");
    for (let index = 0; index < count; index++) set.add(this.entry(distinct));
    distinct.finish();
    return set;
  }

  date(at, open) {
    const time = this.structure.fixed("Float64", 8);
    const valid = Number.isInteger(time) && Math.abs(time) <= 8.64e15 && !Object.is(time, -0);
    if (!Number.isNaN(time) && !valid) fail("bad-date", at);
    const date = new Date(time);
    open(date);
    return date;
  }

  regexp(at, open) {
    const bits = this.structure.u8();
    this.owe(1, at);
    if ((bits & 0x60) === 0x60) fail("bad-regexp", at);
    const entry = open();
    const source = this.value("source");
    if (!isSource(source)) fail("bad-regexp", at);
    // An engine that does not know the pattern throws here: the vectors hold only sources that parse.
    const regexp = new RegExp(source, [..."dgimsuvy"].filter((_, bit) => bits & (1 << bit)).join(""));
    entry.object = regexp;
    regexp.lastIndex = this.structure.varint();
    if (regexp.lastIndex > Number.MAX_SAFE_INTEGER) fail("bad-regexp", at);
    return regexp;
  }

  symbol(at) {
    const index = this.structure.varint();
    return index < this.symbols.length ? this.symbols[index] : fail("unknown-symbol", at);
  }

  buffer(resizable, at, open) {
    const entry = open();
    const length = this.structure.varint();
    const max = resizable ? this.structure.varint() : length;
    if (resizable && (max < length || max > Number.MAX_SAFE_INTEGER)) fail("bad-buffer", at);
    const bytes = this.payload(length, 1, 8, at);
    entry.object = resizable ? new ArrayBuffer(length, { maxByteLength: max }) : new ArrayBuffer(length);
    new Uint8Array(entry.object).set(bytes);
    return entry.object;
  }

  typedArray(at, open) {
    const kind = this.structure.u8();
    if (kind > 11) fail("bad-kind", at);
    const entry = open();
    const bufferEntry = this.take();
    const size = elementSizes[kind];
    const bytes = this.payload(this.structure.varint(), size, size, at);
    bufferEntry.object = bytes.buffer;
    entry.object = new viewConstructors[kind](bytes.buffer);
    return entry.object;
  }

  view(at, open) {
    const kind = this.structure.u8();
    if (kind > 12) fail("bad-kind", at);
    const entry = open();
    this.owe(1, at);
    const buffer = this.value("buffer");
    const offset = this.structure.varint();
    const size = elementSizes[kind];
    if (offset % size !== 0 || offset > buffer.byteLength) fail("bad-view", at);
    const length = this.structure.varint();
    if (length === 0) {
      if (!buffer.resizable) fail("bad-view", at);
      return (entry.object = trackedView(viewConstructors[kind], [buffer, offset]));
    }
    if (offset + (length - 1) * size > buffer.byteLength) fail("bad-view", at);
    return (entry.object = new viewConstructors[kind](buffer, offset, length - 1));
  }

  reference(at, place) {
    const identity = this.structure.varint();
    const entry = this.identities[identity];
    if (!entry || entry.isBase) fail("bad-reference", at);
    if (place === "buffer" && !(entry.object instanceof ArrayBuffer && !tagged.has(entry.object))) fail("wrong-type", at);
    return entry.object;
  }

  intern(at) {
    const inner = this.structure.u8();
    if (inner > 0xe3) fail("bad-tag", at);
    let string;
    if (inner >= 0x40 && inner < 0x80) string = this.string(inner - 0x40, at);
    else if (inner === 0xce) string = this.string(this.structure.varint(), at);
    else if (inner === 0xcf) string = this.utf16(at);
    else fail("wrong-type", at);
    this.interned.push(string);
    return string;
  }
}

const hiddenErrorKeys = new Set(["message", "stack", "cause", "errors", "error", "suppressed"]);

function emptyError(constructor) {
  const error = bareError(errorConstructors[constructor], constructor === 7 ? [[]] : []);
  for (const key of Reflect.ownKeys(error)) delete error[key];
  return error;
}

const isString = (tag) => (tag >= 0x40 && tag < 0x80) || [0xce, 0xcf, 0xe1, 0xe2].includes(tag);

// Whether a tag may stand in a place. What its operands say (which shape, which identity) is looked at later.
function fits(tag, place) {
  switch (place) {
    case "key": return isString(tag) || tag === 0xda;
    case "source": return isString(tag);
    case "primitive": return isString(tag) || tag < 0x40 || (tag >= 0xc2 && tag <= 0xcd) || tag === 0xda;
    case "buffer": return tag === 0xdc || tag === 0xdd || tag === 0xe0;
    case "base": return tag === 0xe3 || (tag >= 0x80 && tag < 0xc0) || (tag >= 0xd0 && tag <= 0xdf && ![0xd4, 0xd5, 0xda].includes(tag));
    default: return true;
  }
}

// Section 8, RegExp: what the `source` property can be.
function isSource(source) {
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === "\\") {
      at++;
      if (at === source.length) return false;
    } else if (source[at] === "[") inClass = true;
    else if (source[at] === "]") inClass = false;
    else if (source[at] === "/" && !inClass) return false;
  }
  return source.length > 0 && !/[\n\r\u2028\u2029]/.test(source);
}

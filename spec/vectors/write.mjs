// A canonical writer of real JavaScript values, made from format.md alone: an oracle, written to be read, not to be fast.
import { elementSizes, errorConstructors, kindOf, tagged, tracking } from "./evaluate.mjs";

const wellKnown = (
  "asyncDispose asyncIterator dispose hasInstance isConcatSpreadable iterator match matchAll " +
  "replace search species split toPrimitive toStringTag unscopables"
).split(" ");
const boxedConstructors = [Boolean, Number, String, BigInt, Symbol];
const maxShapes = 4096;

export function encode(root) {
  return new Writer().message(root);
}

export function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return bytes;
}

export function utf8(string) {
  return [...new TextEncoder().encode(string)];
}

export function utf16(string) {
  return Array.from({ length: string.length }, (_, i) => string.charCodeAt(i)).flatMap((unit) => [unit & 255, unit >> 8]);
}

// The little-endian bytes of a number, `method` being the DataView's: "Float64", "Uint16"…
export function fixed(method, size, number) {
  const view = new DataView(new ArrayBuffer(size));
  view[`set${method}`](0, number, true);
  return [...new Uint8Array(view.buffer)];
}

// Section 9, rule 3.
export function numberBytes(number) {
  if (Number.isInteger(number) && !Object.is(number, -0)) {
    if (number >= 0 && number < 64) return [number];
    if (number >= 0 && number < 2 ** 8) return [0xc4, number];
    if (number >= 0 && number < 2 ** 16) return [0xc5, ...fixed("Uint16", 2, number)];
    if (number >= 0 && number < 2 ** 32) return [0xc6, ...fixed("Uint32", 4, number)];
    if (number < 0 && number >= -(2 ** 7)) return [0xc7, number & 255];
    if (number < 0 && number >= -(2 ** 15)) return [0xc8, ...fixed("Int16", 2, number)];
    if (number < 0 && number >= -(2 ** 31)) return [0xc9, ...fixed("Int32", 4, number)];
  }
  if (Number.isNaN(number)) return [0xca, 0x00, 0x00, 0xc0, 0x7f];
  if (Math.fround(number) === number) return [0xca, ...fixed("Float32", 4, number)];
  return [0xcb, ...fixed("Float64", 8, number)];
}

// Section 9, rule 6: the kind and the payload of the packed form, or nothing where it is not the canonical one.
const packedKinds = [
  [0, "Int8", 1, -(2 ** 7), 2 ** 7 - 1], [1, "Uint8", 1, 0, 2 ** 8 - 1],
  [3, "Int16", 2, -(2 ** 15), 2 ** 15 - 1], [4, "Uint16", 2, 0, 2 ** 16 - 1],
  [5, "Int32", 4, -(2 ** 31), 2 ** 31 - 1], [6, "Uint32", 4, 0, 2 ** 32 - 1],
];

function packedForm(array) {
  if (array.length < 8 || !array.every((element) => typeof element === "number")) return undefined;
  let chosen;
  if (array.every((element) => Number.isInteger(element) && !Object.is(element, -0))) {
    chosen = packedKinds.find(([, , , low, high]) => array.every((element) => element >= low && element <= high));
  }
  if (!chosen) {
    const single = array.every((element) => Number.isNaN(element) || Math.fround(element) === element);
    chosen = single ? [8, "Float32", 4] : [9, "Float64", 8];
  }
  const [kind, method, size] = chosen;
  const plain = array.reduce((sum, element) => sum + numberBytes(element).length, 0);
  if (array.length * size > plain) return undefined;
  const payload = array.flatMap((element) => {
    if (!Number.isNaN(element)) return fixed(method, size, element);
    return size === 4 ? [0x00, 0x00, 0xc0, 0x7f] : [0, 0, 0, 0, 0, 0, 0xf8, 0x7f];
  });
  return { kind, size, payload };
}

// What an object consists of whatever its own properties say: a subclass may have a field `size` or `buffer`.
function slot(constructor, name) {
  const { get } = Object.getOwnPropertyDescriptor(constructor.prototype, name);
  return (object) => get.call(object);
}
const typedArray = Object.getPrototypeOf(Uint8Array);
const viewSlots = ["buffer", "byteOffset", "byteLength"];
const typedArraySlots = viewSlots.map((name) => slot(typedArray, name));
const dataViewSlots = viewSlots.map((name) => slot(DataView, name));
const bufferSlots = ["byteLength", "resizable", "maxByteLength"].map((name) => slot(ArrayBuffer, name));
const regexpFlags = ["hasIndices", "global", "ignoreCase", "multiline", "dotAll", "unicode", "unicodeSets", "sticky"].map((name) => slot(RegExp, name));
const regexpSource = slot(RegExp, "source");

const indexPattern = /^(?:0|[1-9][0-9]{0,9})$/;

export function isArrayIndex(key) {
  return typeof key === "string" && indexPattern.test(key) && Number(key) < 2 ** 32 - 1;
}

// The own properties that are not what the built-in part of the object consists of.
function extraKeys(object) {
  const keys = Reflect.ownKeys(object);
  if (Array.isArray(object)) return keys.filter((key) => key !== "length" && !isArrayIndex(key));
  if (object instanceof String) return keys.filter((key) => key !== "length" && !(isArrayIndex(key) && Number(key) < object.length));
  if (ArrayBuffer.isView(object)) return keys.filter((key) => !isArrayIndex(key));
  if (object instanceof RegExp) return keys.filter((key) => key !== "lastIndex");
  return keys;
}

class Writer {
  structure = [];
  text = [];
  data = [];
  identities = new Map();
  nextIdentity = 0;
  symbols = new Map(); // symbol → index
  symbolBytes = [];
  shapes = new Map(); // text that stands for the shape → index
  shapeBytes = [];
  symbolNumbers = new Map(); // for the texts in `shapes` only: a symbol has an index not before it is used
  references = false;
  tasks = []; // what is still to be written, the next last: so depth costs no stack

  message(root) {
    this.later([() => this.value(root)]);
    while (this.tasks.length) this.tasks.pop()();
    const hasShapes = this.symbols.size + this.shapes.size > 0;
    const shapes = [varint(this.symbols.size), ...this.symbolBytes, varint(this.shapes.size), ...this.shapeBytes].flat();
    const flags = (hasShapes ? 1 : 0) | (this.text.length ? 2 : 0) | (this.data.length ? 4 : 0) | (this.references ? 16 : 0);
    const bytes = [0xd7, 0x4d, 0x01, flags, ...varint(this.structure.length)];
    if (hasShapes) bytes.push(...varint(shapes.length));
    if (this.text.length) bytes.push(...varint(this.text.length));
    if (this.data.length) bytes.push(...varint(this.data.length));
    const append = (section) => section.forEach((byte) => bytes.push(byte));
    if (hasShapes) append(shapes);
    append(this.structure);
    append(this.text);
    if (this.data.length) while (bytes.length % 8) bytes.push(0);
    append(this.data);
    return Uint8Array.from(bytes);
  }

  later(tasks) {
    for (const task of tasks.reverse()) this.tasks.push(task);
  }

  values(list) {
    this.later(list.map((value) => () => this.value(value)));
  }

  put(...bytes) {
    this.structure.push(...bytes);
  }

  payload(bytes, size) {
    if (bytes.length === 0) return;
    while (this.data.length % size) this.data.push(0);
    for (const byte of bytes) this.data.push(byte);
  }

  value(value) {
    switch (typeof value) {
      case "undefined": return this.put(0xc1);
      case "boolean": return this.put(value ? 0xc3 : 0xc2);
      case "number": return this.put(...numberBytes(value));
      case "bigint": return this.bigint(value);
      case "string": return this.string(value);
      case "symbol": return this.put(0xda, ...varint(this.symbol(value)));
      case "object": return value === null ? this.put(0xc0) : this.reference(value) || this.object(value);
      default: throw new TypeError(`a ${typeof value} is no value of the format`);
    }
  }

  bigint(value) {
    const magnitude = [];
    for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 8n) magnitude.push(Number(rest & 255n));
    this.put(value < 0n ? 0xcd : 0xcc, ...varint(magnitude.length), ...magnitude);
  }

  string(value) {
    if (!value.isWellFormed()) {
      this.put(0xcf, ...varint(value.length));
      return this.payload(utf16(value), 2);
    }
    const bytes = utf8(value);
    this.put(...(bytes.length < 64 ? [0x40 + bytes.length] : [0xce, ...varint(bytes.length)]));
    for (const byte of bytes) this.text.push(byte);
  }

  // A string of the shapes section.
  inline(value) {
    if (!value.isWellFormed()) return [...varint(value.length * 4 + 1), ...utf16(value)];
    const bytes = utf8(value);
    return [...varint(bytes.length * 4), ...bytes];
  }

  symbol(symbol) {
    if (this.symbols.has(symbol)) return this.symbols.get(symbol);
    const known = wellKnown.find((name) => Symbol[name] === symbol);
    const registered = Symbol.keyFor(symbol);
    let bytes = [0];
    if (known !== undefined) bytes = [3, ...this.inline(known)];
    else if (registered !== undefined) bytes = [2, ...this.inline(registered)];
    else if (symbol.description !== undefined) bytes = [1, ...this.inline(symbol.description)];
    this.symbolBytes.push(bytes);
    this.symbols.set(symbol, this.symbols.size);
    return this.symbols.size - 1;
  }

  take(object) {
    this.identities.set(object, this.nextIdentity++);
  }

  reference(object) {
    if (!this.identities.has(object)) return false;
    this.references = true;
    this.put(0xe0, ...varint(this.identities.get(object)));
    return true;
  }

  // The index of a shape, new or known; nothing where the table is full and the shape may be left out.
  shape(head, keys, optional = false) {
    const number = (key) => {
      if (!this.symbolNumbers.has(key)) this.symbolNumbers.set(key, this.symbolNumbers.size);
      return [this.symbolNumbers.get(key)];
    };
    const text = JSON.stringify([head, keys && keys.map((key) => (typeof key === "symbol" ? number(key) : key))]);
    if (this.shapes.has(text)) return this.shapes.get(text);
    if (optional && this.shapes.size >= maxShapes) return undefined;
    this.shapes.set(text, this.shapes.size);
    const keyBytes = (key) => (typeof key === "symbol" ? varint(this.symbol(key) * 4 + 2) : this.inline(key));
    this.shapeBytes.push(keys ? [...head, ...varint(keys.length), ...keys.flatMap(keyBytes)] : head);
    return this.shapes.size - 1;
  }

  shapeTag(index) {
    this.put(...(index < 32 ? [0xa0 + index] : [0xd3, ...varint(index)]));
  }

  object(object) {
    this.take(object);
    const tag = tagged.get(object);
    if (!tag) return this.builtIn(object) || this.plain(object);
    const name = [...this.inline(tag.name), ...varint(tag.version)];
    if (tag.kind === "custom") {
      this.shapeTag(this.shape([5, ...name]));
      return this.value(tag.payload);
    }
    const isDerived = tag.kind === "derived";
    const keys = isDerived ? extraKeys(object) : Reflect.ownKeys(object);
    this.shapeTag(this.shape([isDerived ? 3 : 2, ...name], keys));
    this.values(keys.map((key) => object[key]));
    if (isDerived) {
      this.nextIdentity++; // the base's own, which nothing refers to
      if (!this.builtIn(object, true)) throw new TypeError("no base of a derived instance");
    }
  }

  plain(object) {
    const prototype = Object.getPrototypeOf(object);
    if (prototype !== null && prototype !== Object.prototype) throw new TypeError("an object of an unknown class");
    const keys = Reflect.ownKeys(object);
    const index = keys.length >= 1 && keys.length <= 256 ? this.shape([prototype === null ? 1 : 0], keys, true) : undefined;
    if (index !== undefined) {
      this.shapeTag(index);
      this.values(keys.map((key) => object[key]));
    } else {
      this.put(prototype === null ? 0xd5 : 0xd4, ...varint(keys.length));
      this.values(keys.flatMap((key) => [key, object[key]]));
    }
  }

  // Writes an object of a built-in class, or says that it is none. As a base it has no properties of its own.
  builtIn(object, asBase = false) {
    const boxed = boxedConstructors.find((constructor) => object instanceof constructor);
    if (Array.isArray(object)) this.array(object, asBase);
    else if (object instanceof Map) {
      const entries = [...Map.prototype.entries.call(object)];
      this.put(0xd6, ...varint(entries.length));
      this.values(entries.flat());
    } else if (object instanceof Set) {
      const entries = [...Set.prototype.values.call(object)];
      this.put(0xd7, ...varint(entries.length));
      this.values(entries);
    } else if (object instanceof Date) {
      const time = Date.prototype.getTime.call(object);
      this.put(0xd8, ...(Number.isNaN(time) ? [0, 0, 0, 0, 0, 0, 0xf8, 0x7f] : fixed("Float64", 8, time)));
    } else if (object instanceof RegExp) {
      this.put(0xd9, regexpFlags.reduce((sum, isSet, bit) => sum + (isSet(object) ? 1 << bit : 0), 0));
      this.string(regexpSource(object));
      this.put(...varint(object.lastIndex));
    } else if (boxed) {
      this.put(0xdb);
      this.value(boxed.prototype.valueOf.call(object));
    } else if (object instanceof ArrayBuffer) this.buffer(object);
    else if (ArrayBuffer.isView(object)) this.view(object);
    else if (object instanceof Error) this.error(object, asBase);
    else return false;
    return true;
  }

  array(array, asBase) {
    const keys = Object.keys(array).filter(isArrayIndex);
    const extra = asBase ? [] : extraKeys(array);
    if (keys.length < array.length || extra.length > 0) {
      this.put(0xd1, ...varint(array.length), ...varint(keys.length));
      const gap = (key, index) => Number(key) - (index === 0 ? -1 : Number(keys[index - 1])) - 1;
      this.later([
        ...keys.map((key, index) => () => {
          this.put(...varint(gap(key, index)));
          this.value(array[key]);
        }),
        () => this.put(...varint(extra.length)),
        ...extra.flatMap((key) => [() => this.value(key), () => this.value(array[key])]),
      ]);
      return;
    }
    const elements = Array.from({ length: array.length }, (_, index) => array[index]);
    const form = packedForm(elements);
    if (form) {
      this.put(0xd2, form.kind, ...varint(elements.length));
      return this.payload(form.payload, form.size);
    }
    this.put(...(elements.length < 32 ? [0x80 + elements.length] : [0xd0, ...varint(elements.length)]));
    this.values(elements);
  }

  error(error, asBase) {
    const constructor = errorConstructors.findIndex((candidate) => Object.getPrototypeOf(error) === candidate.prototype);
    if (constructor < 0) throw new TypeError("an error of an unknown class");
    const keys = asBase ? [] : Reflect.ownKeys(error);
    this.shapeTag(this.shape([4, constructor], keys));
    this.values(keys.map((key) => error[key]));
  }

  buffer(buffer) {
    const [byteLength, resizable, maxByteLength] = bufferSlots.map((get) => get(buffer));
    this.put(...(resizable ? [0xdd, ...varint(byteLength), ...varint(maxByteLength)] : [0xdc, ...varint(byteLength)]));
    this.payload([...new Uint8Array(buffer)], 8);
  }

  view(view) {
    const kind = kindOf(view);
    const [buffer, byteOffset, byteLength] = (kind === 12 ? dataViewSlots : typedArraySlots).map((get) => get(view));
    const [bufferLength, resizable] = bufferSlots.map((get) => get(buffer));
    const size = elementSizes[kind];
    if (kind !== 12 && byteOffset === 0 && byteLength === bufferLength && !resizable && !this.identities.has(buffer)) {
      this.take(buffer);
      this.put(0xde, kind, ...varint(byteLength / size));
      return this.payload([...new Uint8Array(buffer)], size);
    }
    this.put(0xdf, kind);
    if (!this.reference(buffer)) {
      this.take(buffer);
      this.buffer(buffer);
    }
    this.put(...varint(byteOffset), ...varint(tracking.has(view) ? 0 : byteLength / size + 1));
  }
}

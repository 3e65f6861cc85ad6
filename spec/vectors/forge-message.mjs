// Lays messages out from readable parts, right or wrong as asked. Knows section 2 of format.md and checks nothing.

// The bytes of a text of hexadecimal pairs and 'quoted UTF-8'. `^` marks the byte at which a reader must report the error.
export function bytesOf(parts) {
  const bytes = [];
  let mark;
  for (const [token, quoted] of parts.matchAll(/'([^']*)'|\^|[0-9A-Fa-f]{2}|\S/g)) {
    if (token === "^") mark = bytes.length;
    else if (quoted !== undefined) bytes.push(...new TextEncoder().encode(quoted));
    else if (token.length === 2) bytes.push(parseInt(token, 16));
    else throw new Error(`"${token}" in "${parts}"`);
  }
  return { bytes, mark };
}

export const raw = (parts) => bytesOf(parts);

// A message of the given sections, each a text for `bytesOf`. `refs` sets REFS. `flags`, `lengths`, `pad` and `tail` replace what would be right.
export function message({ shapes, structure = "", text, data, index, refs = false, flags, lengths, pad, indexPad, tail = "" }) {
  const given = (section) => section !== undefined;
  const bits = (given(shapes) ? 1 : 0) | (given(text) ? 2 : 0) | (given(data) ? 4 : 0) | (given(index) ? 8 : 0) | (refs ? 16 : 0);
  const length = (section) => varint(bytesOf(section).bytes.length);
  const head = `D7 4D 01 ${hex([flags ?? bits])} ${lengths ?? [structure, shapes, text, data, index].filter(given).map(length).join(" ")}`;
  const before = [head, shapes ?? "", structure, text ?? ""].join(" ");
  const zeros = (parts) => "00 ".repeat((8 - (bytesOf(parts).bytes.length % 8)) % 8);
  const whole = [before, given(data) ? pad ?? zeros(before) : "", data ?? ""].join(" ");
  return bytesOf([whole, given(index) ? indexPad ?? zeros(whole) : "", index ?? "", tail].join(" "));
}

// An index section (section 14): a position is [structure, text, data, identities, strings].
export function indexOf({ entries = [], references = [], strings = [], children = [], width = 4 }) {
  let names = "";
  const rows = [];
  for (const [name, position] of entries) {
    rows.push(new TextEncoder().encode(names).length, new TextEncoder().encode(name).length, ...position);
    names += name;
  }
  rows.push(...references.flat(2), ...strings.flat(), ...children.flat(2));
  const nameBytes = new TextEncoder().encode(names);
  const counts = [entries, references, strings, children].map((table) => table.length);
  const number = (n) => hex(Array.from({ length: width }, (_, i) => Number((BigInt(n) >> BigInt(8 * i)) & 255n)));
  return [hex([width, 0, 0, 0, 0, 0, 0, 0]), ...[...counts, nameBytes.length, ...rows].map(number), hex(nameBytes)].join(" ");
}

export function hex(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
}

export function varint(number) {
  const bytes = [];
  let rest = BigInt(number);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return hex([...bytes, Number(rest)]);
}

export function f32(number) {
  return hex(new Uint8Array(Float32Array.of(number).buffer));
}

export function f64(number) {
  return hex(new Uint8Array(Float64Array.of(number).buffer));
}

// A string of the shapes section in UTF-8, and the key of a symbol.
export function string(text) {
  return `${varint(new TextEncoder().encode(text).length * 4)} '${text}'`;
}

export function symbolKey(index) {
  return varint(index * 4 + 2);
}

// A shapes section without symbols: each shape is a text.
export function shapesOf(...shapes) {
  return `00 ${varint(shapes.length)} ${shapes.join(" ")}`;
}

export function plain(...keys) {
  return `00 ${varint(keys.length)} ${keys.map(string).join(" ")}`;
}

export function nullPrototype(...keys) {
  return `01 ${varint(keys.length)} ${keys.map(string).join(" ")}`;
}

export function classShape(name, version, ...keys) {
  return `02 ${string(name)} ${varint(version)} ${varint(keys.length)} ${keys.map(string).join(" ")}`;
}

export function derivedShape(name, version, ...keys) {
  return `03 ${string(name)} ${varint(version)} ${varint(keys.length)} ${keys.map(string).join(" ")}`;
}

export function errorShape(constructor, ...keys) {
  return `04 ${hex([constructor])} ${varint(keys.length)} ${keys.map(string).join(" ")}`;
}

export function customShape(name, version) {
  return `05 ${string(name)} ${varint(version)}`;
}

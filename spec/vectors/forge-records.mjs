// Arrays of records (E3): faulty ones, and what valid ones mean.
import {
  classShape, derivedShape, f32, f64, hex, message, nullPrototype, plain, shapesOf, string, symbolKey, varint,
} from "./forge-message.mjs";

const point = shapesOf(plain("x", "y"));
const points = (name, error, structure, data, shapes = point) => [name, error, message({ shapes, structure, data })];
const bare = (name, error, structure, data) => [name, error, message({ structure, data })];
const six = "01 02 03 04 05 06";
const deep = (levels, leaf) => `${"0F 01 ".repeat(levels)} ${leaf}`;

export const recordFaults = [
  bare("records without a layout", "truncated", "E3 ^"),
  bare("records without a count", "truncated", "E3 01 ^"),
  bare("records with a count cut off", "truncated", "E3 01 ^80"),
  bare("records with a count in a longer form", "bad-varint", "E3 01 ^80 00"),
  bare("records of arrays without a length", "truncated", "E3 0F ^"),
  bare("records of arrays with a length in a longer form", "bad-varint", "E3 0F ^81 00"),
  bare("records of arrays without a layout", "truncated", "E3 0F 01 ^"),
  points("records of objects without a shape", "truncated", "E3 0E ^"),
  points("records of objects with a shape in a longer form", "bad-varint", "E3 0E ^80 00"),
  points("records of objects without a layout for a key", "truncated", "E3 0E 00 01 ^"),
  bare("records of Uint8Clamped", "bad-kind", "^E3 02 00"),
  bare("records of Float16", "bad-kind", "^E3 07 00"),
  bare("records of DataView", "bad-kind", "^E3 0C 00"),
  bare("records of an unknown kind", "bad-kind", "^E3 10 00"),
  bare("records of kind FF", "bad-kind", "^E3 FF 00"),
  bare("records with an unknown kind in an array", "bad-kind", "^E3 0F 02 01 10 00"),
  bare("records of objects, and no shapes", "unknown-shape", "^E3 0E 00 01 00"),
  points("records of objects with an unknown shape", "unknown-shape", "^E3 0E 01 01 01 00"),
  points("records of objects with shape 2^32", "unknown-shape", `^E3 0E ${varint(2 ** 32)} 01 01 00`),
  points("records of objects with a null prototype", "wrong-type", "^E3 0E 00 01 00", undefined, shapesOf(nullPrototype("x"))),
  points("records of instances", "wrong-type", "^E3 0E 00 01 00", undefined, shapesOf(classShape("C", 0, "x"))),
  points("records of derived instances", "wrong-type", "^E3 0E 00 01 00", undefined, shapesOf(derivedShape("D", 0, "x"))),
  points("records of errors", "wrong-type", "^E3 0E 00 01 00", undefined, "00 01 04 00 01 04 'x'"),
  points("records of custom values", "wrong-type", "^E3 0E 00 01 00", undefined, "00 01 05 04 'C' 00"),
  bare("records of empty arrays", "bad-array", "^E3 0F 00 00"),
  points("records of empty objects", "bad-array", "^E3 0E 00 00", undefined, shapesOf(plain())),
  bare("records of three values in a byte", "bad-array", "^E3 0F 01 0F 01 01 00"),
  bare("records of three values in a byte, and some", "bad-array", "^E3 0F 01 0F 01 01 01", "01"),
  bare("records of 512 values in 255 bytes", "bad-array", `^E3 0F FF 01 ${"01 ".repeat(255)} 00`),
  bare("records of 255 and one values", "bad-array", `^E3 0F FF 01`),
  bare("records of 2^64 - 1 values", "bad-array", "^E3 0F FF FF FF FF FF FF FF FF FF 01"),
  bare("records that nest 256 deep", "bad-array", `^E3 ${deep(255, "09")} 00`),
  bare("records that nest and nest", "bad-array", `^E3 ${deep(1000, "09")} 00`),
  bare("records without data", "length-out-of-bounds", "^E3 01 01"),
  bare("records beyond the data", "length-out-of-bounds", "^E3 0F 02 01 01 04", six),
  bare("records of 2^32", "bad-array", `^E3 01 ${varint(2 ** 32)}`, six),
  bare("records of 2^64 - 1", "bad-array", "^E3 01 FF FF FF FF FF FF FF FF FF 01", six),
  bare("records of 2^32 - 1", "length-out-of-bounds", `^E3 09 ${varint(2 ** 32 - 1)}`, six),
  [
    "records that leave data", "unused-bytes",
    message({ structure: "E3 0F 02 01 01 02", data: "01 02 03 04 ^05 06" }),
  ],
  ["record that is referred to", "bad-reference", message({ structure: "82 E3 0F 01 01 01 ^E0 02", data: "01", refs: true })],
  ["second record that is referred to", "bad-reference", message({ structure: "82 E3 0F 01 01 02 ^E0 03", data: "01 02", refs: true })],
  ["array in a record that is referred to", "bad-reference", message({ structure: "82 E3 0F 02 0F 01 01 01 01 ^E0 03", data: "01 02", refs: true })],
  ["record behind the last that is referred to", "bad-reference", message({ structure: "82 E3 0F 01 01 02 ^E0 04", data: "01 02", refs: true })],
  ["buffer that is a record", "bad-reference", message({ structure: "82 E3 0F 01 01 01 DF 01 ^E0 02 00 00", data: "01", refs: true })],
  bare("records as a boxed primitive", "wrong-type", "DB ^E3 01 00"),
  bare("records as a key", "wrong-type", "D4 01 ^E3 01 00 00"),
  bare("records as a buffer", "wrong-type", "DF 01 ^E3 01 00 00"),
  bare("E1 over records", "wrong-type", "^E1 E3 01 00"),
  bare("array of two with one array of records", "length-out-of-bounds", "^82 E3"),
];

const numbers = "0F 0A 00 01 03 04 05 06 08 09 0A 0B";
const record = (n) => `${hex([n & 255, n])} ${hex([n, 0, n, 0])} ${hex([n, 0, 0, 0, n, 0, 0, 0])} ${f32(n)} ${f64(n)} ${hex([n, 0, 0, 0, 0, 0, 0, 0])} ${hex([n, 0, 0, 0, 0, 0, 0, 0])}`;

export const records = [
  ["records of none", "[]", message({ structure: "E3 01 00" })],
  ["records of numbers", "[1, 2]", message({ structure: "E3 01 02", data: "01 02" })],
  ["records of booleans", "[false, true, true]", message({ structure: "E3 0D 03", data: "00 01 FF" })],
  ["records of objects", "[{x: 1, y: 0.5}, {x: -1, y: 2}]", message({ shapes: point, structure: "E3 0E 00 00 08 02", data: `01 ${f32(0.5)} FF ${f32(2)}` })],
  ["records of arrays", "[[1, 2], [3, 4], [5, 6]]", message({ structure: "E3 0F 02 01 01 03", data: six })],
  ["records of objects in objects", "[{a: {x: 1, y: 2}, b: [3, {x: 4, y: 5}]}]", message({
    shapes: shapesOf(plain("a", "b"), plain("x", "y")), structure: "E3 0E 00 0E 01 01 01 0F 02 01 0E 01 01 01 01", data: "01 02 03 04 05" })],
  ["records with empty arrays and objects in them", "[[1, [], {}, 2]]", message({ shapes: shapesOf(plain()), structure: "E3 0F 04 01 0F 00 0E 00 09 01", data: `01 ${f64(2)}` })],
  ["records of two values in a byte", "[[1], [2]]", message({ structure: "E3 0F 01 01 02", data: "01 02" })],
  ["records of 255 values", `[[${Array.from({ length: 254 }, (_, i) => i)}]]`,
    message({ structure: `E3 0F FE 01 ${"01 ".repeat(254)} 01`, data: hex(Array.from({ length: 254 }, (_, i) => i)) })],
  ["records that nest eight deep", "[[[[[[[[0.5]]]]]]]]", message({ structure: `E3 ${deep(7, "09")} 01`, data: f64(0.5) })],
  ["records of numbers of every kind", "[[-1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2]]",
    message({ structure: `E3 ${numbers} 02`, data: `FF ${record(1).slice(3)} ${record(2)}` })],
  ["records of large integers", "[[9007199254740992, 9007199254740993n], [-9007199254740992, 18446744073709551615n], [-9007199254740993n, 0], [-9223372036854775808n, 1]]",
    message({ structure: "E3 0F 02 0A 0B 04", data: `00 00 00 00 00 00 20 00 01 00 00 00 00 00 20 00 00 00 00 00 00 00 E0 FF ${"FF ".repeat(8)}
      FF FF FF FF FF FF DF FF 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 80 01 00 00 00 00 00 00 00` })],
  ["records with NaN of other bits", "[[NaN, NaN], [-0, Infinity]]", message({ structure: "E3 0F 02 08 09 02", data: `01 00 80 FF 01 00 00 00 00 00 F8 FF ${f32(-0)} ${f64(Infinity)}` })],
  ["records behind other data, without padding", '[new Uint8Array([7]), [[0.5]], new Float64Array([0.5])]',
    message({ structure: "83 DE 01 01 E3 0F 01 08 01 DE 09 01", data: `07 ${f32(0.5)} 00 00 00 ${f64(0.5)}` })],
  ["records with array indices and a symbol as keys", '[{"1": 1, a: 2, [Symbol.iterator]: 3}]', message({
    shapes: `01 03 ${string("iterator")} 01 00 03 ${string("1")} ${string("a")} ${symbolKey(0)}`, structure: "E3 0E 00 01 01 01 01", data: "01 02 03" })],
  ["records as a base", 'derived("D", 0, [[1]], {})', message({ shapes: shapesOf(derivedShape("D", 0)), structure: "A0 E3 0F 01 01 01", data: "01" })],
  ["array of records that is referred to", "(() => { const a = [[1], [2]]; return [a, a, [3]] })()",
    message({ structure: "83 E3 0F 01 01 02 E0 01 81 03", data: "01 02", refs: true })],
  ["object behind records that is referred to", "(() => { const a = [3]; return [[[1], [2]], a, a] })()",
    message({ structure: "83 E3 0F 01 01 02 81 03 E0 04", data: "01 02", refs: true })],
  ["records in records' place: arrays of them", "[[[1]], [[2], [3]]]", message({ structure: "82 E3 0F 01 01 01 E3 0F 01 01 02", data: "01 02 03" })],
  ["shape that only records have", "[{x: 1, y: 2}]", message({ shapes: shapesOf(plain("z"), plain("x", "y")), structure: "E3 0E 01 01 01 01", data: "01 02" })],
];

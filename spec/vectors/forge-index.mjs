// Messages with an index (section 14 of format.md): as a reader of the whole sees them, and part by part.
import { indexOf, message, plain, raw, shapesOf } from "./forge-message.mjs";

const empty = indexOf({});
const head = "04 00 00 00 00 00 00 00";
const rawHead = (parts) => raw(`D7 4D 01 ${parts}`);
const zeros = (n) => "00 ".repeat(n);

// [[1, "ab"], {k: <the array>}, "cd"]
const shared = {
  shapes: shapesOf(plain("k")), structure: "83 82 01 42 A0 E0 01 42", text: "'ab' 'cd'", refs: true,
};
const entries = [["list", [1, 0, 0, 1, 0]], ["object", [4, 2, 0, 2, 0]], ["root", [0, 0, 0, 0, 0]]];
const references = [[0, [0, 0, 0, 0, 0]], [1, [1, 0, 0, 1, 0]], [2, [4, 2, 0, 2, 0]]];
const sharedIndex = indexOf({ entries, references });
const wholeJs = '(() => { const a = [1, "ab"]; return [a, {k: a}, "cd"] })()';

// ["xy", Uint8Array [7, 8] over its own buffer, that buffer, "xy" by its string id, /xy/ by its id]
const strings = { structure: "85 E1 42 DE 01 02 E0 02 E2 00 D9 00 E2 00 00", text: "'xy'", data: "07 08", refs: true };
const stringsIndex = (width) =>
  indexOf({
    width, strings: [[1, 0, 0, 1, 0]], references: [[2, [3, 2, 0, 1, 1]]],
    entries: [],
  });
const bufferIndex = indexOf({
  entries: [["bytes", [3, 2, 0, 2, 1]], ["view", [3, 2, 0, 1, 1]]],
  references: [[1, [3, 2, 0, 1, 1]], [2, [3, 2, 0, 1, 1]]], strings: [[1, 0, 0, 1, 0]],
});
const stringsJs = '(() => { const a = new Uint8Array([7, 8]); return ["xy", a, a.buffer, "xy", new RegExp("xy", "")] })()';

const twoStrings = { structure: "83 E1 41 E1 41 E2 00", text: "'ab'" };

// What a reader of the whole must refuse.
export const indexFaults = [
  ["index: length cut off", "truncated", rawHead("08 01 ^")],
  ["index: section empty", "empty-section", rawHead("08 01 ^00 C3")],
  ["index: section cut off", "truncated", rawHead("08 01 08 C3 00 04 00 ^")],
  ["index: padding cut off", "truncated", rawHead("08 01 08 C3 ^")],
  ["index: padding", "bad-padding", message({ structure: "C3", index: empty, indexPad: "^01" })],
  ["index: padding behind the data", "bad-padding", message({ structure: "DE 01 01", data: "01", index: empty, indexPad: "00 00 00 00 00 00 ^01" })],
  ["index: a byte behind it", "trailing-bytes", message({ structure: "C3", index: empty, tail: "^00" })],
  ["index: with an unknown flag", "unsupported-flags", rawHead("^28 01 C3")],
];

// What a reader of the whole passes over. [name, js, message]
export const indexed = [
  ["index: empty", "true", message({ structure: "C3", index: empty })],
  ["index: of no sense", "true", message({ structure: "C3", index: "FF" })],
  ["index: behind data", "new Uint8Array([1])", message({ structure: "DE 01 01", data: "01", index: empty })],
  ["index: entries and references", wholeJs, message({ ...shared, index: sharedIndex })],
  ["index: strings", stringsJs, message({ ...strings, index: stringsIndex(4) })],
  ["index: 8 bytes a number", stringsJs, message({ ...strings, index: stringsIndex(8) })],
];

const part = (name, from, js, parts) => ({ name, ...from, js, message: message(parts) });
const fault = (name, from, error, parts) => ({ name, ...from, error, message: message(parts) });
const faulty = (name, index) => fault(`malformed: ${name}`, { path: [] }, "bad-index", { structure: "C3", index: `^${index}` });

// Parts: by the name of an entry, or by a path of keys and numbers from the root.
export const parts = [
  part("entry: an array", { entry: "list" }, '[1, "ab"]', { ...shared, index: sharedIndex }),
  part("entry: a reference that leaves it", { entry: "object" }, '{k: [1, "ab"]}', { ...shared, index: sharedIndex }),
  part("entry: the root", { entry: "root" }, wholeJs, { ...shared, index: sharedIndex }),
  part("path: the root without an index", { path: [] }, wholeJs, shared),
  part("path: through a reference without an index", { path: [1, "k", 1] }, '"ab"', shared),
  part("path: through a reference", { path: [1, "k", 1] }, '"ab"', { ...shared, index: sharedIndex }),
  part("path: behind other text", { path: [2] }, '"cd"', shared),
  part("path: the buffer of a typed array", { path: [2] }, "new Uint8Array([7, 8]).buffer", { ...strings, index: stringsIndex(4) }),
  part("path: the buffer of a typed array without an index", { path: [2] }, "new Uint8Array([7, 8]).buffer", strings),
  part("path: a string by its id", { path: [3] }, '"xy"', { ...strings, index: stringsIndex(8) }),
  part("path: a string by its id without an index", { path: [3] }, '"xy"', strings),
  part("path: a RegExp's source by its id", { path: [4] }, 'new RegExp("xy", "")', { ...strings, index: stringsIndex(4) }),
  part("entry: the buffer of a typed array", { entry: "bytes" }, "new Uint8Array([7, 8]).buffer", { ...strings, index: bufferIndex }),
  part("entry: a typed array", { entry: "view" }, "new Uint8Array([7, 8])", { ...strings, index: bufferIndex }),
  part("child: from a noted place", { path: [2] }, "3", { structure: "84 01 02 03 04", index: indexOf({ children: [[0, 1, [2, 0, 0, 1, 0]]] }) }),
  part("child: before the first noted place", { path: [1] }, "2", { structure: "84 01 02 03 04", index: indexOf({ children: [[0, 2, [3, 0, 0, 1, 0]]] }) }),
  part("child: of another container", { path: [1] }, "2", { structure: "84 01 02 03 04", index: indexOf({ children: [[1, 1, [3, 0, 0, 1, 0]]] }) }),

  fault("entry: unknown", { entry: "lists" }, "not-found", { ...shared, index: sharedIndex }),
  fault("entry: without an index", { entry: "list" }, "not-found", shared),
  faulty("width 0", `00 ${zeros(7)} ${zeros(20)}`),
  faulty("width 2", `02 ${zeros(7)} ${zeros(20)}`),
  faulty("a byte behind the width", `04 00 01 ${zeros(5)} ${zeros(20)}`),
  faulty("head cut off", `${head} ${zeros(19)}`),
  faulty("seven bytes", "04 00 00 00 00 00 00"),
  faulty("an entry that is not there", `${head} 01 00 00 00 ${zeros(16)}`),
  faulty("rows that are not there", `${head} FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF FF ${zeros(4)}`),
  faulty("names that are not there", `${head} ${zeros(16)} 01 00 00 00`),
  faulty("names longer than said", `${head} ${zeros(20)} 61`),
  fault("an identity that the references lack", { path: [1, "k"] }, "bad-index", { ...shared, index: `^${empty}` }),
  fault("a position outside", { entry: "a" }, "bad-index", { structure: "^81 01", index: indexOf({ entries: [["a", [9, 0, 0, 0, 0]]] }) }),
  fault("a position outside the text", { entry: "a" }, "bad-index", { structure: "^81 41", text: "'a'", index: indexOf({ entries: [["a", [0, 2, 0, 0, 0]]] }) }),
  fault("entry: an identity that the references lack", { entry: "object" }, "bad-index", { ...shared, index: `^${indexOf({ entries })}` }),
  fault("entry: not where its identity is", { entry: "a" }, "bad-index", { ...shared, index: `^${indexOf({ entries: [["a", [2, 0, 0, 1, 0]]], references })}` }),
  fault("entry: of another text", { entry: "a" }, "bad-index", { ...shared, index: `^${indexOf({ entries: [["a", [1, 2, 0, 1, 0]]], references })}` }),
  fault("a reference to what stands behind it", { path: [1, "k"] }, "bad-index", { ...shared, index: `^${indexOf({ references: [[1, [7, 2, 0, 1, 0]]] })}` }),
  fault("a child before its container", { path: [0, 1] }, "bad-index", { structure: "81 82 01 02", index: `^${indexOf({ children: [[1, 1, [0, 0, 0, 0, 0]]] })}` }),
  fault("a string id that the strings lack", { path: [3] }, "bad-index", { ...strings, index: `^${empty}` }),
  fault("a string with another id", { path: [2] }, "bad-index", { ...twoStrings, index: `^${indexOf({ strings: [[3, 1, 0, 1, 1], [3, 1, 0, 1, 1]] })}` }),
  fault("a string without an id", { path: [2] }, "bad-index", { structure: "84 ^41 E1 41 E2 00 00", text: "'ab'", index: indexOf({ strings: [[1, 0, 0, 1, 0]] }) }),
  fault("a string id that is taken later", { path: [0] }, "unknown-string", { structure: "82 ^E2 00 E1 41", text: "'a'" }),
  fault("a reference to what takes no identity", { path: [2] }, "bad-index", { structure: "84 ^07 80 E0 01 01", refs: true, index: indexOf({ references: [[1, [1, 0, 0, 1, 0]]] }) }),
];

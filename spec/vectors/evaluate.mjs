// Evaluates the `js` expressions of the vectors in a real engine. Knows the vocabulary that README.md documents and nothing of the bytes.

// What a class leaves behind when its constructor is unknown: kind ("class", "derived", "custom"), name, version, and the payload of a custom value.
export const tagged = new WeakMap();

// Views that follow the length of their resizable buffer: an engine has no property that says so.
export const tracking = new WeakSet();

export function instance(name, version, fields) {
  const value = copyOwn({}, fields);
  tagged.set(value, { kind: "class", name, version });
  return value;
}

// The instance is the base itself: what the engine calls an array with own properties is then "an Array subclass with fields".
export function derived(name, version, base, fields = {}) {
  copyOwn(base, fields);
  tagged.set(base, { kind: "derived", name, version });
  return base;
}

export function custom(name, version, payload) {
  const value = {};
  tagged.set(value, { kind: "custom", name, version, payload });
  return value;
}

function copyOwn(target, fields) {
  for (const key of Reflect.ownKeys(fields)) define(target, key, fields[key]);
  return target;
}

export function define(target, key, value, enumerable = true) {
  Object.defineProperty(target, key, { value, writable: true, enumerable, configurable: true });
}

// Engines that have these built in are not asked for them, so that a vector does not depend on the engine.
export class SuppressedErrorStandIn extends Error {
  constructor(error, suppressed, message) {
    super(...(message === undefined ? [] : [message]));
    define(this, "error", error, false);
    define(this, "suppressed", suppressed, false);
  }
}

export class Float16ArrayStandIn extends Uint16Array {
  constructor(source, ...rest) {
    super(Array.isArray(source) ? source.map(halfBits) : source, ...rest);
  }
}

// Half-precision bits of a number that is exact in half precision.
export function halfBits(number) {
  if (Number.isNaN(number)) return 0x7e00;
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  const size = Math.abs(number);
  if (size === 0) return sign;
  if (size === Infinity) return sign | 0x7c00;
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const mantissa = size / 2 ** (exponent - 10);
  if (!Number.isInteger(mantissa) || exponent > 15) throw new Error(`${number} is not exact in half precision`);
  return sign | (mantissa < 1024 ? mantissa : ((exponent + 15) << 10) | (mantissa - 1024));
}

export const errorConstructors = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError, SuppressedErrorStandIn];

// By code of the element kind. A stand-in comes before the class it extends where a value is looked up (see `kindOf`).
export const viewConstructors = [
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float16ArrayStandIn,
  Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView,
];
export const elementSizes = [1, 1, 1, 2, 2, 4, 4, 2, 4, 8, 8, 8, 1];

export function kindOf(view) {
  return view instanceof Float16ArrayStandIn ? 7 : viewConstructors.findIndex((constructor) => view instanceof constructor);
}

// `new TypeError("m")` without the `stack` that engines add.
export function bareError(constructor, args) {
  const error = Reflect.construct(constructor, args);
  delete error.stack;
  return error;
}

// An engine of 2023 refuses a tracking view where the buffer's length leaves a rest, though ECMA-262 allows it: the buffer is shortened meanwhile.
export function trackedView(constructor, args) {
  const [buffer, offset = 0, length] = args;
  if (!(buffer instanceof ArrayBuffer && buffer.resizable && length === undefined)) return Reflect.construct(constructor, args);
  const content = new Uint8Array(buffer).slice();
  buffer.resize(offset);
  const view = Reflect.construct(constructor, args);
  buffer.resize(content.length);
  new Uint8Array(buffer).set(content);
  tracking.add(view);
  return view;
}

const scope = { instance, derived, custom };
for (const constructor of errorConstructors) {
  scope[constructor.name.replace("StandIn", "")] = new Proxy(constructor, { construct: bareError });
}
for (const constructor of viewConstructors) {
  scope[constructor.name.replace("StandIn", "")] = new Proxy(constructor, { construct: trackedView });
}

export function evaluate(js) {
  return new Function(...Object.keys(scope), `"use strict"; return (${js});`)(...Object.values(scope));
}

// One section of a message: where it is read, and the reading errors of section 11.

export class Fault extends Error {
  constructor(kind, offset) {
    super(`${kind} at ${offset}`);
    Object.assign(this, { kind, offset });
  }
}

export function fail(kind, offset) {
  throw new Fault(kind, offset);
}

export class Cursor {
  constructor(bytes, at, end) {
    Object.assign(this, { bytes, start: at, at, end });
  }

  get left() {
    return this.end - this.at;
  }

  u8() {
    return this.inline(1)[0];
  }

  inline(length) {
    if (length > this.left) fail("truncated", this.at);
    const start = this.at;
    this.at += length;
    return this.bytes.subarray(start, this.at);
  }

  fixed(method, size) {
    const bytes = this.inline(size);
    return new DataView(bytes.buffer, bytes.byteOffset, size)[`get${method}`](0, true);
  }

  // As a number; what is over 2^53 is rounded, which no check of a length or index can tell.
  varint() {
    return Number(this.exactVarint());
  }

  exactVarint() {
    const start = this.at;
    let value = 0n;
    for (let index = 0n; ; index++) {
      if (this.at === this.end) fail("truncated", start);
      const byte = this.bytes[this.at++];
      value |= BigInt(byte & 127) << (7n * index);
      if (index === 9n && byte > 1) fail("bad-varint", start);
      if (byte === 0 && index > 0n) fail("bad-varint", start);
      if (byte < 128) return value;
    }
  }
}

// What stands twice is found when all has been read (section 11).
export class Distinct {
  seen = new Set();

  constructor(kind) {
    this.kind = kind;
  }

  add(item, at) {
    if (this.seen.has(item)) this.twice ??= at;
    this.seen.add(item);
  }

  finish() {
    if (this.twice !== undefined) fail(this.kind, this.twice);
  }
}

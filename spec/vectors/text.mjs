// The offset of the first byte of the first malformed UTF-8 sequence between two offsets, if there is one.

export function firstMalformed(bytes, from, to) {
  for (let at = from; at < to; ) {
    const length = sequenceLength(bytes, at, to);
    if (length === 0) return at;
    at += length;
  }
  return undefined;
}

function sequenceLength(bytes, at, to) {
  const first = bytes[at];
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > to) return 0;
  for (let next = 1; next < length; next++) if ((bytes[at + next] & 0xc0) !== 0x80) return 0;
  const second = bytes[at + 1];
  const overlong = (first === 0xe0 && second < 0xa0) || (first === 0xf0 && second < 0x90);
  const surrogate = first === 0xed && second > 0x9f;
  const beyond = first === 0xf4 && second > 0x8f;
  return overlong || surrogate || beyond ? 0 : length;
}

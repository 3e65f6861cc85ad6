"""Writes snapshots.json from spec/snapshot.md alone, without a library of this project.

Needs the packages xxhash, zstandard, lz4 and brotli. With --check it writes nothing and fails if the file differs
(compressed bytes depend on the versions of those packages, so only --check of the versions that wrote it is exact).
"""

import gzip
import json
import pathlib
import struct
import sys
import zlib

import brotli
import lz4.frame
import xxhash
import zstandard

MAGIC = bytes.fromhex("D7536E61700D0A1A")
TRUE = bytes.fromhex("D74D010001C3")
# A Uint8Array of 65,600 bytes, i % 251: more than one block.
BYTES = bytes(i % 251 for i in range(65_600))
LARGE = bytes.fromhex("D74D0104") + bytes([5, 0xC0, 0x80, 0x04]) + bytes.fromhex("DE01C08004")
LARGE += bytes(-len(LARGE) % 8) + BYTES
# {application: "app", schemaVersion: 3, time: new Date(1000)}
KEYS = b"\x00\x01\x00\x03" + b"\x2capplication" + b"\x34schemaVersion" + b"\x10time"
STRUCTURE = b"\xa0\x43\x03\xd8" + struct.pack("<d", 1000.0)
METADATA = bytes.fromhex("D74D0103") + bytes([len(STRUCTURE), len(KEYS), 3]) + KEYS + STRUCTURE + b"app"


def checksum(data):
    return xxhash.xxh3_64_intdigest(data)


def pad(data):
    return data + bytes(-len(data) % 8)


def snapshot(message, compression=0, stored=None, metadata=b"", dictionary=0, **fields):
    stored = message if stored is None else stored
    blocks = [stored[i : i + 65536] for i in range(0, len(stored), 65536)]
    table = b"".join(struct.pack("<Q", checksum(block)) for block in blocks)
    values = {
        "version": 1, "compression": compression, "zero": 0, "metadata_len": len(metadata), "stored_len": len(stored),
        "message_len": len(message), "table": checksum(table), "message_checksum": checksum(message) if compression else 0,
        "dictionary": dictionary,
    } | fields
    head = MAGIC + struct.pack(
        "<BBHIQQQQQ", values["version"], values["compression"], values["zero"], values["metadata_len"], values["stored_len"],
        values["message_len"], values["table"], values["message_checksum"], values["dictionary"],
    )
    head += struct.pack("<Q", checksum(head + metadata))
    return pad(pad(head + metadata) + stored) + table


valid = [
    ("true", True, TRUE, snapshot(TRUE)),
    ("more than one block", True, LARGE, snapshot(LARGE)),
    ("metadata", False, TRUE, snapshot(TRUE, metadata=METADATA)),
    ("zstd", False, TRUE, snapshot(TRUE, 1, zstandard.compress(TRUE))),
    ("lz4", False, TRUE, snapshot(TRUE, 2, lz4.frame.compress(TRUE))),
    ("gzip", False, TRUE, snapshot(TRUE, 3, gzip.compress(TRUE, mtime=0))),
    ("deflate", False, TRUE, snapshot(TRUE, 4, zlib.compress(TRUE))),
    ("brotli", False, TRUE, snapshot(TRUE, 5, brotli.compress(TRUE))),
    ("a message and nothing else", False, TRUE, TRUE),
    ("a message in zstd and nothing else", False, TRUE, zstandard.compress(TRUE)),
    ("a message in lz4 and nothing else", False, TRUE, lz4.frame.compress(TRUE)),
    ("a message in gzip and nothing else", False, TRUE, gzip.compress(TRUE, mtime=0)),
    ("a message in deflate and nothing else", False, TRUE, zlib.compress(TRUE)),
]

whole = snapshot(TRUE)


def changed(data, at, byte):
    return data[:at] + bytes([byte]) + data[at + 1 :]


def flipped(data, at):
    return changed(data, at, data[at] ^ 1)


zstd = zstandard.compress(TRUE)
invalid = [
    ("empty", "truncated", 0, b""),
    ("JSON", "bad-magic", 0, b"{}"),
    ("magic after a change of line ends", "bad-magic", 0, MAGIC.replace(b"\r\n", b"\n") + whole[8:]),
    ("magic cut off", "truncated", 7, whole[:7]),
    ("header cut off", "truncated", 63, whole[:63]),
    ("version 0", "unsupported-version", 8, snapshot(TRUE, version=0)),
    ("version 2", "unsupported-version", 8, snapshot(TRUE, version=2)),
    ("compression 6", "bad-snapshot", 9, snapshot(TRUE, compression=6)),
    ("first reserved byte", "bad-snapshot", 10, snapshot(TRUE, zero=1)),
    ("second reserved byte", "bad-snapshot", 11, snapshot(TRUE, zero=256)),
    ("metadata over its bound", "bad-snapshot", 12, snapshot(TRUE, metadata_len=(1 << 20) + 1)),
    ("stored bytes over their bound", "bad-snapshot", 16, snapshot(TRUE, stored_len=(1 << 56) + 1)),
    ("stored bytes of 2^64 - 1", "bad-snapshot", 16, snapshot(TRUE, stored_len=(1 << 64) - 1)),
    ("lengths that differ without compression", "bad-snapshot", 24, snapshot(TRUE, message_len=7)),
    ("a message checksum without compression", "bad-snapshot", 40, snapshot(TRUE, message_checksum=1)),
    ("a dictionary without compression", "bad-snapshot", 48, snapshot(TRUE, dictionary=1)),
    ("a dictionary for gzip", "bad-snapshot", 48, snapshot(TRUE, 3, gzip.compress(TRUE, mtime=0), dictionary=1)),
    ("metadata cut off", "truncated", 70, snapshot(TRUE, metadata=METADATA)[:70]),
    ("a flipped bit in the header", "damaged", 56, flipped(whole, 32)),
    ("a flipped bit in the header's checksum", "damaged", 56, flipped(whole, 56)),
    ("a flipped bit in the metadata", "damaged", 56, flipped(snapshot(TRUE, metadata=METADATA), 70)),
    ("padding behind the metadata", "bad-padding", 64 + len(METADATA), changed(snapshot(TRUE, metadata=METADATA), 64 + len(METADATA), 1)),
    ("padding behind the stored bytes", "bad-padding", 71, changed(whole, 71, 1)),
    ("stored bytes cut off", "truncated", 67, whole[:67]),
    ("table cut off", "truncated", len(whole) - 1, whole[:-1]),
    ("table missing", "truncated", 72, whole[:72]),
    ("a byte behind the table", "trailing-bytes", len(whole), whole + b"\0"),
    ("stored bytes longer than the file", "truncated", len(whole), snapshot(TRUE, stored_len=1000, message_len=1000)),
    ("a flipped bit in the table", "damaged", 72, flipped(whole, 72)),
    ("a flipped bit in the message", "damaged", 64, flipped(whole, 69)),
    ("metadata that is no message", "bad-magic", 0, snapshot(TRUE, metadata=b"{}")),
    ("a flipped bit in compressed bytes", "damaged", 64, flipped(snapshot(TRUE, 1, zstd), 66)),
    ("compressed bytes of another format", "bad-compression", None, snapshot(TRUE, 3, zstd)),
    ("compressed bytes cut off", "bad-compression", None, snapshot(TRUE, 1, zstd[:-1])),
    ("a byte behind compressed bytes", "bad-compression", None, snapshot(TRUE, 4, zlib.compress(TRUE) + b"\0")),
    ("a message longer than the header says", "limit-exceeded", None, snapshot(TRUE, 1, zstd, message_len=5)),
    ("a message shorter than the header says", "damaged", 64, snapshot(TRUE, 1, zstd, message_len=7)),
    ("a message of another checksum", "damaged", 64, snapshot(TRUE, 1, zstd, message_checksum=1)),
    ("a dictionary that is not at hand", "bad-compression", None, snapshot(TRUE, 1, zstd, dictionary=1)),
]

rows = [{"name": n, "hex": f.hex(), "message": m.hex()} | ({"plain": True} if p else {}) for n, p, m, f in valid]
rows += [{"name": n, "hex": f.hex(), "error": e} | ({} if o is None else {"offset": o}) for n, e, o, f in invalid]
text = "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
path = pathlib.Path(__file__).with_name("snapshots.json")
if "--check" in sys.argv:
    sys.exit(0 if path.read_text() == text else "snapshots.json differs")
path.write_text(text)
spec = {"@TABLE@": whole[32:40], "@HEAD@": whole[56:64], "@BLOCK@": whole[72:80]}
for name, value in spec.items():
    print(name, value.hex(" ").upper())

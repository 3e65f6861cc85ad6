#!/usr/bin/env python3
"""Cuts the power under a process that saves in a loop, and looks at what is left. Needs root, ext4 and loop devices.

Each cut: an ext4 file system on a loop device (`noauto_da_alloc`, so the kernel repairs nothing), a writer that saves
and acknowledges, then EXT4_IOC_SHUTDOWN without a log flush at a random instant, and the file system is mounted again.
Torn: the snapshot does not load. Lost: it holds an older state than one that was acknowledged before the cut.

The writers `none` (renames without syncing), `in-place` (truncates and writes) and `data` (does not sync the directory,
so it loses but never tears) must be caught: they show what the script can notice. Usage: snapshot-power-cut.py [CUTS of the good writer, default 200] [CUTS of each bad one, default 60]
"""

import fcntl
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time

EXT4_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
STATE_LEN = 40_000

root = pathlib.Path(__file__).resolve().parent.parent


def test_binary():
    build = subprocess.run(
        ["cargo", "test", "--release", "--features", "snapshot", "--test", "snapshot", "--no-run", "--message-format=json"],
        cwd=root, check=True, stdout=subprocess.PIPE, text=True,
    )
    messages = [json.loads(line) for line in build.stdout.splitlines()]
    return next(m["executable"] for m in messages if m.get("target", {}).get("name") == "snapshot" and m.get("executable"))


def child(binary, path, writer, first):
    env = os.environ | {
        "MARSHAL_CHILD_PATH": str(path), "MARSHAL_CHILD_WRITER": writer, "MARSHAL_CHILD_FIRST": str(first),
        "MARSHAL_CHILD_STEP": "1", "MARSHAL_CHILD_LEN": str(STATE_LEN), "MARSHAL_CHILD_COUNT": "1000000",
    }
    return subprocess.Popen(
        [binary, "--exact", "child", "--ignored", "--nocapture"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )


def number(line, word):
    return int(line.split(word + " ")[1]) if word + " " in line and line.endswith("\n") else None


class Acknowledged(threading.Thread):
    """Follows what the writer says that it has saved."""

    def __init__(self, lines):
        super().__init__(daemon=True)
        self.lines, self.last = lines, 0
        self.start()

    def run(self):
        for line in self.lines:
            self.last = number(line, "saved") or self.last


def cut_once(binary, image, mount, writer):
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    subprocess.run(["mount", "-o", "loop,noauto_da_alloc", image, mount], check=True)
    path = mount / "state.marshal"
    process = child(binary, path, writer, 1)
    acknowledged = Acknowledged(process.stdout)
    # Past the first saves; then a random instant.
    while acknowledged.last < 2:
        time.sleep(0.001)
    time.sleep(random.random() * 0.25)
    last = acknowledged.last
    handle = os.open(mount, os.O_RDONLY)
    fcntl.ioctl(handle, EXT4_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
    os.close(handle)
    process.kill()
    process.wait()
    subprocess.run(["umount", mount], check=True)
    subprocess.run(["mount", "-o", "loop,noauto_da_alloc", image, mount], check=True)
    output = child(binary, path, "check", 0).communicate()[0]
    subprocess.run(["umount", mount], check=True)
    held = [number(line, "holds") for line in output.splitlines(keepends=True) if "holds " in line]
    if not held:
        return "torn"
    return "lost" if held[0] < last else "good"


def main():
    if os.geteuid() != 0:
        sys.exit("needs root, to mount")
    good_cuts = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    bad_cuts = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    binary = test_binary()
    failed = False
    with tempfile.TemporaryDirectory() as directory:
        image, mount = pathlib.Path(directory, "disk"), pathlib.Path(directory, "mount")
        mount.mkdir()
        with open(image, "wb") as file:
            file.truncate(48 << 20)
        for writer, cuts in [("full", good_cuts), ("data", bad_cuts), ("none", bad_cuts), ("in-place", bad_cuts)]:
            try:
                outcomes = [cut_once(binary, image, mount, writer) for _ in range(cuts)]
            finally:
                subprocess.run(["umount", mount], stderr=subprocess.DEVNULL)
            torn, lost = outcomes.count("torn"), outcomes.count("lost")
            print(f"{writer}: {cuts} cuts, {torn} torn, {lost} acknowledged saves lost", flush=True)
            if writer == "full":
                failed |= torn + lost > 0
            elif writer == "data":
                failed |= torn > 0 or lost == 0
            else:
                failed |= torn + lost == 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

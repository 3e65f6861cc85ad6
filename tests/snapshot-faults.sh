#!/usr/bin/env bash
# Faults that the kernel itself reports: each step of a save fails in turn (strace injects the error), and a disk is full.
# The old state has to survive, nothing may be left behind, and the error has to name the step.
# Needs strace, and root for the full disk (a small tmpfs).
set -euo pipefail
cd "$(dirname "$0")/.."
binary=$(cargo test --release --features snapshot --test snapshot --no-run --message-format=json 2>/dev/null |
    python3 -c 'import json, sys; print([m["executable"] for m in map(json.loads, sys.stdin) if m.get("target", {}).get("name") == "snapshot" and m.get("executable")][0])')
directory=$(mktemp -d)
trap 'umount "$directory/small" 2>/dev/null || true; rm -rf "$directory"' EXIT
export MARSHAL_CHILD_STEP=1 MARSHAL_CHILD_COUNT=1 MARSHAL_CHILD_LEN=20000
failures=0

child() { # WRITER NUMBER [LEN]
    MARSHAL_CHILD_WRITER=$1 MARSHAL_CHILD_FIRST=$2 MARSHAL_CHILD_LEN=${3:-20000} MARSHAL_CHILD_PATH="$path" \
        "${wrap[@]}" "$binary" --exact child --ignored --nocapture 2>/dev/null | grep -oE '(saved|holds|failed|torn) .*' || true
}

expect() { # NAME WORDS STATE
    local name=$1 words=$2 state=$3 said held names
    said=$(child full 2 "${len:-20000}")
    wrap=()
    held=$(child check 0)
    names=$(ls -A "$(dirname "$path")" | tr '\n' ' ')
    if [[ $said == *"$words"* && $held == "holds $state" && $names == "state.marshal " ]]; then
        echo "ok    $name: $said"
    else
        echo "FAIL  $name: said '$said', $held, files: $names"
        failures=$((failures + 1))
    fi
}

mkdir "$directory/disk" "$directory/small"
path=$directory/disk/state.marshal
fault() { # NAME CALLS ERROR WORDS STATE [WHEN]
    wrap=()
    child full 1 >/dev/null
    wrap=(strace -f -qq -o /dev/null -e "trace=$2" -e "inject=$2:error=$3:when=${6:-1}")
    expect "$1" "$4" "$5"
}
fault "no space while writing" write ENOSPC "failed" 1 5+
fault "sync" fsync EIO "failed io: could not sync the temporary file" 1 1+
fault "rename" rename,renameat,renameat2 EXDEV "failed io: could not rename the temporary file" 1 1+
fault "sync of the directory" fsync EIO "failed not-durable: could not sync the directory" 2 2+
fault "a file system without locks" flock ENOLCK "saved 2" 2 1+

if [ "$(id -u)" = 0 ]; then
    mount -t tmpfs -o size=128k none "$directory/small"
    path=$directory/small/state.marshal
    wrap=()
    child full 1 4000 >/dev/null
    wrap=()
    len=200000 expect "full disk" "failed io: could not write the temporary file" 1
fi
exit $((failures > 0))

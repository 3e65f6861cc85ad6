#!/usr/bin/env bash
# The long forms of the snapshot tests: 1,000 kills and 100,000 random damages. Takes a few minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
MARSHAL_FULL_TESTS=1 cargo test --release --features snapshot --test snapshot -- --nocapture --test-threads 2

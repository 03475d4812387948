#!/usr/bin/env bash
# Says where the program and the toolkits are kept, and under which keys of the cache.
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ "${INPUT_VERSION:-}" =~ ^([0-9]+\.[0-9]+\.[0-9]+[0-9A-Za-z.+-]*)?$ ]] ||
    fail "the input \`version\` is no version: write it like 0.1.0"
[[ "${INPUT_CUDA:-}" =~ ^([0-9]+\.[0-9]+)?$ ]] || fail "the input \`cuda\` is no release: write it like 13.0"
enter_working_directory

# Another revision of the action is another program, where it is built from the action's sources.
sources() {
    cd "$action"
    find Cargo.toml Cargo.lock src cargo-occlint/Cargo.toml cargo-occlint/src -type f -print0 |
        LC_ALL=C sort -z | xargs -0 cat
}
version="${INPUT_VERSION:-$(sources | digest)}"

# What the manifests pin: a new pin is a new folder of toolkits, another dependency is not.
pins() {
    printf '%s\n' "${INPUT_CUDA:-}"
    cd "$(git rev-parse --show-toplevel 2>/dev/null || pwd)"
    find . -name target -prune -o -name Cargo.toml -type f -print0 | LC_ALL=C sort -z |
        xargs -0 grep -hE '^[[:space:]]*cuda(-extra)?[[:space:]]*=' || true
}
machine="$(uname -s)-$(uname -m)${ImageOS:+-$ImageOS}"
kept="${RUNNER_TOOL_CACHE:-$HOME/.cache}/occlint"
program="$kept/program-$version"
output program "$program"
output program-key "occlint-program-$machine-$version"
output toolkits "${OCCLINT_HOME:-$kept/toolkits}"
output toolkits-key "occlint-toolkits-$machine-$version-${INPUT_CUDA:-configured}-$(pins | digest)"

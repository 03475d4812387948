#!/usr/bin/env bash
# Installs cargo-occlint, where the cache had none that runs here, and leaves it and the folder of toolkits to the steps that follow.
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

program="$OCCLINT_PROGRAM/bin/cargo-occlint"
if ! "$program" --version 2>/dev/null; then
    # Not in the crate's folder: its toolchain file and its .cargo/config.toml are not about occlint.
    cd "$action"
    if [[ -n "${INPUT_VERSION:-}" ]]; then
        cargo install --locked --force --root "$OCCLINT_PROGRAM" --version "=$INPUT_VERSION" cargo-occlint
    else
        cargo install --locked --force --root "$OCCLINT_PROGRAM" --path cargo-occlint
    fi
    "$program" --version
fi
mkdir -p "$OCCLINT_TOOLKITS"
printf '%s\n' "$OCCLINT_PROGRAM/bin" >>"${GITHUB_PATH:-/dev/null}"
printf 'OCCLINT_HOME=%s\n' "$OCCLINT_TOOLKITS" >>"${GITHUB_ENV:-/dev/null}"

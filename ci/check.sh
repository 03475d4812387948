#!/usr/bin/env bash
# Runs the check with the action's inputs and ends with its exit status.
set -euo pipefail
# shellcheck source=ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

enter_working_directory
command -v cargo-occlint >/dev/null || fail "cargo-occlint is not installed: nothing could be checked"
made="$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/occlint.XXXXXX")"
absolute() { case "$1" in /*) printf '%s' "$1" ;; *) printf '%s/%s' "$PWD" "$1" ;; esac; }
comment="$(absolute "${INPUT_COMMENT_FILE:-$made/occlint.md}")"
sarif="$(absolute "${INPUT_SARIF_FILE:-$made/occlint.sarif}")"
json="$(absolute "${INPUT_JSON_FILE:-$made/occlint.json}")"

# `--option=value`: a value that begins with a dash stays a value.
arguments=(occlint)
if [[ -n "${INPUT_AGAINST:-}" ]]; then
    [[ -z "${INPUT_BASELINE:-}" ]] || fail "the inputs \`against\` and \`baseline\` exclude each other"
    arguments+=(diff)
fi
arguments+=(--output="github=$made/annotations" --output="markdown=$comment" --output="sarif=$sarif" --output="json=$json")
[[ -z "${INPUT_CUDA:-}" ]] || arguments+=(--cuda="$INPUT_CUDA")
[[ -z "${INPUT_ARCH:-}" ]] || arguments+=(--arch="$INPUT_ARCH")
[[ -z "${INPUT_BASELINE:-}" ]] || arguments+=(--baseline="$INPUT_BASELINE")
case "${INPUT_DENY_WARNINGS:-false}" in
    true) arguments+=(--deny=warnings) ;;
    false) ;;
    *) fail "the input \`deny-warnings\` is true or false" ;;
esac

# Words with the quotes and backslashes of a shell, and nothing else of it: xargs splits, nothing is expanded.
words() {
    printf '%s\n' "$2" | xargs -r printf '%s\0' >"$made/words" || fail "the input \`$1\` has a quote without its other half"
}
words packages "${INPUT_PACKAGES:-}"
while IFS= read -r -d '' word; do arguments+=(--package="$word"); done <"$made/words"
words args "${INPUT_ARGS:-}"
while IFS= read -r -d '' word; do arguments+=("$word"); done <"$made/words"
[[ -z "${INPUT_AGAINST:-}" ]] || arguments+=(-- "$INPUT_AGAINST")

# Not through cargo, where an alias of the crate could take the name.
status=0
cargo-occlint "${arguments[@]}" >"$made/words" || status=$?

[[ ! -f "$made/annotations" ]] || cat "$made/annotations"
# The report in words is no command of the workflow, whatever stands in it.
token="occlint-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
printf '::group::occlint\n::stop-commands::%s\n' "$token"
cat "$made/words"
printf '\n::%s::\n::endgroup::\n' "$token"

# Green without a report is not green.
if [[ "$status" -eq 0 && ! -f "$json" ]]; then
    printf '::error title=occlint::the run left no report: nothing was checked\n'
    status=101
fi
output status "$status"
report() { [[ ! -f "$2" ]] || output "$1" "$2"; }
report comment-file "$comment"
report sarif-file "$sarif"
report json-file "$json"
exit "$status"

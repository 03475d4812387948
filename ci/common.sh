# What the action's scripts share; sourced. Nothing that they are given is evaluated.

action="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

# Nothing could be checked: that is the status of cargo occlint for it.
fail() {
    printf '::error title=occlint::%s\n' "$1"
    exit 101
}

# The first digits of what comes in.
digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -c 1-16
}

# An output of the step; a value with a line break in it would be further outputs.
output() {
    case "$2" in *$'\n'* | *$'\r'*) fail "\`$1\` has a line break in it" ;; esac
    printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"
}

enter_working_directory() {
    cd -- "${INPUT_WORKING_DIRECTORY:-.}" || fail "the input \`working-directory\` is no folder"
}

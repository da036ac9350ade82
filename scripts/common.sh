# Functions that the scripts beside this file share. It is sourced, not run.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "root is needed for: $*"
  fi
}

# debian_packages installs those of the named packages that are not there.
debian_packages() {
  local missing=() package
  command -v dpkg-query >/dev/null || fail "please install what these Debian packages hold: $*"
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  say "Debian packages: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# need_go wants Go as new as go.mod says; an older one that can fetch toolchains is enough.
need_go() {
  command -v go >/dev/null || fail "Go $(sed -n 's/^go //p' go.mod) or newer is needed: https://go.dev/dl"
  go version >/dev/null || fail "this Go can't provide Go $(sed -n 's/^go //p' go.mod), which go.mod asks for"
}

# need_certificates provides what Go, apt and npm trust a server by; a bare Debian has none.
need_certificates() {
  [ -e /etc/ssl/certs/ca-certificates.crt ] || ! command -v dpkg-query >/dev/null || debian_packages ca-certificates
}

# need_c_compiler provides the compiler that cgo needs for tree-sitter.
need_c_compiler() {
  if ! command -v "${CC:-gcc}" >/dev/null || ! echo '#include <stdlib.h>' | "${CC:-gcc}" -E - >/dev/null 2>&1; then
    debian_packages gcc libc6-dev
  fi
}

# recent_clang: is there a clang 16 or newer?
recent_clang() {
  local name version
  for name in $(compgen -c clang | grep -xE 'clang(-[0-9]+)?' | sort -u); do
    version=$("$name" -dumpversion 2>/dev/null | cut -d. -f1)
    [ "${version:-0}" -lt 16 ] || return 0
  done
  return 1
}

#!/usr/bin/env bash
# Installs what the end-to-end tests of the extension need on Debian with Node 20: a browser, the
# real VS Code (as code-server, which is built for Node 20), and the extension's npm packages.
# Does nothing where all is there. code-server goes to $WARPLINT_CACHE (default: .cache).
set -euo pipefail

version=4.100.3
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${WARPLINT_CACHE:-$root/.cache}
editor=$cache/code-server-$version

say() { printf 'install-vscode: %s\n' "$*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Headers for kerberos, a compiler for the native modules, a browser, and a font for its text.
install_packages() {
  local missing=() package
  for package in chromium fonts-dejavu-core libkrb5-dev python3 make g++; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  say "Debian packages: ${missing[*]}"
  as_root apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Builds the native modules that the editor loads, with this Node's own headers where it has them.
build_native_modules() {
  local prefix
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  if [ -e "$prefix/include/node/node.h" ]; then export npm_config_nodedir=$prefix; fi
  export npm_config_build_from_source=true
  (cd "$1/lib/vscode" && npm rebuild kerberos @vscode/deviceid @vscode/spdlog native-watchdog) &&
    (cd "$2/argon2" && npx node-pre-gyp install --build-from-source)
}

# The package's own postinstall would also fetch ripgrep and build a terminal, which no test uses:
# its other steps are done here one by one.
install_editor() {
  [ -e "$editor/installed" ] && return
  local package=$editor/node_modules/code-server
  say "VS Code (code-server $version) in $editor"
  rm -rf "$editor"
  mkdir -p "$editor"
  echo '{"private": true}' >"$editor/package.json"
  (cd "$editor" && npm install --ignore-scripts --no-audit --no-fund "code-server@$version")
  for folder in "$package/lib/vscode" "$package/lib/vscode/extensions"; do
    (cd "$folder" && npm install --omit=dev --ignore-scripts --no-audit --no-fund)
  done
  ln -s node_modules "$package/lib/vscode/node_modules.asar"
  build_native_modules "$package" "$editor/node_modules" >"$editor/build.log" 2>&1 || {
    tail -n 40 "$editor/build.log" >&2
    say "a native module could not be built; all of it is in $editor/build.log" >&2
    return 1
  }
  node "$package/out/node/entry.js" --version --config "$editor/config.yaml"
  touch "$editor/installed"
}

install_extension_packages() {
  cd "$root/vscode-extension"
  # npm leaves a copy of the lock file's content behind; an older one means that it changed since.
  [ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
}

command -v node >/dev/null || { say "Node 20 is needed" >&2; exit 1; }
mkdir -p "$cache"
exec 9>"$cache/install-vscode.lock"
flock 9
install_packages
install_editor
install_extension_packages

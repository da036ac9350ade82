#!/usr/bin/env bash
# Installs what the end-to-end tests of the extension need on Debian with Node 20: a browser, the
# real VS Code (as code-server, which is built for Node 20), and the extension's npm packages.
# Does nothing where all is there. code-server goes to $WARPLINT_CACHE (default: .cache).
set -euo pipefail

version=4.100.3
root=$(cd "$(dirname "$0")/.." && pwd)
. "$root/scripts/common.sh"
cache=${WARPLINT_CACHE:-$root/.cache}
editor=$cache/code-server-$version

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
    fail "a native module could not be built; the whole log is $editor/build.log"
  }
  node "$package/out/node/entry.js" --version --config "$editor/config.yaml"
  touch "$editor/installed"
}

install_extension_packages() {
  cd "$root/vscode-extension"
  local installed=node_modules/.warplint-lock.json # the lock file that was installed last
  cmp -s package-lock.json "$installed" && return
  npm ci --no-audit --no-fund
  cp package-lock.json "$installed"
}

command -v node >/dev/null || fail "Node 20 is needed: https://nodejs.org"
mkdir -p "$cache"
exec 9>"$cache/install-vscode.lock"
flock 9
# A browser and a font for its text; headers and a compiler for the native modules.
debian_packages chromium fonts-dejavu-core libkrb5-dev python3 make g++
install_editor
install_extension_packages

#!/usr/bin/env bash
# Installs what the tests need and runs all of them: format, vet, build, Go tests, and the VS
# Code extension's checks and end-to-end test in the real editor. `.ci/run` calls it.
#
# With arguments, only the Go packages that they name: scripts/test.sh ./analysis/...
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

need_certificates
need_go
need_c_compiler
# git says which files are ours; z3 is the second opinion of the prover's tests; Neovim drives the
# language server; clang compiles for the simulator: 16 or newer, since clang 14 miscompiles a signed
# bit field to PTX.
debian_packages git z3 neovim
recent_clang || debian_packages clang-19

# Before there are npm packages, some of which hold Go files.
packages=$(go list "${@:-./...}")

# What the extension's tests need comes mostly from the network, while Go compiles and tests.
if [ $# = 0 ]; then
  log=$(mktemp)
  scripts/install-vscode.sh >"$log" 2>&1 &
  installing=$!
  trap 'wait; rm -f "$log"' EXIT
fi

say "gofmt"
unformatted=$(git ls-files -z '*.go' | xargs -0 gofmt -l)
[ -z "$unformatted" ] || fail "not formatted: $unformatted"

# As the extension's package is built, so that all is compiled once. Tests make much garbage on small heaps: collected as
# seldom as `warplint check` does it, they take a third less.
GOFLAGS="$(go env GOFLAGS) -trimpath"
export GOFLAGS GOGC=400

say "go vet"
go vet $packages

say "go test"
go test -vet=off -timeout 18m $packages
[ $# = 0 ] || exit 0

say "VS Code extension: what its tests need"
wait "$installing" || {
  cat "$log" >&2
  fail "scripts/install-vscode.sh failed"
}
cd vscode-extension
say "VS Code extension: types and lint"
npm run --silent check
say "VS Code extension: package, and end-to-end test in the real editor"
npm run --silent test:e2e

say "all tests passed"

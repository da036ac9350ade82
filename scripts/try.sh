#!/usr/bin/env bash
# Installs what is missing, builds warplint into bin/, and checks the examples with it. The
# examples are racy on purpose: the races are shown, and the exit status is 0 all the same.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/common.sh

need_certificates
need_go
need_c_compiler

say "build bin/warplint (a minute for the first time: the parser is C)"
go build -o bin/warplint ./cmd/warplint

say "bin/warplint check examples/"
bin/warplint check --fail-on never examples/

say "bin/warplint check examples/fixed/: the same programs, mended"
bin/warplint check examples/fixed/

#!/bin/sh
# Compiles situations.cu to PTX: compile.sh [clang++] (tried with clang 19).
cd "$(dirname "$0")"
"${1:-clang++-19}" -x cuda --cuda-device-only -S --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
  -Xclang -target-sdk-version=11.8 --cuda-feature=+ptx75 -include device.h -O1 -gline-tables-only \
  -mllvm -simplifycfg-sink-common=false -mllvm -simplifycfg-hoist-common=false \
  -fno-ident -fdebug-compilation-dir=. -Wno-unknown-cuda-version situations.cu -o situations.ptx

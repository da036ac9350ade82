#!/bin/sh
# Compiles each kernel file here to PTX: compile.sh [clang++] (tried with clang 19).
#
# basic-nvcc.ptx is from nvcc 13.0, run in another folder as
#   nvcc -arch=sm_80 -ptx -lineinfo -include pre.h basic.cu -o basic-nvcc.ptx
# where pre.h includes <assert.h> and <cstdio> and defines the types uint and ull.
cd "$(dirname "$0")"
for source in *.cu; do
  "${1:-clang++-19}" -x cuda --cuda-device-only -S --cuda-gpu-arch=sm_80 -nocudainc -nocudalib \
    -Xclang -target-sdk-version=11.8 --cuda-feature=+ptx75 -include device.h -O1 -gline-tables-only \
    -fno-ident -fdebug-compilation-dir=. -Wno-unknown-cuda-version "$source" -o "${source%.cu}.ptx" || exit 1
done

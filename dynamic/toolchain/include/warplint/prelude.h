// What is compiled once for all CUDA files, which begin with it.
#include <cuda_runtime.h>

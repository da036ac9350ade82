// What a texture or surface object points to, in device memory: written by the runtime library,
// read by the texture functions of device code.
#pragma once
#include "driver_types.h"

struct warplint_texture {
  unsigned long long memory;         // address of the first element
  unsigned long long pitch, slice;   // bytes from row to row and from layer to layer
  int width, height, depth;          // elements; at least 1
  int channels, bits, kind;          // per element: how many, of how many bits, cudaChannelFormatKind
  int mode[3];                       // cudaTextureAddressMode of each dimension
  int linear_filter, normalized_read, normalized_coordinates;
  float border[4];
  int levels, linear_levels;         // of a mipmapped array: how many, each a structure behind the one before
  float level_bias, least_level, most_level;
};

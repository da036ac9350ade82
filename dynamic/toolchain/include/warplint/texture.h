// Textures and surfaces, in software: what the CUDA C++ Programming Guide says of texture
// fetching (appendix "Texture Fetching"), done with plain loads of the memory behind the object,
// so that detectors see them.
#pragma once
#include "warplint/texture_layout.h"

namespace warplint {

// How a value of type T is made of channels.
template <class T> struct channels {
  typedef T scalar;
  static constexpr int count = 1;
  WARPLINT_METHOD static scalar &at(T &value, int) { return value; }
};
#define WARPLINT_CHANNELS(name, type)                                                                  \
  template <> struct channels<name##1> {                                                               \
    typedef type scalar;                                                                               \
    static constexpr int count = 1;                                                                    \
    WARPLINT_METHOD static scalar &at(name##1 &value, int) { return value.x; }                         \
  };                                                                                                   \
  template <> struct channels<name##2> {                                                               \
    typedef type scalar;                                                                               \
    static constexpr int count = 2;                                                                    \
    WARPLINT_METHOD static scalar &at(name##2 &value, int i) { return i ? value.y : value.x; }         \
  };                                                                                                   \
  template <> struct channels<name##4> {                                                               \
    typedef type scalar;                                                                               \
    static constexpr int count = 4;                                                                    \
    WARPLINT_METHOD static scalar &at(name##4 &value, int i) { return i == 0 ? value.x : i == 1 ? value.y : i == 2 ? value.z : value.w; } \
  };
WARPLINT_CHANNELS(char, signed char)
WARPLINT_CHANNELS(uchar, unsigned char)
WARPLINT_CHANNELS(short, short)
WARPLINT_CHANNELS(ushort, unsigned short)
WARPLINT_CHANNELS(int, int)
WARPLINT_CHANNELS(uint, unsigned)
WARPLINT_CHANNELS(float, float)
#undef WARPLINT_CHANNELS

// One channel as a number: as it is, or mapped to [0, 1] or [-1, 1].
template <class S> WARPLINT_METHOD inline S read_channel(const warplint_texture *t, const char *element, int channel) {
  bool is_signed = t->kind == cudaChannelFormatKindSigned;
  if (t->kind == cudaChannelFormatKindFloat) return (S)((const float *)element)[channel];
  int value;
  float scale;
  if (t->bits == 8) {
    value = is_signed ? ((const signed char *)element)[channel] : ((const unsigned char *)element)[channel];
    scale = is_signed ? 127.0f : 255.0f;
  } else if (t->bits == 16) {
    value = is_signed ? ((const short *)element)[channel] : ((const unsigned short *)element)[channel];
    scale = is_signed ? 32767.0f : 65535.0f;
  } else {
    unsigned bits = ((const unsigned *)element)[channel];
    return is_signed ? (S)(int)bits : (S)bits;
  }
  if (!t->normalized_read) return (S)value;
  float mapped = (float)value / scale;
  return (S)(mapped < -1.0f ? -1.0f : mapped);
}

// An index brought into its dimension; false if the border's value takes its place.
WARPLINT_METHOD inline bool address(const warplint_texture *t, int dimension, int size, int &i) {
  if ((unsigned)i < (unsigned)size) return true;
  int mode = t->mode[dimension];
  if (mode == cudaAddressModeBorder) return false;
  if (t->normalized_coordinates && mode == cudaAddressModeWrap) {
    i %= size;
    if (i < 0) i += size;
  } else if (t->normalized_coordinates && mode == cudaAddressModeMirror) {
    i %= 2 * size;
    if (i < 0) i += 2 * size;
    if (i >= size) i = 2 * size - 1 - i;
  } else {
    i = i < 0 ? 0 : size - 1;
  }
  return true;
}

template <class T> WARPLINT_METHOD inline T texel(const warplint_texture *t, int x, int y, int z) {
  typedef channels<T> C;
  T value{};
  bool inside = address(t, 0, t->width, x);
  inside = address(t, 1, t->height, y) && inside;
  inside = address(t, 2, t->depth, z) && inside;
  const char *element = (const char *)t->memory + z * t->slice + y * t->pitch + (size_t)x * (t->channels * t->bits / 8);
  for (int i = 0; i < C::count && i < t->channels; i++) {
    if (inside) C::at(value, i) = read_channel<typename C::scalar>(t, element, i);
    else C::at(value, i) = (typename C::scalar)t->border[i];
  }
  return value;
}

// Where a coordinate falls: the element before it and the weight of the one behind, which the
// hardware keeps in eight bits.
WARPLINT_METHOD inline int below(float coordinate, float &weight) {
  float shifted = coordinate - 0.5f, whole = __builtin_floorf(shifted);
  weight = __builtin_floorf((shifted - whole) * 256.0f + 0.5f) / 256.0f;
  return (int)whole;
}

template <class T> WARPLINT_METHOD inline void add_weighted(T &sum, T value, float weight) {
  typedef channels<T> C;
  for (int i = 0; i < C::count; i++) C::at(sum, i) = (typename C::scalar)(C::at(sum, i) + weight * C::at(value, i));
}

template <class T> WARPLINT_METHOD inline T sample(cudaTextureObject_t object, int dimensions, float x, float y, float z, int layer) {
  const warplint_texture *t = (const warplint_texture *)object;
  if (t->normalized_coordinates) x *= t->width, y *= t->height, z *= t->depth;
  int layers = layer >= 0 ? layer : 0;
  if (!t->linear_filter)
    return texel<T>(t, (int)__builtin_floorf(x), dimensions > 1 ? (int)__builtin_floorf(y) : 0, dimensions > 2 ? (int)__builtin_floorf(z) : layers);
  float wx, wy = 0, wz = 0;
  int ix = below(x, wx), iy = dimensions > 1 ? below(y, wy) : 0, iz = dimensions > 2 ? below(z, wz) : layers;
  T sum{};
  for (int dz = 0; dz < (dimensions > 2 ? 2 : 1); dz++)
    for (int dy = 0; dy < (dimensions > 1 ? 2 : 1); dy++)
      for (int dx = 0; dx < 2; dx++)
        add_weighted(sum, texel<T>(t, ix + dx, iy + dy, iz + dz), (dx ? wx : 1 - wx) * (dy ? wy : 1 - wy) * (dz ? wz : 1 - wz));
  return sum;
}

// Surfaces: x counts bytes.
template <class T> WARPLINT_METHOD inline T *surface_at(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  const warplint_texture *t = (const warplint_texture *)object;
  int size = t->channels * t->bits / 8, column = x / size;
  bool inside = (unsigned)column < (unsigned)t->width && (unsigned)y < (unsigned)t->height && (unsigned)z < (unsigned)t->depth && x >= 0;
  if (!inside && mode == cudaBoundaryModeTrap) __trap();
  if (!inside && mode == cudaBoundaryModeZero) return nullptr;
  if (!inside) {
    x = x < 0 ? 0 : column >= t->width ? (t->width - 1) * size : x;
    y = y < 0 ? 0 : y >= t->height ? t->height - 1 : y;
    z = z < 0 ? 0 : z >= t->depth ? t->depth - 1 : z;
  }
  return (T *)(t->memory + z * t->slice + y * t->pitch + x);
}
template <class T> WARPLINT_METHOD inline T surface_read(cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  T *at = surface_at<T>(object, x, y, z, mode);
  return at ? *at : T{};
}
template <class T> WARPLINT_METHOD inline void surface_write(T value, cudaSurfaceObject_t object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  if (T *at = surface_at<T>(object, x, y, z, mode)) *at = value;
}

}  // namespace warplint

template <class T> WARPLINT_METHOD inline T tex1Dfetch(cudaTextureObject_t object, int i) {
  const warplint_texture *t = (const warplint_texture *)object;
  return (unsigned)i < (unsigned)t->width ? warplint::texel<T>(t, i, 0, 0) : T{};
}
template <class T> WARPLINT_METHOD inline T tex1D(cudaTextureObject_t object, float x) { return warplint::sample<T>(object, 1, x, 0, 0, 0); }
template <class T> WARPLINT_METHOD inline T tex2D(cudaTextureObject_t object, float x, float y) { return warplint::sample<T>(object, 2, x, y, 0, 0); }
template <class T> WARPLINT_METHOD inline T tex3D(cudaTextureObject_t object, float x, float y, float z) { return warplint::sample<T>(object, 3, x, y, z, 0); }
template <class T> WARPLINT_METHOD inline T tex1DLayered(cudaTextureObject_t object, float x, int layer) { return warplint::sample<T>(object, 1, x, 0, 0, layer); }
template <class T> WARPLINT_METHOD inline T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) { return warplint::sample<T>(object, 2, x, y, 0, layer); }
template <class T> WARPLINT_METHOD inline T tex1DLod(cudaTextureObject_t object, float x, float) { return tex1D<T>(object, x); }
template <class T> WARPLINT_METHOD inline T tex2DLod(cudaTextureObject_t object, float x, float y, float) { return tex2D<T>(object, x, y); }
template <class T> WARPLINT_METHOD inline T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) { return tex3D<T>(object, x, y, z); }

// The face of a cube that a direction points to, and the place on it (Programming Guide,
// "Cubemap Textures").
template <class T> WARPLINT_METHOD inline T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m, s, t;
  int face;
  if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  const warplint_texture *o = (const warplint_texture *)object;
  float u = (s / m + 1) / 2, v = (t / m + 1) / 2;
  if (!o->normalized_coordinates) u *= o->width, v *= o->height;
  return warplint::sample<T>(object, 2, u, v, 0, face);
}

#define WARPLINT_TRAP cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
template <class T> WARPLINT_METHOD inline T surf1Dread(cudaSurfaceObject_t object, int x, WARPLINT_TRAP) { return warplint::surface_read<T>(object, x, 0, 0, mode); }
template <class T> WARPLINT_METHOD inline T surf2Dread(cudaSurfaceObject_t object, int x, int y, WARPLINT_TRAP) { return warplint::surface_read<T>(object, x, y, 0, mode); }
template <class T> WARPLINT_METHOD inline T surf3Dread(cudaSurfaceObject_t object, int x, int y, int z, WARPLINT_TRAP) { return warplint::surface_read<T>(object, x, y, z, mode); }
template <class T> WARPLINT_METHOD inline T surf2DLayeredread(cudaSurfaceObject_t object, int x, int y, int layer, WARPLINT_TRAP) { return warplint::surface_read<T>(object, x, y, layer, mode); }
template <class T> WARPLINT_METHOD inline void surf1Dread(T *value, cudaSurfaceObject_t object, int x, WARPLINT_TRAP) { *value = surf1Dread<T>(object, x, mode); }
template <class T> WARPLINT_METHOD inline void surf2Dread(T *value, cudaSurfaceObject_t object, int x, int y, WARPLINT_TRAP) { *value = surf2Dread<T>(object, x, y, mode); }
template <class T> WARPLINT_METHOD inline void surf1Dwrite(T value, cudaSurfaceObject_t object, int x, WARPLINT_TRAP) { warplint::surface_write(value, object, x, 0, 0, mode); }
template <class T> WARPLINT_METHOD inline void surf2Dwrite(T value, cudaSurfaceObject_t object, int x, int y, WARPLINT_TRAP) { warplint::surface_write(value, object, x, y, 0, mode); }
template <class T> WARPLINT_METHOD inline void surf3Dwrite(T value, cudaSurfaceObject_t object, int x, int y, int z, WARPLINT_TRAP) { warplint::surface_write(value, object, x, y, z, mode); }
template <class T> WARPLINT_METHOD inline void surf2DLayeredwrite(T value, cudaSurfaceObject_t object, int x, int y, int layer, WARPLINT_TRAP) { warplint::surface_write(value, object, x, y, layer, mode); }
#undef WARPLINT_TRAP

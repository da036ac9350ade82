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
  if (t->kind == cudaChannelFormatKindFloat && t->bits == 16) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(((const unsigned short *)element)[channel]));
    return (S)value;
  }
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

template <class T> WARPLINT_METHOD inline T sample(const warplint_texture *t, int dimensions, float x, float y, float z, int layer) {
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

template <class T> WARPLINT_METHOD inline T sample(cudaTextureObject_t object, int dimensions, float x, float y, float z, int layer) {
  return sample<T>((const warplint_texture *)object, dimensions, x, y, z, layer);
}

// The level of a mipmapped array, or the two that it lies between.
template <class T> WARPLINT_METHOD inline T sample_level(cudaTextureObject_t object, int dimensions, float x, float y, float z, int layer, float level) {
  const warplint_texture *t = (const warplint_texture *)object;
  if (t->levels < 2) return sample<T>(t, dimensions, x, y, z, layer);
  level += t->level_bias;
  level = level < t->least_level ? t->least_level : level > t->most_level ? t->most_level : level;
  level = level < 0 ? 0 : level > t->levels - 1 ? t->levels - 1 : level;
  if (!t->linear_levels) return sample<T>(t + (int)__builtin_floorf(level + 0.5f), dimensions, x, y, z, layer);
  float whole = __builtin_floorf(level), weight = __builtin_floorf((level - whole) * 256.0f + 0.5f) / 256.0f;
  const warplint_texture *low = t + (int)whole;
  if (weight == 0) return sample<T>(low, dimensions, x, y, z, layer);
  T sum{};
  add_weighted(sum, sample<T>(low, dimensions, x, y, z, layer), 1 - weight);
  add_weighted(sum, sample<T>(low + 1, dimensions, x, y, z, layer), weight);
  return sum;
}

// The level at which neighbours are about an element apart, from how far apart they are.
WARPLINT_METHOD inline float level_of(cudaTextureObject_t object, float dx, float dy, float dz, float ex, float ey, float ez) {
  const warplint_texture *t = (const warplint_texture *)object;
  if (t->normalized_coordinates) dx *= t->width, dy *= t->height, dz *= t->depth, ex *= t->width, ey *= t->height, ez *= t->depth;
  float d = dx * dx + dy * dy + dz * dz, e = ex * ex + ey * ey + ez * ez, most = d > e ? d : e;
  return most > 0 ? 0.5f * ::log2f(most) : 0;
}

// One channel of the four elements that linear filtering would look at, from the one at the lower left against the clock.
template <class T> WARPLINT_METHOD inline T gather(cudaTextureObject_t object, float x, float y, int channel) {
  const warplint_texture *t = (const warplint_texture *)object;
  if (t->normalized_coordinates) x *= t->width, y *= t->height;
  float weight;
  int ix = below(x, weight), iy = below(y, weight), dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
  typedef channels<T> C;
  T result{};
  for (int i = 0; i < 4; i++) {
    T element = texel<T>(t, ix + dx[i], iy + dy[i], 0);
    C::at(result, i) = C::at(element, channel);
  }
  return result;
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
#define WARPLINT_LEVELS(name, dimensions, place, coordinates, layer)                                                             \
  template <class T> WARPLINT_METHOD inline T name##Lod(cudaTextureObject_t object, WARPLINT_OF place, float level) {             \
    return warplint::sample_level<T>(object, dimensions, WARPLINT_OF coordinates, layer, level);                                  \
  }
#define WARPLINT_OF(...) __VA_ARGS__
WARPLINT_LEVELS(tex1D, 1, (float x), (x, 0, 0), 0)
WARPLINT_LEVELS(tex2D, 2, (float x, float y), (x, y, 0), 0)
WARPLINT_LEVELS(tex3D, 3, (float x, float y, float z), (x, y, z), 0)
WARPLINT_LEVELS(tex1DLayered, 1, (float x, int layer), (x, 0, 0), layer)
WARPLINT_LEVELS(tex2DLayered, 2, (float x, float y, int layer), (x, y, 0), layer)
#undef WARPLINT_LEVELS
#undef WARPLINT_OF
template <class T> WARPLINT_METHOD inline T tex1DGrad(cudaTextureObject_t object, float x, float dx, float ex) {
  return tex1DLod<T>(object, x, warplint::level_of(object, dx, 0, 0, ex, 0, 0));
}
template <class T> WARPLINT_METHOD inline T tex2DGrad(cudaTextureObject_t object, float x, float y, float2 d, float2 e) {
  return tex2DLod<T>(object, x, y, warplint::level_of(object, d.x, d.y, 0, e.x, e.y, 0));
}
template <class T> WARPLINT_METHOD inline T tex3DGrad(cudaTextureObject_t object, float x, float y, float z, float4 d, float4 e) {
  return tex3DLod<T>(object, x, y, z, warplint::level_of(object, d.x, d.y, d.z, e.x, e.y, e.z));
}
template <class T> WARPLINT_METHOD inline T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) { return warplint::gather<T>(object, x, y, channel); }

// The face of a cube that a direction points to, and the place on it (Programming Guide,
// "Cubemap Textures").
template <class T> WARPLINT_METHOD inline T texCubemapLayeredLod(cudaTextureObject_t object, float x, float y, float z, int layer, float level) {
  float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z), m, s, t;
  int face;
  if (ax >= ay && ax >= az) face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
  else if (ay >= az) face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
  else face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
  const warplint_texture *o = (const warplint_texture *)object;
  float u = (s / m + 1) / 2, v = (t / m + 1) / 2;
  if (!o->normalized_coordinates) u *= o->width, v *= o->height;
  return warplint::sample_level<T>(object, 2, u, v, 0, 6 * layer + face, level);
}
template <class T> WARPLINT_METHOD inline T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) { return texCubemapLayeredLod<T>(object, x, y, z, layer, 0); }
template <class T> WARPLINT_METHOD inline T texCubemapLod(cudaTextureObject_t object, float x, float y, float z, float level) { return texCubemapLayeredLod<T>(object, x, y, z, 0, level); }
template <class T> WARPLINT_METHOD inline T texCubemap(cudaTextureObject_t object, float x, float y, float z) { return texCubemapLayeredLod<T>(object, x, y, z, 0, 0); }

// What is fetched may go to where a pointer leads.
#define WARPLINT_TO(name, parameters, ...) \
  template <class T> WARPLINT_METHOD inline void name parameters { *value = name<T>(object, __VA_ARGS__); }
WARPLINT_TO(tex1Dfetch, (T *value, cudaTextureObject_t object, int i), i)
WARPLINT_TO(tex1D, (T *value, cudaTextureObject_t object, float x), x)
WARPLINT_TO(tex2D, (T *value, cudaTextureObject_t object, float x, float y), x, y)
WARPLINT_TO(tex3D, (T *value, cudaTextureObject_t object, float x, float y, float z), x, y, z)
WARPLINT_TO(tex1DLayered, (T *value, cudaTextureObject_t object, float x, int layer), x, layer)
WARPLINT_TO(tex2DLayered, (T *value, cudaTextureObject_t object, float x, float y, int layer), x, y, layer)
WARPLINT_TO(texCubemap, (T *value, cudaTextureObject_t object, float x, float y, float z), x, y, z)
#undef WARPLINT_TO

// The surface functions: what one is called, its place, and that place as x, y and z.
#define WARPLINT_SURFACE(name, place, ...)                                                                                                  \
  template <class T> WARPLINT_METHOD inline T name##read(cudaSurfaceObject_t object, WARPLINT_OF place, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    return warplint::surface_read<T>(object, __VA_ARGS__, mode);                                                                            \
  }                                                                                                                                         \
  template <class T> WARPLINT_METHOD inline void name##read(T *value, cudaSurfaceObject_t object, WARPLINT_OF place, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    *value = warplint::surface_read<T>(object, __VA_ARGS__, mode);                                                                          \
  }                                                                                                                                         \
  template <class T> WARPLINT_METHOD inline void name##write(T value, cudaSurfaceObject_t object, WARPLINT_OF place, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { \
    warplint::surface_write(value, object, __VA_ARGS__, mode);                                                                              \
  }
#define WARPLINT_OF(...) __VA_ARGS__
WARPLINT_SURFACE(surf1D, (int x), x, 0, 0)
WARPLINT_SURFACE(surf2D, (int x, int y), x, y, 0)
WARPLINT_SURFACE(surf3D, (int x, int y, int z), x, y, z)
WARPLINT_SURFACE(surf1DLayered, (int x, int layer), x, 0, layer)
WARPLINT_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
WARPLINT_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
WARPLINT_SURFACE(surfCubemapLayered, (int x, int y, int face), x, y, face)
#undef WARPLINT_SURFACE
#undef WARPLINT_OF

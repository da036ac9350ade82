// Texture and surface references, which CUDA 12 took away: variables of the program that the host binds and kernels read. What
// the program writes as texture<...> is made this, with __device__ before it (dynamic/rewrite.go): one part of it is the host's,
// and the object that it is bound to is the device's.
#pragma once
#include "texture.h"

#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
#define cudaTextureTypeCubemap 0x0c
#define cudaTextureType1DLayered 0xf1
#define cudaTextureType2DLayered 0xf2
#define cudaSurfaceType1D 1
#define cudaSurfaceType2D 2
#define cudaSurfaceType3D 3

namespace warplint {

// An address mode that was never set is cudaAddressModeClamp.
struct address_mode {
  int set;
  operator cudaTextureAddressMode() const { return set ? (cudaTextureAddressMode)(set - 1) : cudaAddressModeClamp; }
  address_mode &operator=(cudaTextureAddressMode m) { return set = m + 1, *this; }
};

// The format of the elements, which is cudaCreateChannelDesc<T>() unless it was set.
template <class T> struct element_format {
  cudaChannelFormatDesc desc;
  bool set;
  cudaChannelFormatDesc *operator&() { return set ? &desc : &(*this = cudaCreateChannelDesc<T>()); }
  operator cudaChannelFormatDesc &() { return *&*this; }
  cudaChannelFormatDesc &operator=(const cudaChannelFormatDesc &d) { return set = true, desc = d; }
};

template <class T, int D = cudaTextureType1D, cudaTextureReadMode M = cudaReadModeElementType> struct texture {
  cudaTextureObject_t object;
  int normalized;
  cudaTextureFilterMode filterMode;
  address_mode addressMode[3];
  element_format<T> channelDesc;
  int sRGB;
  unsigned maxAnisotropy;
};
template <class T, int D = cudaSurfaceType1D> struct surface {
  cudaSurfaceObject_t object;
};

// What a fetch gives: the element, or numbers between 0 and 1 in its place.
template <class T, cudaTextureReadMode M, int Count = channels<T>::count> struct fetched { typedef T type; };
template <class T> struct fetched<T, cudaReadModeNormalizedFloat, 1> { typedef float type; };
template <class T> struct fetched<T, cudaReadModeNormalizedFloat, 2> { typedef float2 type; };
template <class T> struct fetched<T, cudaReadModeNormalizedFloat, 4> { typedef float4 type; };

template <class T, int D, cudaTextureReadMode M> cudaError_t bind(texture<T, D, M> &t, const cudaResourceDesc &resource) {
  cudaTextureDesc desc = {};
  for (int i = 0; i < 3; i++) desc.addressMode[i] = t.addressMode[i];
  desc.filterMode = t.filterMode, desc.readMode = M, desc.normalizedCoords = t.normalized, desc.sRGB = t.sRGB;
  cudaTextureObject_t object;
  cudaError_t error = ::cudaCreateTextureObject(&object, &resource, &desc, nullptr);
  if (error == cudaSuccess) error = ::cudaMemcpyToSymbol((const void *)&t, &object, sizeof object, 0, cudaMemcpyHostToDevice);
  ::cudaDeviceSynchronize();  // to bind is no work of a stream
  return error;
}
}  // namespace warplint

#define WARPLINT_TEXTURE template <class T, int D, cudaTextureReadMode M> inline cudaError_t
#define WARPLINT_OF warplint::texture<T, D, M>
WARPLINT_TEXTURE cudaBindTexture(size_t *offset, WARPLINT_OF &t, const void *p, const cudaChannelFormatDesc &format, size_t size = ~(size_t)0) {
  cudaResourceDesc r = {};
  if (offset) *offset = 0;
  if (size == ~(size_t)0) size = (size_t)1 << 27;  // as much as can be: the allocation's end is watched anyway
  r.resType = cudaResourceTypeLinear, r.res.linear.devPtr = (void *)p, r.res.linear.desc = format, r.res.linear.sizeInBytes = size;
  return warplint::bind(t, r);
}
WARPLINT_TEXTURE cudaBindTexture(size_t *offset, WARPLINT_OF &t, const void *p, size_t size = ~(size_t)0) { return cudaBindTexture(offset, t, p, cudaCreateChannelDesc<T>(), size); }
WARPLINT_TEXTURE cudaBindTexture2D(size_t *offset, WARPLINT_OF &t, const void *p, const cudaChannelFormatDesc &format, size_t width, size_t height, size_t pitch) {
  cudaResourceDesc r = {};
  if (offset) *offset = 0;
  r.resType = cudaResourceTypePitch2D, r.res.pitch2D.devPtr = (void *)p, r.res.pitch2D.desc = format;
  r.res.pitch2D.width = width, r.res.pitch2D.height = height, r.res.pitch2D.pitchInBytes = pitch;
  return warplint::bind(t, r);
}
WARPLINT_TEXTURE cudaBindTexture2D(size_t *offset, WARPLINT_OF &t, const void *p, size_t width, size_t height, size_t pitch) {
  return cudaBindTexture2D(offset, t, p, cudaCreateChannelDesc<T>(), width, height, pitch);
}
WARPLINT_TEXTURE cudaBindTextureToArray(WARPLINT_OF &t, cudaArray_const_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = (cudaArray_t)array;
  return warplint::bind(t, r);
}
WARPLINT_TEXTURE cudaBindTextureToArray(WARPLINT_OF &t, cudaArray_const_t array, const cudaChannelFormatDesc &) { return cudaBindTextureToArray(t, array); }
WARPLINT_TEXTURE cudaUnbindTexture(WARPLINT_OF &) { return cudaSuccess; }
#undef WARPLINT_TEXTURE
template <class T, int D> inline cudaError_t cudaBindSurfaceToArray(warplint::surface<T, D> &s, cudaArray_const_t array) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = (cudaArray_t)array;
  cudaSurfaceObject_t object;
  cudaError_t error = ::cudaCreateSurfaceObject(&object, &r);
  if (error == cudaSuccess) error = ::cudaMemcpyToSymbol((const void *)&s, &object, sizeof object, 0, cudaMemcpyHostToDevice);
  ::cudaDeviceSynchronize();  // to bind is no work of a stream
  return error;
}
template <class T, int D> inline cudaError_t cudaBindSurfaceToArray(warplint::surface<T, D> &s, cudaArray_const_t array, const cudaChannelFormatDesc &) { return cudaBindSurfaceToArray(s, array); }

#define WARPLINT_FETCH(name, parameters, ...)                                                              \
  template <class T, int D, cudaTextureReadMode M>                                                         \
  WARPLINT_METHOD inline typename warplint::fetched<T, M>::type name parameters {                          \
    return ::name<typename warplint::fetched<T, M>::type>(t.object, __VA_ARGS__);                          \
  }
WARPLINT_FETCH(tex1Dfetch, (const WARPLINT_OF &t, int i), i)
WARPLINT_FETCH(tex1D, (const WARPLINT_OF &t, float x), x)
WARPLINT_FETCH(tex2D, (const WARPLINT_OF &t, float x, float y), x, y)
WARPLINT_FETCH(tex3D, (const WARPLINT_OF &t, float x, float y, float z), x, y, z)
WARPLINT_FETCH(tex1DLayered, (const WARPLINT_OF &t, float x, int layer), x, layer)
WARPLINT_FETCH(tex2DLayered, (const WARPLINT_OF &t, float x, float y, int layer), x, y, layer)
WARPLINT_FETCH(texCubemap, (const WARPLINT_OF &t, float x, float y, float z), x, y, z)
WARPLINT_FETCH(tex2DGrad, (const WARPLINT_OF &t, float x, float y, float2 d, float2 e), x, y, d, e)
WARPLINT_FETCH(tex1DLod, (const WARPLINT_OF &t, float x, float level), x, level)
WARPLINT_FETCH(tex2DLod, (const WARPLINT_OF &t, float x, float y, float level), x, y, level)
WARPLINT_FETCH(tex3DLod, (const WARPLINT_OF &t, float x, float y, float z, float level), x, y, z, level)
#undef WARPLINT_FETCH
#undef WARPLINT_OF

#define WARPLINT_SURFACE(name, place, ...)                                                                                                             \
  template <class V, class T, int D> WARPLINT_METHOD inline V name##read(const warplint::surface<T, D> &s, WARPLINT_PLACE place, WARPLINT_MODE) {       \
    return ::name##read<V>(s.object, __VA_ARGS__, mode);                                                                                               \
  }                                                                                                                                                    \
  template <class V, class T, int D> WARPLINT_METHOD inline void name##read(V *v, const warplint::surface<T, D> &s, WARPLINT_PLACE place, WARPLINT_MODE) { \
    *v = ::name##read<V>(s.object, __VA_ARGS__, mode);                                                                                                 \
  }                                                                                                                                                    \
  template <class V, class T, int D> WARPLINT_METHOD inline void name##write(V v, const warplint::surface<T, D> &s, WARPLINT_PLACE place, WARPLINT_MODE) { \
    ::name##write(v, s.object, __VA_ARGS__, mode);                                                                                                     \
  }
#define WARPLINT_PLACE(...) __VA_ARGS__
#define WARPLINT_MODE cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap
WARPLINT_SURFACE(surf1D, (int x), x)
WARPLINT_SURFACE(surf2D, (int x, int y), x, y)
WARPLINT_SURFACE(surf3D, (int x, int y, int z), x, y, z)
WARPLINT_SURFACE(surf1DLayered, (int x, int layer), x, layer)
WARPLINT_SURFACE(surf2DLayered, (int x, int y, int layer), x, y, layer)
WARPLINT_SURFACE(surfCubemap, (int x, int y, int face), x, y, face)
#undef WARPLINT_SURFACE
#undef WARPLINT_PLACE
#undef WARPLINT_MODE

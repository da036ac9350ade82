// Mipmapped and layered arrays, gathers, half as elements, and all surface functions: checks itself.
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)
#define OK(call) CHECK((call) == cudaSuccess)

__global__ void levels(cudaTextureObject_t t, float *out) {
  out[0] = tex2DLod<float>(t, 0.4f, 0.4f, 1.5f), out[1] = tex2DLod<float>(t, 0.4f, 0.4f, 9), out[2] = tex2D<float>(t, 0.4f, 0.4f);
  out[3] = tex2DGrad<float>(t, 0.4f, 0.4f, make_float2(0.25f, 0), make_float2(0, 0.125f));
}
__global__ void corners(cudaTextureObject_t t, float4 *out) { out[0] = tex2Dgather<float4>(t, 2, 3), out[1] = tex2Dgather<float4>(t, 2, 3, 1); }
__global__ void halves(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f); }
__global__ void layers(cudaTextureObject_t t, cudaSurfaceObject_t s, int *wrong) {
  int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  int2 v;
  tex2DLayered(&v, t, x, y, layer);
  if (v.x != 100 * layer + 10 * y + x || v.y != -v.x) *wrong = __LINE__;
  v.y = 5;
  surf2DLayeredwrite(v, s, x * (int)sizeof v, y, layer);
  int2 back;
  surf2DLayeredread(&back, s, x * (int)sizeof v, y, layer, cudaBoundaryModeTrap);
  if (back.x != v.x || back.y != 5) *wrong = __LINE__;
  surf3Dread(&back, s, x * (int)sizeof v, y, layer);
  if (back.x != v.x || surf3Dread<int2>(s, -8, y, layer, cudaBoundaryModeZero).x != 0) *wrong = __LINE__;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, cudaTextureFilterMode filter, bool normalized) {
  cudaTextureDesc t = {};
  t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
  t.filterMode = t.mipmapFilterMode = filter, t.normalizedCoords = normalized, t.maxMipmapLevelClamp = 8;
  cudaTextureObject_t object = 0;
  OK(cudaCreateTextureObject(&object, &r, &t, nullptr));
  return object;
}
static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureFilterMode filter) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray, r.res.array.array = array;
  return texture_of(r, filter, false);
}

int main() {
  float *out;
  OK(cudaMallocManaged(&out, 32 * sizeof *out));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t pyramid;
  cudaArray_t level;
  OK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(8, 8, 0), 3));
  for (int i = 0; i < 3; i++) {
    int size = 8 >> i;
    std::vector<float> all(size * size, 10 * i + 1);
    cudaExtent extent;
    OK(cudaGetMipmappedArrayLevel(&level, pyramid, i));
    OK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
    CHECK((int)extent.width == size && (int)extent.height == size && extent.depth == 0);
    OK(cudaMemcpy2DToArray(level, 0, 0, all.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
  }
  CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, 3) == cudaErrorInvalidValue);
  cudaResourceDesc r = {}, same;
  r.resType = cudaResourceTypeMipmappedArray, r.res.mipmap.mipmap = pyramid;
  cudaTextureObject_t t = texture_of(r, cudaFilterModeLinear, true);
  levels<<<1, 1>>>(t, out);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 16 && out[1] == 21 && out[2] == 1 && out[3] == 11);
  OK(cudaGetTextureObjectResourceDesc(&same, t));
  CHECK(same.resType == r.resType && same.res.mipmap.mipmap == pyramid);
  OK(cudaDestroyTextureObject(t));
  CHECK(cudaGetTextureObjectResourceDesc(&same, t) == cudaErrorInvalidValue);
  OK(cudaFreeMipmappedArray(pyramid));

  float2 pairs[8][8];
  for (int i = 0; i < 64; i++) pairs[0][i] = make_float2(i, -i);
  cudaArray_t square;
  format = cudaCreateChannelDesc<float2>();
  OK(cudaMallocArray(&square, &format, 8, 8, cudaArrayTextureGather));
  OK(cudaMemcpy2DToArray(square, 0, 0, pairs, 64, 64, 8, cudaMemcpyHostToDevice));
  corners<<<1, 1>>>(texture_of(square, cudaFilterModePoint), (float4 *)out);
  OK(cudaDeviceSynchronize());
  CHECK(out[0] == 25 && out[1] == 26 && out[2] == 18 && out[3] == 17 && out[4] == -25 && out[7] == -17);
  cudaResourceDesc flat = {};
  flat.resType = cudaResourceTypeArray, flat.res.array.array = square;
  float2 all[64] = {};
  cudaArray_t copied;
  OK(cudaMallocArray(&copied, &format, 8, 8));
  OK(cudaMemcpyArrayToArray(copied, 0, 0, square, 0, 0, sizeof pairs));
  OK(cudaMemcpyFromArrayAsync(all, copied, 0, 1, 64, cudaMemcpyDeviceToHost));
  CHECK(all[0].x == 8 && all[7].y == -15 && all[8].x == 0);
  OK(cudaMemcpyToArrayAsync(copied, 0, 7, all, 64, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2DFromArrayAsync(all, 16, copied, 8, 6, 16, 2, cudaMemcpyDeviceToHost));
  CHECK(all[0].x == 49 && all[1].x == 50 && all[2].x == 9 && all[3].x == 10 && all[4].x == 12);
  cudaMemcpy3DPeerParms peers = {};
  peers.srcArray = square, peers.dstArray = copied, peers.extent = make_cudaExtent(8, 8, 1);
  OK(cudaMemcpy3DPeer(&peers));
  OK(cudaMemcpy2DFromArray(all, 64, copied, 0, 0, 64, 8, cudaMemcpyDeviceToHost));
  CHECK(!memcmp(all, pairs, sizeof all));
  cudaTextureDesc plain = {};
  cudaResourceViewDesc view = {};
  view.format = cudaResViewFormatFloat2, view.width = view.height = 8;
  OK(cudaCreateTextureObject(&t, &flat, &plain, &view));

  __half small[32];
  for (int i = 0; i < 32; i++) small[i] = __float2half(i / 4.0f);
  cudaArray_t line;
  format = cudaCreateChannelDescHalf();
  OK(cudaMallocArray(&line, &format, 32));
  OK(cudaMemcpy2DToArray(line, 0, 0, small, sizeof small, sizeof small, 1, cudaMemcpyHostToDevice));
  halves<<<1, 32>>>(texture_of(line, cudaFilterModePoint), out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) CHECK(out[i] == i / 4.0f);

  int2 stack[3][4][5];
  for (int i = 0; i < 60; i++) {
    int v = i / 20 * 100 + i / 5 % 4 * 10 + i % 5;
    stack[0][0][i] = make_int2(v, -v);
  }
  format = cudaCreateChannelDesc<int2>();
  cudaArray_t arrays[2];
  for (cudaArray_t &a : arrays) {
    OK(cudaMalloc3DArray(&a, &format, make_cudaExtent(5, 4, 3), cudaArrayLayered | cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(stack, 40, 5, 4), p.dstArray = a, p.extent = make_cudaExtent(5, 4, 3), p.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&p));
  }
  flat.res.array.array = arrays[1];
  cudaSurfaceObject_t s;
  OK(cudaCreateSurfaceObject(&s, &flat));
  int *wrong = (int *)out;
  *wrong = 0;
  layers<<<3, dim3(5, 4)>>>(texture_of(arrays[0], cudaFilterModePoint), s, wrong);
  OK(cudaDeviceSynchronize());
  if (*wrong) printf("line %d\n", *wrong);
  OK(cudaDestroySurfaceObject(s));
  puts("done");
}

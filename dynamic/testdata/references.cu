// Texture and surface references, as programs before CUDA 12 have them: checks itself.
#include <math.h>
#include <stdio.h>

#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition)

texture<float, 2, cudaReadModeElementType> image;
static texture<uchar4, cudaTextureType1D, cudaReadModeNormalizedFloat> colours;
texture<int4> numbers;
surface<void, cudaSurfaceType2D> target;

__device__ inline double fetched(texture<int2, 1> t, int i) {
  int2 v = tex1Dfetch(t, i);
  return __hiloint2double(v.y, v.x);
}
texture<int2, 1> doubles;
__global__ void fetchDouble(double *out) { out[0] = fetched(doubles, 1); }
__global__ void copy(float *out, int width) {
  int x = threadIdx.x, y = blockIdx.x;
  out[y * width + x] = tex2D(image, x + 0.5f, y + 0.5f);
  surf2Dwrite(2 * out[y * width + x], target, x * (int)sizeof(float), y);
}
__global__ void fetch(float *out) { out[0] = 255 * tex1Dfetch(colours, 2).y, out[1] = tex1Dfetch(numbers, 3).z; }

int main() {
  const int width = 8, height = 4;
  float from[width * height], to[width * height], *out;
  for (int i = 0; i < width * height; i++) from[i] = i;
  cudaArray *source, *destination;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&source, &format, width, height);
  cudaMallocArray(&destination, &format, width, height, cudaArraySurfaceLoadStore);
  cudaMemcpyToArray(source, 0, 0, from, sizeof from, cudaMemcpyHostToDevice);
  image.addressMode[0] = image.addressMode[1] = cudaAddressModeClamp;
  image.filterMode = cudaFilterModePoint, image.normalized = false;
  CHECK(cudaBindTextureToArray(image, source, format) == cudaSuccess);
  const cudaChannelFormatDesc &first = image.channelDesc, *second = &colours.channelDesc;
  CHECK(first.x == 32 && first.y == 0 && first.f == cudaChannelFormatKindFloat && second->w == 8 && second->f == cudaChannelFormatKindUnsigned);
  CHECK(cudaBindSurfaceToArray(target, destination) == cudaSuccess);
  cudaMallocManaged(&out, sizeof from);
  copy<<<height, width>>>(out, width);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  cudaMemcpyFromArray(to, destination, 0, 0, sizeof to, cudaMemcpyDeviceToHost);
  for (int i = 0; i < width * height; i++) CHECK(out[i] == from[i] && to[i] == 2 * from[i]);
  uchar4 *c;
  int4 *n;
  cudaMallocManaged(&c, 4 * sizeof *c);
  cudaMallocManaged(&n, 4 * sizeof *n);
  c[2] = make_uchar4(1, 7, 3, 4), n[3] = make_int4(1, 2, 42, 4);
  CHECK(cudaBindTexture(0, colours, c, 4 * sizeof *c) == cudaSuccess);
  CHECK(cudaBindTexture(nullptr, numbers, n) == cudaSuccess);
  fetch<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && fabsf(out[0] - 7) < 1e-3f && out[1] == 42);
  double *d;
  cudaMallocManaged(&d, 2 * sizeof *d);
  d[1] = 2.5;
  CHECK(cudaBindTexture(0, doubles, (int2 *)d, 2 * sizeof *d) == cudaSuccess);
  fetchDouble<<<1, 1>>>(d);
  CHECK(cudaDeviceSynchronize() == cudaSuccess && d[0] == 2.5);
  CHECK(cudaUnbindTexture(image) == cudaSuccess);
  printf("done\n");
}

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// verdict halves racy
__global__ void halves(int *out) {
    __shared__ int buf[64];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    buf[t] = t;
    tile.sync();
    out[blockIdx.x * 64 + t] = buf[63 - t]; // want group-scope intra-block
}

__global__ void sixteens(int *out) {
    __shared__ int buf[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int t = threadIdx.x;
    buf[t] = t;
    cg::sync(tile);
    out[blockIdx.x * 32 + t] = buf[t ^ 16]; // want group-scope intra-warp
}

// The sync is not what is missing: the tile holds both threads, and syncs too late.
__global__ void late(int *out) {
    __shared__ int buf[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    buf[t] = t;
    out[blockIdx.x * 32 + t] = buf[t ^ 1]; // want missing-syncwarp intra-warp
    tile.sync();
}

// verdict inside race-free
__global__ void inside(int *out) {
    __shared__ int buf[64];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    int t = threadIdx.x;
    buf[t] = t;
    tile.sync();
    out[blockIdx.x * 64 + t] = buf[t ^ 31];
}

void run(int *out) {
    halves<<<16, 64>>>(out);
    sixteens<<<16, 32>>>(out);
    late<<<16, 32>>>(out);
    inside<<<16, 64>>>(out);
}

// Blocks of a cluster pass rows to their neighbours: the zeros are not waited for, nor the rows, nor those who read them.
// verdict halves race-free
// verdict unended unknown
// verdict ended race-free
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2, 1, 1) histogram(const int *in, int *out) {
    __shared__ int bins[128];
    auto cluster = cg::this_cluster();
    bins[threadIdx.x] = 0;
    __syncthreads();
    int v = in[blockIdx.x * 128 + threadIdx.x] & 255;
    atomicAdd(cluster.map_shared_rank(bins, v / 128) + v % 128, 1); // want missing-cluster-sync inter-block
    cluster.sync();
    out[blockIdx.x * 128 + threadIdx.x] = bins[threadIdx.x];
}

__global__ void __cluster_dims__(2, 1, 1) neighbour(const int *in, int *out) {
    __shared__ int row[128];
    auto cluster = cg::this_cluster();
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    int *other = cluster.map_shared_rank(row, cluster.block_rank() ^ 1);
    out[blockIdx.x * 128 + threadIdx.x] = other[threadIdx.x]; // want missing-cluster-sync inter-block
    cluster.sync();
}

__global__ void __cluster_dims__(2, 1, 1) again(const int *in, int *out) {
    __shared__ int row[128];
    cg::cluster_group all = cg::this_cluster();
    int *other = all.map_shared_rank(row, all.block_rank() ^ 1);
    for (int k = 0; k < 8; k++) {
        row[threadIdx.x] = in[(blockIdx.x * 8 + k) * 128 + threadIdx.x];
        all.sync();
        out[(blockIdx.x * 8 + k) * 128 + threadIdx.x] = other[threadIdx.x]; // want missing-cluster-sync inter-block
    }
    all.sync();
}

// The two halves of a barrier of the cluster.
__global__ void __cluster_dims__(2, 1, 1) halves(const int *in, int *out) {
    __shared__ int row[128];
    auto cluster = cg::this_cluster();
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    auto token = cluster.barrier_arrive();
    int own = in[blockIdx.x * 128 + threadIdx.x] + 1;
    cluster.barrier_wait(std::move(token));
    out[blockIdx.x * 128 + threadIdx.x] = own + cluster.map_shared_rank(row, cluster.block_rank() ^ 1)[threadIdx.x];
    cluster.sync();
}

// Between the halves of a barrier no other one may stand, so no change is known.
__global__ void __cluster_dims__(2, 1, 1) early(const int *in, int *out) {
    __shared__ int row[128];
    auto cluster = cg::this_cluster();
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    auto token = cluster.barrier_arrive();
    out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(row, cluster.block_rank() ^ 1)[threadIdx.x]; // want missing-cluster-sync inter-block
    cluster.barrier_wait(std::move(token));
    cluster.sync();
}

// The neighbour may have ended before this block reads its row.
__global__ void __cluster_dims__(2, 1, 1) unended(const int *in, int *out) {
    __shared__ int row[128];
    auto cluster = cg::this_cluster();
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    cluster.sync();
    out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(row, cluster.block_rank() ^ 1)[threadIdx.x];
    if (in[0] > 0)
        cluster.sync();
}

// A block that reads its own shared memory only may end when it likes.
__global__ void __cluster_dims__(2, 1, 1) ended(const int *in, int *out) {
    __shared__ int row[128];
    auto cluster = cg::this_cluster();
    row[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = cluster.map_shared_rank(row, cluster.block_rank())[127 - threadIdx.x];
}

void run(int *in, int *out) {
    histogram<<<8, 128>>>(in, out);
    neighbour<<<8, 128>>>(in, out);
    again<<<8, 128>>>(in, out);
    halves<<<8, 128>>>(in, out);
    early<<<8, 128>>>(in, out);
    unended<<<8, 128>>>(in, out);
    ended<<<8, 128>>>(in, out);
}

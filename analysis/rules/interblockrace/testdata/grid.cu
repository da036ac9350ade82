// A kernel that syncs its grid lacks one more barrier of the grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void rounds(float *from, float *to, int n) {
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 10; k++) {
        if (i > 0 && i < n - 1)
            to[i] = from[i - 1] + from[i + 1];
        grid.sync();
        if (i < n)
            from[i] = to[i]; // want inter-block-race inter-block
    }
}

void run(float *from, float *to, int n) {
    void *args[] = {&from, &to, &n};
    cudaLaunchCooperativeKernel((void *)rounds, (n + 127) / 128, 128, args);
}

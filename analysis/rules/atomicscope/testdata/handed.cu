// The counter that hands the sums over is too narrow.
__device__ unsigned int retired = 0;
__global__ void sum(const int *in, int *partial, int *out, int n)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x];
        __threadfence();
        unsigned v = atomicInc_block(&retired, gridDim.x); // want atomic-scope inter-block
        last = v == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        __threadfence();
        int t = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0; // want atomic-scope inter-block
        atomicAdd(out, t);
    }
}
void f(int *a, int *b, int *c) { sum<<<8, 128>>>(a, b, c, 1000); }

// Each thread of a block reads the block's own range, which nobody writes; the second kernel reads one that its blocks write.
__global__ void sums(const int *offset, const int *value, int *sum) {
    __shared__ int begin, end;
    begin = offset[blockIdx.x];   // want same-value-write intra-block
    end = offset[blockIdx.x + 1]; // want same-value-write intra-block
    __syncthreads();
    int s = 0;
    for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
        s += value[i];
    sum[blockIdx.x * blockDim.x + threadIdx.x] = s;
}

__global__ void bump(int *offset) {
    __shared__ int begin;
    begin = offset[blockIdx.x]; // want missing-syncthreads intra-block
    __syncthreads();
    offset[gridDim.x + blockIdx.x * blockDim.x + threadIdx.x] = begin;
}

void run(int *offset, int *value, int *sum) {
    sums<<<8, 64>>>(offset, value, sum);
    bump<<<1, 64>>>(offset);
}

// Nothing launches these kernels. A guard is there since some threads have nothing to do, and data differ.

// verdict inside_a_guard racy
__global__ void inside_a_guard(int *a, int n) {
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = a[i];
        // All of s is there.
        __syncthreads(); // want barrier-divergence intra-block

        a[i] = s[0];
    }
    __syncthreads();
    if (i < n) a[i] += s[1];
}

// verdict within_a_block racy
__global__ void within_a_block(int *a, int n) {
    __shared__ int s[256];
    for (int o = n / 2; o > 0; o /= 2)
        if (threadIdx.x < o) {
            s[threadIdx.x] += s[threadIdx.x + o];
            __syncthreads(); // want barrier-divergence intra-block
        }
    if (threadIdx.x == 0) a[blockIdx.x] = s[0];
}

// verdict by_data racy
__global__ void by_data(int *a, const int *chosen) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (chosen[i] > 0)
        __syncthreads(); // want barrier-divergence intra-warp
    a[i] = 1;
}

// verdict by_length_of_row racy
__global__ void by_length_of_row(int *a, const int *row) {
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[i]; e < row[i + 1]; e++) {
        s[threadIdx.x] = e;
        __syncthreads(); // want barrier-divergence intra-warp
        a[i] += s[63 - threadIdx.x];
        __syncthreads(); // want barrier-divergence intra-warp
    }
}

// verdict whole_blocks race-free
__global__ void whole_blocks(int *a, int n) {
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x * blockDim.x < n) {
        s[threadIdx.x] = i < n ? a[i] : 0;
        __syncthreads();
        if (i < n) a[i] = s[0];
    }
}

// verdict length_of_block race-free
__global__ void length_of_block(int *a, const int *row) {
    __shared__ int s[64];
    int b = blockIdx.x;
    for (int e = row[b]; e < row[b + 1]; e++) {
        s[threadIdx.x] = e;
        __syncthreads();
        a[b * 64 + threadIdx.x] += s[63 - threadIdx.x];
        __syncthreads();
    }
}

// What stands behind the barrier needs the variable.
__global__ void declares(int *a, int n) {
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int mine = a[i];
        s[threadIdx.x] = mine;
        __syncthreads(); // want barrier-divergence intra-block
        a[i] = s[0] + mine;
    }
}

// The condition has become another one.
__global__ void counts_down(int *a, int n) {
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = a[i];
        i += n;
        __syncthreads(); // want barrier-divergence intra-block
        a[i] = s[0];
    }
}

__global__ void first(int *a, int n) {
    __shared__ int s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = a[i];
    if (threadIdx.x < n) {
        __syncthreads(); /* all of s */ // want barrier-divergence intra-block
        a[i] = s[255 - threadIdx.x];
    }
}

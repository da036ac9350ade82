// Neighbours of a warp meet first, and warps as well: a barrier of the warp does not suffice, wherever it stands.
__global__ void sort(int *v) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = v[blockIdx.x * blockDim.x + t];
    for (int k = 2; k <= blockDim.x; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int i = t ^ j;
            if (i > t) {
                bool up = (t & k) == 0;
                if ((s[t] > s[i]) == up) { // want missing-syncwarp intra-warp
                    int x = s[t];
                    s[t] = s[i];
                    s[i] = x;
                }
            }
            __syncthreads();
        }
    v[blockIdx.x * blockDim.x + t] = s[t];
}

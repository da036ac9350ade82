// An atomic in the place of a strong read writes what it finds; a plain read beside it sees the same number.
__global__ void roots(int *parent, int *root, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int r = atomicAdd(&parent[i], 0);
    while (r != parent[r]) // want same-value-write inter-block
        r = parent[r];
    root[i] = r;
}

__global__ void swapped(unsigned *state, unsigned *seen, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        seen[i] = atomicCAS(&state[i], 0u, 0u) + state[i + 1]; // want same-value-write inter-block
}

// One that changes the value, and a plain write, are no such cases.
__global__ void bumped(int *parent, int *root, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1)
        root[i] = atomicAdd(&parent[i], 1) + parent[i + 1]; // want mixed-atomic inter-block
}

__global__ void cleared(int *parent, int *root, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) {
        root[i] = atomicOr(&parent[i], 0);
        parent[i + 1] = 0; // want mixed-atomic inter-block
    }
}

void run(int *parent, int *root, unsigned *state, unsigned *seen, int n) {
    roots<<<(n + 255) / 256, 256>>>(parent, root, n);
    swapped<<<(n + 255) / 256, 256>>>(state, seen, n);
    bumped<<<(n + 255) / 256, 256>>>(parent, root, n);
    cleared<<<(n + 255) / 256, 256>>>(parent, root, n);
}

// Forces between pairs: each update is made atomic, as one alone would race with the other still.
struct Vector { float x, y; };

__global__ void forces(const Vector *at, Vector *force, const int *list, const int *count, int n, float reach) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < count[i]; k++) {
        int j = list[k * n + i];
        float dx = at[i].x - at[j].x;
        if (dx * dx < reach) {
            force[i].x += dx;
            force[j].x -= dx; // want inter-block-race inter-block
        }
    }
}

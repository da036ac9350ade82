// Kernels for the test of the two passes. A comment "// x" marks a line that the test names. Each
// has data, an array of zeros, and input, an array in which element i holds i.
#define KERNEL extern "C" __global__ void
#define T threadIdx.x
#define B blockIdx.x

KERNEL own(unsigned *data, unsigned *input) {
  unsigned i = B * blockDim.x + T;
  data[i] = input[i] + 1;
}

// Each warp writes the last word of the one before it, too.
KERNEL overlap(unsigned *data, unsigned *input) {
  if (T % 32 == 0 && T > 0) data[B * blockDim.x + T - 1] = 7; // left
  data[B * blockDim.x + T] = input[T] + 1; // own
}

KERNEL neighbour_bytes(unsigned char *data, unsigned *input) {
  data[B * blockDim.x + T] = input[T] + 1;
}

KERNEL hand_over(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1;
  __syncthreads();
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T];
}

KERNEL no_barrier(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1; // make
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T]; // use
}

// The race is in the third region.
KERNEL late(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1;
  __syncthreads();
  unsigned v = s[blockDim.x - 1 - T];
  __syncthreads();
  s[T] = v + 5; // make
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T]; // use
}

// What is read does not matter to what is written: missed (4.7).
KERNEL idle_read(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1;
  if (s[blockDim.x - 1 - T] == 1000) data[T] = 1;
}

// All write what is there already: missed (4.7).
KERNEL same_again(unsigned *data, unsigned *input) {
  if (T % 32 == 0) data[5] = 0;
}

KERNEL between_blocks(unsigned *data, unsigned *input) {
  if (B == 0) data[T] = input[T] + 1; // make
  else data[blockDim.x * B + T] = data[T] + 3; // use
}

KERNEL both_blocks(unsigned *data, unsigned *input) {
  if (T == 0) data[0] = B + 1; // set
}

KERNEL histogram(unsigned *data, unsigned *input) { atomicAdd(&data[input[T] % 4], 1u); }

// A lock, with its fences: out of reach.
KERNEL locked(unsigned *data, unsigned *input) {
  if (T % 32 != 0) return;
  while (atomicCAS(&data[0], 0u, 1u) != 0)
    ;
  __threadfence();
  data[1] += 1;
  __threadfence();
  atomicExch(&data[0], 0u);
}

// A warp that waits for another: out of reach.
KERNEL wait(unsigned *data, unsigned *input) {
  volatile unsigned *flag = data;
  if (T == 0) {
    while (*flag == 0)
      ;
    data[1] = 1;
  } else if (T == 32) {
    *flag = 1;
  }
}

KERNEL in_one_store(unsigned *data, unsigned *input) {
  if (T < 32) data[31 - T / 2] = T + 1; // store
}

KERNEL loop(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T];
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    __syncthreads();
    if (T < step) s[T] += s[T + step];
  }
  if (T == 0) data[B] = s[0];
}

// The barrier stands behind the step, so the first step reads what others write.
KERNEL late_barrier(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1; // make
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (T < step) s[T] += s[T + step]; // step
    __syncthreads();
  }
  if (T == 0) data[B] = s[0];
}

// Updates in place, while what is read does not matter.
KERNEL idle_update(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1;
  __syncthreads();
  s[T] += 5;
  if (s[blockDim.x - 1 - T] == 1000) data[T] = 1;
}

// Whoever sees the change writes nothing.
KERNEL conditional(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = 0;
  __syncthreads();
  s[T] = input[T] + 1; // make
  if (s[blockDim.x - 1 - T] == 0) data[B * blockDim.x + T] = 7; // use
}

// Plain writes of what atomics touch, too.
KERNEL count_and_set(unsigned *data, unsigned *input) {
  if (T % 32 == 0) {
    atomicAdd(&data[0], 1u);
    data[0] = T + 1;
  }
}

KERNEL in_one_store_once(unsigned *data, unsigned *input) {
  if (T < 32) data[T == 5 ? 3 : T] = T + 1; // store
}

KERNEL one_value(unsigned *data, unsigned *input) {
  if (T < 32) data[31 - T / 2] = 9; // store
}

KERNEL early_exit(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  if (T >= 64) return;
  s[T] = input[T];
  __syncthreads();
  s[T] += 1; // make
  data[B * blockDim.x + T] = s[63 - T]; // use
}

KERNEL warp_barrier(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  s[T] = input[T] + 1; // make
  __syncwarp();
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T]; // use
}

// The check of the block ends at a barrier of some threads.
KERNEL some_threads(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  s[T] = input[T] + 1;
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T];
}

// And at an acquire, and at an mbarrier.
KERNEL acquire(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  unsigned v;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(input + T) : "memory");
  s[T] = v + 1;
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T];
}

KERNEL mbarrier(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  __shared__ unsigned long long m;
  if (T % 32 == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&m)) : "memory");
  s[T] = input[T] + 1;
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T];
}

KERNEL async_copy(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  unsigned at = __cvta_generic_to_shared(&s[T]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(input + T + 1) : "memory"); // copy
  asm volatile("cp.async.wait_all;" ::: "memory");
  data[B * blockDim.x + T] = s[blockDim.x - 1 - T]; // use
}

KERNEL async_source(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  unsigned at = __cvta_generic_to_shared(&s[T]);
  if (B == 0) {
    data[T] = input[T] + 1; // make
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(data + T) : "memory"); // copy
    asm volatile("cp.async.wait_all;" ::: "memory");
    data[blockDim.x * B + T] = s[T];
  }
}

// What races between blocks is the last that is reported.
KERNEL both_levels(unsigned *data, unsigned *input) {
  __shared__ unsigned s[256];
  if (T == 0) data[0] = B + 1; // set
  s[T] = input[T] + 1;
  data[64 + B * blockDim.x + T] = s[blockDim.x - 1 - T];
}

// Kernels in which threads hand data over, rightly and wrongly. A comment "// x" marks a line
// that the test names.
#define KERNEL extern "C" __global__ void
#define T threadIdx.x
#define B blockIdx.x
#define V(p) (*(volatile uint *)(p))

KERNEL hand_over(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL hand_over_volatile(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    V(flag) = 1; // set
  } else if (B == 1) {
    while (V(flag) == 0) // poll
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL no_release(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    ;
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL no_acquire(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    ;
    flag[8] = data[0]; // use
  }
}

KERNEL no_acquire_volatile(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    ;
    flag[8] = V(data); // use
  }
}

KERNEL no_fences(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    ;
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    ;
    flag[8] = data[0]; // use
  }
}

KERNEL narrow_release(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence_block();
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL narrow_acquire(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchange(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    __threadfence_block();
    flag[8] = data[0]; // use
  }
}

KERNEL narrow_flag(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchangeBlock(flag, 1); // set
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0) // poll
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL counter(uint *data, uint *flag) {
  atomicAdd(data, 1u); // add
}

KERNEL counter_block(uint *data, uint *flag) {
  atomicAddBlock(data, 1); // add
}

KERNEL counter_block_own(uint *data, uint *flag) {
  atomicAddBlock(data + B, 1); // add
}

KERNEL counter_reset(uint *data, uint *flag) {
  if (T == 0 && B == 0) data[0] = 0; // reset
  else if (T == 0) atomicAdd(data, 1u); // add
}

KERNEL lock(uint *data, uint *flag) {
  if (T != 0) return;
  for (bool done = false; !done;)
    if (compareAndSwap(flag, 0, 1) == 0) {
      __threadfence();
      data[0] = data[0] + 1; // count
      __threadfence();
      atomicExchange(flag, 0);
      done = true;
    }
}

KERNEL lock_block(uint *data, uint *flag) {
  if (T != 0) return;
  for (bool done = false; !done;)
    if (compareAndSwapBlock(flag, 0, 1) == 0) {
      __threadfence();
      data[0] = data[0] + 1; // count
      __threadfence();
      atomicExchangeBlock(flag, 0);
      done = true;
    }
}

KERNEL lock_no_acquire(uint *data, uint *flag) {
  if (T != 0) return;
  for (bool done = false; !done;)
    if (compareAndSwap(flag, 0, 1) == 0) {
      ;
      data[0] = data[0] + 1; // count
      __threadfence();
      atomicExchange(flag, 0);
      done = true;
    }
}

KERNEL lock_no_release(uint *data, uint *flag) {
  if (T != 0) return;
  for (bool done = false; !done;)
    if (compareAndSwap(flag, 0, 1) == 0) {
      __threadfence();
      data[0] = data[0] + 1; // count
      ;
      atomicExchange(flag, 0);
      done = true;
    }
}

KERNEL last_block(uint *data, uint *flag) {
  if (T == 0) {
    data[B] = B; // make
    __threadfence();
    if (atomicAdd(flag, 1u) == gridDim.x - 1) {
      __threadfence();
      uint sum = 0;
      for (uint i = 0; i < gridDim.x; i++) sum += data[i]; // use
      flag[8] = sum;
    }
  }
}

// What block 0 publishes comes back to it by block 1, which has taken and given it: its own fence need not be wider than it.
KERNEL returned(uint *data, uint *flag) {
  if (B == 0 && T == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicAdd(flag, 1);
  } else if (B == 1 && T == 0) {
    while (atomicAdd(flag, 0u) == 0)
      ;
    __threadfence();
    atomicAdd(flag, 1);
  } else if (B == 0 && T == 32) {
    while (atomicAdd(flag, 0u) != 2)
      ;
    __threadfence_block();
    flag[8] = data[0]; // use
  }
}

KERNEL transitive(uint *data, uint *flag) {
  if (T != 0) return;
  if (B == 0) {
    data[0] = 42; // make
    __threadfence();
    atomicExchange(flag, 1);
  } else if (B == 1) {
    while (atomicAdd(flag, 0u) == 0)
      ;
    __threadfence();
    atomicExchange(flag + 1, 1);
  } else if (B == 2) {
    while (atomicAdd(flag + 1, 0u) == 0)
      ;
    __threadfence();
    flag[8] = data[0]; // use
  }
}

KERNEL shared_right(uint *data, uint *flag) {
  __shared__ uint s[64];
  s[T] = T;
  __syncthreads();
  data[B * 64 + T] = s[63 - T];
}

KERNEL shared_wrong(uint *data, uint *flag) {
  __shared__ uint s[64];
  s[T] = T; // make
  data[B * 64 + T] = s[(T + 32) % 64]; // use
}

KERNEL shared_again(uint *data, uint *flag) {
  __shared__ uint s[64];
  for (uint i = 0; i < 2; i++) {
    s[T] = T; // make
    __syncthreads();
    data[B * 64 + T] = s[(T + 32) % 64]; // use
  }
}

KERNEL warp_right(uint *data, uint *flag) {
  __shared__ uint s[64];
  s[T] = T;
  __syncwarp();
  data[B * 64 + T] = s[T ^ 1];
}

KERNEL warp_wrong(uint *data, uint *flag) {
  __shared__ uint s[64];
  s[T] = T; // make
  data[B * 64 + T] = s[T ^ 1]; // use
}

KERNEL same_value(uint *data, uint *flag) {
  data[0] = 7; // set
}

KERNEL bytes_right(uint *data, uint *flag) {
  ((unsigned char *)data)[B * 64 + T] = 1;
}

KERNEL barrier_then_flag(uint *data, uint *flag) {
  data[B * 64 + T] = T;
  __syncthreads();
  if (T == 0) {
    __threadfence();
    atomicExchange(flag + B, 1);
    while (atomicAdd(flag + 1 - B, 0u) == 0)
      ;
    __threadfence();
  }
  __syncthreads();
  data[256 + B * 64 + T] = data[(1 - B) * 64 + T];
}

KERNEL stream(uint *data, uint *flag) {
  for (uint i = 0; i < 64; i++) data[(B * blockDim.x + T + i * 64) % 4096] += T;
}

KERNEL tile(uint *data, uint *flag) {
  __shared__ uint s[256];
  for (uint i = 0; i < 16; i++) {
    s[T] = data[T] + i;
    __syncthreads();
    uint sum = 0;
    for (uint j = 0; j < 16; j++) sum += s[(T & ~15u) + j] * s[j * 16 + (T & 15)];
    __syncthreads();
    flag[B * blockDim.x + T] = sum;
  }
}

KERNEL arithmetic(uint *data, uint *flag) {
  uint v = T;
  for (uint i = 0; i < 256; i++) v = (v ^ i) * 0x9e3779b9u + (v >> 7);
  data[B * blockDim.x + T] = v;
}

KERNEL table(uint *data, uint *flag) {
  uint sum = 0;
#pragma unroll 1
  for (uint i = 0; i < 64; i++) sum += data[i] * (T + i);
  if (sum == 1) flag[B] = 1;
}

KERNEL table_written(uint *data, uint *flag) {
  uint sum = 0;
#pragma unroll 1
  for (uint i = 0; i < 64; i++) sum += data[i] * (T + i); // use
  if (B == 70 && T == 0) data[40] = sum; // make
}

// A block of 256 threads writes a tile by rows and reads it by columns.
KERNEL transposed(uint *data, uint *flag) {
  __shared__ uint s[32 * 33];
  for (uint i = 0; i < 16; i++) {
    for (uint j = 0; j < 4; j++) s[(T / 32 * 4 + j) * 33 + T % 32] = data[j * 256 + T];
    __syncthreads();
    uint sum = 0;
    for (uint j = 0; j < 4; j++) sum += s[T % 32 * 33 + T / 32 * 4 + j];
    __syncthreads();
    flag[B * blockDim.x + T] = sum;
  }
}

KERNEL transposed_again(uint *data, uint *flag) {
  __shared__ uint s[32 * 33];
  for (uint i = 0; i < 2; i++) {
    for (uint j = 0; j < 4; j++) s[(T / 32 * 4 + j) * 33 + T % 32] = data[j * 256 + T]; // make
    __syncthreads();
    uint sum = 0;
    for (uint j = 0; j < 4; j++) sum += s[T % 32 * 33 + T / 32 * 4 + j]; // use
    flag[B * blockDim.x + T] = sum;
  }
}

// What many read in no order, the last one reads again behind the barrier.
KERNEL read_again_by_last(uint *data, uint *flag) {
  flag[T] = data[T % 3 * 2];
  __syncthreads();
  if (T == 60) flag[100] = data[0]; // use
  if (T == 1) data[0] = 1; // make
}

// What all read in no order, one reads again behind the barrier.
KERNEL read_again(uint *data, uint *flag) {
  flag[T] = data[T % 3 * 2];
  __syncthreads();
  if (T == 0) flag[100] = data[0]; // use
  if (T == 1) data[0] = 1; // make
}

// One thread of the second warp, and all of the first one in no order.
KERNEL scattered_over(uint *data, uint *flag) {
  __shared__ uint s[32];
  __syncthreads();
  if (T == 33) s[0] = 2; // make
  if (T < 32) s[T * 5 % 32] = 1; // set
  __syncthreads();
  flag[T] = s[T % 32];
}

// Each of 16 blocks writes eight columns of 32 rows.
KERNEL columns(uint *data, uint *flag) {
  data[T % 32 * 128 + T / 32 + B % 16 * 8] = B; // make
}

// Each thread writes and reads a part of its own.
KERNEL parts(uint *data, uint *flag) {
  if (B) return;
#pragma unroll 1
  for (uint i = 0; i < 16; i++) data[T * 16 + i] = i;
#pragma unroll 1
  for (uint i = 1; i < 16; i++) data[T * 16 + i] += data[T * 16 + i - 1];
}

// Each thread updates a byte and half a word of its own.
KERNEL pieces(uint *data, uint *flag) {
  unsigned char *bytes = (unsigned char *)data;
  unsigned short *halves = (unsigned short *)flag;
#pragma unroll 1
  for (uint i = 0; i < 8; i++) {
    bytes[B * 256 + T] += i;
    halves[B * 256 + T] += i;
  }
}

// Each thread updates words of its own, which lie in no order.
KERNEL permuted(uint *data, uint *flag) {
  uint *own = B % 2 ? data : flag;
#pragma unroll 1
  for (uint i = 0; i < 8; i++) own[(B / 2 % 8 * 256 + T) * 1021 % 4096] += i;
}

// Each block counts in bins of its own, and adds them up behind a barrier.
KERNEL bins(uint *data, uint *flag) {
  __shared__ uint s[256];
  s[T] = 0;
  __syncthreads();
#pragma unroll 1
  for (uint i = 0; i < 8; i++) atomicAdd(&s[(T * 73 + i * 29) % 256], 1);
  __syncthreads();
  atomicAdd(&data[T], s[T]);
}

// A tile is read with no barrier behind the writing of it.
KERNEL hasty(uint *data, uint *flag) {
  __shared__ uint s[256];
#pragma unroll 1
  for (uint i = 0; i < 4; i++) {
    s[T] = data[T] + i;
    uint sum = 0;
#pragma unroll 1
    for (uint j = 0; j < 16; j++) sum += s[(T & ~15u) + j] * s[j * 16 + (T & 15)];
    __syncthreads();
    flag[B * blockDim.x + T] = sum;
  }
}

#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>
using barrier=cuda::barrier<cuda::thread_scope_block>;namespace ptx=cuda::ptx;
__global__ void add1(int*d,size_t off){__shared__ alignas(16) int s[1024];
#pragma nv_diag_suppress static_var_with_dynamic_init
__shared__ barrier bar;if(threadIdx.x==0){init(&bar,blockDim.x);ptx::fence_proxy_async(ptx::space_shared);}__syncthreads();if(threadIdx.x==0){cuda::memcpy_async(s,d+off,cuda::aligned_size_t<16>(sizeof s),bar);}barrier::arrival_token t=bar.arrive();bar.wait(std::move(t));for(int i=threadIdx.x;i<1024;i+=blockDim.x)s[i]+=1;ptx::fence_proxy_async(ptx::space_shared);__syncthreads();if(threadIdx.x==0){ptx::cp_async_bulk(ptx::space_global,ptx::space_shared,d+off,s,sizeof s);ptx::cp_async_bulk_commit_group();ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());}}
int main(){int*d;if (cudaMallocManaged(&d,8192)) return 1;for(int i=0;i<2048;i++)d[i]=i;add1<<<1,128>>>(d,1024);if (cudaDeviceSynchronize()) return 1;bool ok=true;for(int i=0;i<2048;i++)ok&=d[i]==i+(i>=1024);puts(ok ? "done" : "wrong");}

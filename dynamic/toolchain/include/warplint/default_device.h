// NVRTC's -default-device: a function that says nothing of where it runs is a device function.
#pragma clang force_cuda_host_device begin

// C++: nothing to release, no casts, failures as exceptions. The tuning is a step of its own: run with
// KERNEL_LAUNCHER_CAPTURE=add, then tune.py of Kernel Launcher on the file that this writes.
#include <cuda_runtime.h>
#include <kernel_launcher.h>
#include <iostream>
#include <string>

namespace kl = kernel_launcher;

int main(int, char **argv)
{
    const int n = std::stoi(argv[1]);
    float *buffers, first;
    cudaMalloc(&buffers, 3 * sizeof(float) * n);
    cudaMemset(buffers, 0, 3 * sizeof(float) * n);
    kl::KernelBuilder builder("add", "add_plain.cu");
    auto block = builder.tune("block_size_x", {64, 128, 256, 512, 1024}, 256);
    builder.problem_size(kl::arg3).block_size(block).define(block);
    kl::WisdomKernel add(builder);
    for (int i = 0; i < 100; i++) {
        add(kl::CudaSpan<float>(buffers, n), kl::CudaSpan<const float>(buffers + n, n),
            kl::CudaSpan<const float>(buffers + 2 * n, n), n);
    }
    cudaMemcpy(&first, buffers, sizeof first, cudaMemcpyDeviceToHost);
    std::cout << first << '\n';
}

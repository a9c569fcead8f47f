/* Tests launches that succeed, fail or are refused; clusters, occupancy, and modules. */
#include "device.h"

static CUresult launch_sized(CUfunction function, unsigned grid, unsigned block, unsigned shared)
{
    CUdeviceptr y = 0;
    float a = 0;
    int n = 0;
    void *params[] = {&y, &a, &n};
    return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, NULL, params, NULL);
}

TEST_ON_DEVICE(bad_launches_are_refused)
{
    CUfunction add = load(ptx_add, "add"), reverse = load(ptx_tile, "reverse");
    CHECK_CODE(launch_sized(add, 0, 32, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(launch_sized(add, 1, 1025, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(launch_sized(add, 0x80000000u, 32, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(launch_sized(add, 1, 32, 48 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(launch_sized(reverse, 1, 257, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(launch_sized(NULL, 1, 32, 0), CUDA_ERROR_INVALID_HANDLE);
    CHECK_CODE(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL),
               CUDA_ERROR_INVALID_VALUE);
    OK(launch_sized(add, 1, 32, 48 * 1024));
    OK(cuCtxSynchronize());
}

TEST_ON_DEVICE(large_shared_memory_needs_an_opt_in)
{
    CUfunction add = load(ptx_add, "add");
    int most = 227 * 1024, value;
    CHECK_CODE(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most + 1),
               CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most));
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add));
    CHECK(value == most);
    OK(launch_sized(add, 1, 32, (unsigned)most));
    CHECK_CODE(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101),
               CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    CHECK_CODE(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 5), CUDA_ERROR_INVALID_VALUE);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, add));
    CHECK(value == 90);
    size_t offset, bytes;
    OK(cuFuncGetParamInfo(add, 2, &offset, &bytes));
    CHECK(offset == 12 && bytes == 4);
    CHECK_CODE(cuFuncGetParamInfo(add, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
}

static CUlaunchConfig config_of(CUlaunchAttribute *attribute, unsigned grid, unsigned cluster,
                                unsigned shared)
{
    *attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                     .value.clusterDim = {cluster, 1, 1}};
    return (CUlaunchConfig){.gridDimX = grid,
                            .gridDimY = 1,
                            .gridDimZ = 1,
                            .blockDimX = 128,
                            .blockDimY = 1,
                            .blockDimZ = 1,
                            .sharedMemBytes = shared,
                            .attrs = attribute,
                            .numAttrs = 1};
}

static CUresult launch_cluster(CUfunction add, unsigned grid, unsigned cluster)
{
    CUlaunchAttribute attribute;
    CUlaunchConfig config = config_of(&attribute, grid, cluster, 0);
    CUdeviceptr y = 0;
    float a = 0;
    int n = 0;
    void *params[] = {&y, &a, &n};
    return cuLaunchKernelEx(&config, add, params, NULL);
}

static void clusters(void)
{
    open_device();
    CUfunction add = load(ptx_add, "add");
    OK(launch_cluster(add, 16, 8));
    CHECK_CODE(launch_cluster(add, 12, 8), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    CHECK_CODE(launch_cluster(add, 16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    OK(launch_cluster(add, 16, 16));
    CHECK_CODE(launch_cluster(add, 32, 32), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    OK(cuCtxSynchronize());
}

static CUresult launch_cooperative(CUfunction meet, unsigned grid, CUdeviceptr here,
                                   CUdeviceptr missed)
{
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE};
    attribute.value.cooperative = 1;
    const CUlaunchConfig config = {.gridDimX = grid,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 1024,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    void *params[] = {&here, &missed};
    return cuLaunchKernelEx(&config, meet, params, NULL);
}

TEST_ON_DEVICE(grid_barrier_makes_writes_visible)
{
    enum { GRID = 200 };
    CUfunction meet = load(ptx_meet, "meet");
    CUdeviceptr here = new_buffer(GRID * sizeof(int)), missed = new_buffer(sizeof(int));
    for (int i = 0; i < 3; i++) {
        int wrong = -1;
        OK(cuMemsetD8_v2(here, 0, GRID * sizeof(int)));
        OK(launch_cooperative(meet, GRID, here, missed));
        OK(cuMemcpyDtoH_v2(&wrong, missed, sizeof wrong));
        CHECK(wrong == 0);
    }
    /* the limit is 264, because two blocks of 1024 threads fit on each of the 132 SMs */
    CHECK_CODE(launch_cooperative(meet, 265, here, missed),
               CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}

static void no_clusters(void)
{
    open_device();
    CUfunction add = load(ptx_add, "add");
    OK(launch_cluster(add, 16, 1));
    CHECK_CODE(launch_cluster(add, 16, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

TEST(cluster_sizes_are_checked)
{
    in_child(clusters, NULL);
    in_child(no_clusters, "GPUTUNE_DRIVER=emu:a100");
}

static int active_clusters(CUfunction add, unsigned size, unsigned shared)
{
    CUlaunchAttribute attribute;
    CUlaunchConfig config = config_of(&attribute, 1024, size, shared);
    int count;
    OK(cuOccupancyMaxActiveClusters(&count, add, &config));
    return count;
}

TEST_ON_DEVICE(occupancy_of_blocks_and_clusters)
{
    CUfunction add = load(ptx_add, "add");
    int blocks;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    CHECK(blocks == 16); /* 16 blocks have 2048 threads, the limit of an SM */
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 32, 0));
    CHECK(blocks == 32);
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 200 * 1024));
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 100 * 1024));
    CHECK(blocks == 2);
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 201 * 1024));
    CHECK(blocks == 0);
    /* These values were measured on an H200. Shared memory limits the number of clusters. */
    CHECK(active_clusters(add, 8, 100 * 1024) == 30 && active_clusters(add, 8, 200 * 1024) == 15);
    CHECK(active_clusters(add, 16, 100 * 1024) == 14 && active_clusters(add, 16, 200 * 1024) == 7);
    CHECK(active_clusters(add, 32, 0) == 0);
}

static CUresult launch_large(CUfunction large, CUdeviceptr out)
{
    static int block[2000];
    for (int i = 0; i < 2000; i++) {
        block[i] = i;
    }
    void *params[] = {block, &out};
    return cuLaunchKernel(large, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);
}

static void large_parameters(void)
{
    open_device();
    CUfunction large = load(ptx_block, "large");
    CUdeviceptr out = new_buffer(4);
    OK(launch_large(large, out));
    int sum;
    OK(cuMemcpyDtoH_v2(&sum, out, sizeof sum));
    CHECK(sum == 1999 * 1000);
}

static void large_parameters_refused(void)
{
    open_device();
    CUfunction large = load(ptx_block, "large"), add = load(ptx_add, "add");
    CUdeviceptr out = new_buffer(4);
    CHECK_CODE(launch_large(large, out), CUDA_ERROR_NOT_SUPPORTED);
    OK(launch_add(add, out, 2.0F, 1, NULL));
    CHECK(read_float(out) == 2.0F);
}

TEST(large_parameters_need_a_new_driver)
{
    in_child(large_parameters, NULL);
    in_child(large_parameters_refused, "GPUTUNE_EMU_SET=driver_version=12000");
}

static void look_up(CUfunction look, CUdeviceptr out, int wanted)
{
    int found[4];
    void *params[] = {&out};
    OK(cuLaunchKernel(look, 1, 1, 1, 4, 1, 1, 0, NULL, params, NULL));
    OK(cuMemcpyDtoH_v2(found, out, sizeof found));
    CHECK(found[0] == wanted && found[3] == wanted + 3);
}

TEST_ON_DEVICE(program_instances_have_separate_variables)
{
    CUmodule first, second;
    CUfunction look_first, look_second;
    CUdeviceptr table, counter, out = new_buffer(16);
    size_t bytes;
    OK(cuModuleLoadData(&first, ptx_table));
    OK(cuModuleLoadData(&second, ptx_table));
    OK(cuModuleGetFunction(&look_first, first, "look"));
    OK(cuModuleGetFunction(&look_second, second, "look"));
    OK(cuModuleGetGlobal_v2(&table, &bytes, first, "table"));
    CHECK(bytes == 16);
    const int low[4] = {0, 1, 2, 3}, high[4] = {100, 101, 102, 103};
    OK(cuMemcpyHtoD_v2(table, low, sizeof low));
    OK(cuModuleGetGlobal_v2(&table, &bytes, second, "table"));
    OK(cuMemcpyHtoD_v2(table, high, sizeof high));
    look_up(look_first, out, 7);
    look_up(look_second, out, 107);
    OK(cuModuleGetGlobal_v2(&counter, &bytes, first, "counter"));
    OK(cuMemsetD32_v2(counter, 50, 1));
    look_up(look_first, out, 50);
    look_up(look_second, out, 107);
    CHECK_CODE(cuModuleGetGlobal_v2(&table, &bytes, first, "none"), CUDA_ERROR_NOT_FOUND);
    CHECK_CODE(cuModuleGetFunction(&look_first, first, "none"), CUDA_ERROR_NOT_FOUND);
    OK(cuModuleUnload(first));
    look_up(look_second, out, 107);
}

/* Headers such as CUB's declare a thousand unused variables, which must take no memory. */
TEST_ON_DEVICE(unused_variables_are_not_allocated)
{
    enum { VARIABLES = 2000, MODULES = 40 };
    static char text[100 * VARIABLES + sizeof ptx_table];
    size_t length = sizeof ptx_table - 1;
    memcpy(text, ptx_table, length);
    for (int i = 0; i < VARIABLES; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   ".global .align 4 .u32 unused_%d = %d;\n", i, i);
    }
    for (int i = 0; i < MODULES; i++) {
        CUmodule module;
        CUdeviceptr unused;
        size_t bytes;
        int value = 0;
        OK(cuModuleLoadData(&module, text));
        OK(cuModuleGetGlobal_v2(&unused, &bytes, module, "unused_1234"));
        OK(cuMemcpyDtoH_v2(&value, unused, sizeof value));
        CHECK(bytes == sizeof value && value == 1234);
    }
}

TEST_ON_DEVICE(bad_images_are_refused)
{
    CUmodule module;
    CHECK_CODE(cuModuleLoadData(&module, "\177ELF\2\1\1"), CUDA_ERROR_NO_BINARY_FOR_GPU);
    char log[200] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CHECK_CODE(cuModuleLoadDataEx(&module, "no such text", 2, options, values),
               CUDA_ERROR_INVALID_PTX);
    CHECK(log[0] && !strcmp(log, emuLastMessage()));
    CUdeviceptr y = new_buffer(4);
    OK(launch_add(load(ptx_add, "add"), y, 1.0F, 1, NULL));
    OK(cuCtxSynchronize());
}

TEST_IN_CHILD(illegal_address_is_sticky)
{
    CUcontext context = open_device(), other;
    CUfunction wild = load(ptx_wild, "wild");
    CUdeviceptr y = new_buffer(40), more;
    int n = 10;
    void *params[] = {&y, &n};
    OK(cuLaunchKernel(wild, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK(strstr(emuLastMessage(), "wild") && strstr(emuLastMessage(), "allocation of 40 bytes"));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_CODE(cuMemAlloc_v2(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    OK(cuDevicePrimaryCtxReset_v2(0));
    CHECK_CODE(cuDevicePrimaryCtxRetain(&context, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    CHECK_CODE(cuCtxCreate_v2(&other, 0, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    int count;
    OK(cuDeviceGetCount(&count));
}

/* Each case reads outside of two buffers, at an offset from the end of one of them. */
static const struct outside {
    bool from_second, freed;
    long offset;
    CUdeviceptr named; /* offset of y in the second buffer, or 0 */
    const char *message;
} outsides[] = {
    {false, false, 0, 0, "0 bytes past the end of an allocation of 40 bytes"},
    {false, false, 60000, 0, "past the end of an allocation of 40 bytes"},
    {false, false, 66000, 0, "an allocation of 40 bytes"},
    {true, false, -44, 0, "4 bytes before an allocation of 40 bytes"},
    {true, false, -44, 16, "20 bytes before y of 24 bytes"},
    {false, true, -40, 0, "in freed memory (40 bytes"},
};
static const struct outside *tried;

static void read_outside(void)
{
    open_device();
    CUfunction peek = load(ptx_peek, "peek");
    CUdeviceptr first = new_buffer(40), second = new_buffer(40), to = new_buffer(4);
    CHECK(second > first && to > second);
    CUdeviceptr from = (tried->from_second ? second : first) + 40 + (CUdeviceptr)tried->offset;
    if (tried->named) {
        OK(emuNameMemory(second + tried->named, "y"));
    }
    if (tried->freed) {
        OK(cuMemFree_v2(first));
    }
    void *params[] = {&from, &to};
    OK(cuLaunchKernel(peek, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    CHECK_CODE(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    if (!strstr(emuLastMessage(), tried->message)) {
        fprintf(stderr, "\"%s\" lacks \"%s\"\n", emuLastMessage(), tried->message);
        _exit(1);
    }
}

TEST(message_locates_a_read_outside)
{
    for (size_t i = 0; i < sizeof outsides / sizeof outsides[0]; i++) {
        tried = &outsides[i];
        in_child(read_outside, NULL);
    }
}

enum { KEEP, FREE, FREE_TWICE, USE_FREED, PAST_THE_END };

static CUresult launch_take(CUdeviceptr got, uint64_t bytes, int then, unsigned threads)
{
    void *params[] = {&got, &bytes, &then};
    OK(cuLaunchKernel(load(ptx_take, "take"), 1, 1, 1, threads, 1, 1, 0, NULL, params, NULL));
    return cuCtxSynchronize();
}

static int count_taken(uint64_t bytes, int then, unsigned threads)
{
    CUdeviceptr got = new_buffer(threads * sizeof(int));
    int values[1024], count = 0;
    OK(launch_take(got, bytes, then, threads));
    OK(cuMemcpyDtoH_v2(values, got, threads * sizeof(int)));
    for (unsigned i = 0; i < threads; i++) {
        count += values[i];
    }
    return count;
}

TEST_ON_DEVICE(unfreed_memory_stays_until_the_context_ends)
{
    CHECK(count_taken(1 << 20, FREE, 7) == 7);
    CHECK(count_taken(9 << 20, KEEP, 4) == 0);
    CHECK(count_taken(1 << 20, KEEP, 16) == 7);
    CHECK(count_taken(1 << 20, KEEP, 16) == 0);
    CHECK(count_taken(64, FREE, 1024) == 1024);
    OK(cuDevicePrimaryCtxReset_v2(0));
    open_device();
    CHECK(count_taken(1 << 20, KEEP, 16) == 7);
}

static void lose_heap(int then, CUresult wanted, const char *message)
{
    CUdeviceptr got = new_buffer(4);
    CHECK_CODE(launch_take(got, 100, then, 1), wanted);
    CHECK(strstr(emuLastMessage(), message));
}

TEST_ON_DEVICE(freeing_twice_fails)
{
    lose_heap(FREE_TWICE, CUDA_ERROR_LAUNCH_FAILED, "which was freed before");
}

TEST_ON_DEVICE(use_of_freed_heap_faults)
{
    lose_heap(USE_FREED, CUDA_ERROR_ILLEGAL_ADDRESS, "not in an allocation");
}

TEST_ON_DEVICE(access_past_the_heap_faults)
{
    lose_heap(PAST_THE_END, CUDA_ERROR_ILLEGAL_ADDRESS, "store of 4 bytes");
}

/* The flag is in pinned host memory, so the host can end the kernel. */
TEST_ON_DEVICE(host_ends_a_spinning_kernel)
{
    CUfunction spin = load(ptx_spin, "spin");
    CUstream stream;
    OK(cuStreamCreate(&stream, 1));
    volatile int *flag;
    OK(cuMemAllocHost_v2((void **)&flag, sizeof *flag));
    void *params[] = {&flag};
    OK(cuLaunchKernel(spin, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    usleep(50000);
    CHECK_CODE(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    raise_flag(flag);
    OK(cuStreamSynchronize(stream));
}

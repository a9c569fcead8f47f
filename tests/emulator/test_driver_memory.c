/* Tests copies and fills, address ranges, attributes of addresses, and memory shared between
 * processes. */
#include "device.h"

TEST_ON_DEVICE(copies_both_ways)
{
    int from[1000], to[1000] = {0};
    for (int i = 0; i < 1000; i++) {
        from[i] = i * i;
    }
    CUdeviceptr a = new_buffer(sizeof from), b = new_buffer(sizeof from);
    OK(cuMemcpyHtoD_v2(a, from, sizeof from));
    OK(cuMemcpyDtoD_v2(b, a, sizeof from));
    OK(cuMemcpyDtoH_v2(to, b, sizeof from));
    CHECK(!memcmp(from, to, sizeof from));
    OK(cuMemsetD32_v2(b, 7, 10));
    OK(cuMemsetD32_v2(b + 40, 0x12341234, 1));
    OK(cuMemsetD8_v2(b + 44, 0xff, 4));
    OK(cuMemcpyDtoH_v2(to, b, 52));
    CHECK(to[0] == 7 && to[9] == 7 && to[10] == 0x12341234 && to[11] == -1 && to[12] == from[12]);
}

static void is(const char *host, char value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        CHECK(host[i] == value);
    }
}

TEST_ON_DEVICE(zeros_of_large_ranges_are_not_written_again)
{
    enum { BYTES = 3 << 20, BEGIN = 100, END = BYTES - 5000 };
    static char host[BYTES];
    CUdeviceptr new = new_buffer(BYTES), to = new_buffer(BYTES);
    OK(cuMemsetD8_v2(to, 5, BYTES));
    OK(cuMemsetD8_v2(to + BEGIN, 0, END - BEGIN));
    OK(cuMemcpyDtoH_v2(host, to, BYTES));
    is(host, 5, BEGIN);
    is(host + BEGIN, 0, END - BEGIN);
    is(host + END, 5, BYTES - END);
    OK(cuMemcpyDtoD_v2(to, new, BYTES));
    OK(cuMemcpyDtoH_v2(host, to, BYTES));
    is(host, 0, BYTES);
    OK(cuMemsetD8_v2(new + BYTES - 1, 7, 1));
    OK(cuMemcpyDtoD_v2(to, new, BYTES));
    OK(cuMemcpyDtoH_v2(host, to, BYTES));
    is(host, 0, BYTES - 1);
    is(host + BYTES - 1, 7, 1);
    OK(cuMemsetD32_v2(new, 0x01000000, BYTES / 4));
    OK(cuMemcpyDtoH_v2(host, new, 8));
    CHECK(host[2] == 0 && host[3] == 1);
}

/* The caller may change a pageable source as soon as the call has returned. A pinned source must
 * not change before the copy has ended. */
TEST_ON_DEVICE(async_copy_reads_pageable_memory_at_the_call)
{
    CUstream stream;
    OK(cuStreamCreate(&stream, 1));
    CUdeviceptr to = new_buffer(8);
    float source = 1;
    OK(cuMemcpyHtoDAsync_v2(to, &source, sizeof source, stream));
    source = 2;
    OK(cuStreamSynchronize(stream));
    CHECK(read_float(to) == 1);
    float *pinned;
    OK(cuMemAllocHost_v2((void **)&pinned, 64));
    *pinned = 5;
    OK(cuMemcpyHtoDAsync_v2(to, pinned, sizeof *pinned, stream));
    OK(cuStreamSynchronize(stream));
    CHECK(read_float(to) == 5);
    OK(cuMemFreeHost(pinned));
}

TEST_ON_DEVICE(bad_ranges_are_refused)
{
    char host[64] = {0};
    CUdeviceptr buffer = new_buffer(32);
    CHECK_CODE(cuMemcpyHtoD_v2(buffer, host, 33), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemcpyHtoD_v2(buffer + 1, host, 32), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemcpyDtoH_v2(host, (CUdeviceptr)(uintptr_t)host, 4), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemsetD32_v2(buffer + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemAlloc_v2(&buffer, 0), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemFree_v2(buffer + 4), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree_v2(buffer));
    CHECK_CODE(cuMemFree_v2(buffer), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemcpyHtoD_v2(buffer, host, 4), CUDA_ERROR_INVALID_VALUE);
}

TEST_ON_DEVICE(memory_is_limited)
{
    size_t free_bytes, total;
    OK(cuMemGetInfo_v2(&free_bytes, &total));
    CHECK(free_bytes > 0 && free_bytes <= total);
    CUdeviceptr buffer;
    CHECK_CODE(cuMemAlloc_v2(&buffer, free_bytes + 1), CUDA_ERROR_OUT_OF_MEMORY);
    OK(cuMemAlloc_v2(&buffer, free_bytes / 2));
    size_t left;
    OK(cuMemGetInfo_v2(&left, &total));
    CHECK(left == free_bytes - free_bytes / 2);
    OK(cuMemFree_v2(buffer));
    OK(cuMemGetInfo_v2(&left, &total));
    CHECK(left == free_bytes);
}

TEST_IN_CHILD(pointers_have_attributes)
{
    CUcontext context = open_device(), found;
    CUdeviceptr buffer = new_buffer(1000), base;
    size_t bytes;
    unsigned type;
    unsigned char shareable;
    OK(cuMemGetAddressRange_v2(&base, &bytes, buffer + 999));
    CHECK(base == buffer && bytes == 1000);
    CHECK_CODE(cuMemGetAddressRange_v2(&base, &bytes, buffer + 1000), CUDA_ERROR_NOT_FOUND);
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, buffer));
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    OK(cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_CONTEXT, buffer));
    CHECK(found == context);
    OK(cuPointerGetAttribute(&shareable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, buffer));
    CHECK(shareable == 1);
    int local;
    CHECK_CODE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                     (CUdeviceptr)(uintptr_t)&local),
               CUDA_ERROR_INVALID_VALUE);
    OK(cuMemHostRegister_v2(&local, sizeof local, 0));
    OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                             (CUdeviceptr)(uintptr_t)&local));
    CHECK(type == CU_MEMORYTYPE_HOST);
    CHECK_CODE(cuMemHostRegister_v2(&local, 1, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    OK(cuMemHostUnregister(&local));
    CHECK_CODE(cuMemHostUnregister(&local), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

static int to_importer[2], to_exporter[2];

static void import(void)
{
    CUipcMemHandle handle;
    char ready = 1;
    CHECK(read(to_importer[0], &handle, sizeof handle) == sizeof handle);
    open_device();
    CUdeviceptr mapped;
    OK(cuIpcOpenMemHandle_v2(&mapped, handle, 1));
    CHECK(read_float(mapped) == 1.5F);
    float value = 2.5F;
    OK(cuMemcpyHtoD_v2(mapped, &value, sizeof value));
    OK(cuIpcCloseMemHandle(mapped));
    CHECK_CODE(cuMemcpyHtoD_v2(mapped, &value, sizeof value), CUDA_ERROR_INVALID_VALUE);
    CHECK(write(to_exporter[1], &ready, 1) == 1);
}

TEST_IN_CHILD(memory_is_shared_between_processes)
{
    CHECK(!pipe(to_importer) && !pipe(to_exporter));
    pid_t child = fork();
    if (!child) {
        import();
        _exit(0);
    }
    open_device();
    CUdeviceptr first = new_buffer(100), buffer = new_buffer(1000), same;
    float value = 1.5F;
    OK(cuMemcpyHtoD_v2(buffer, &value, sizeof value));
    CUipcMemHandle handle;
    OK(cuIpcGetMemHandle(&handle, buffer + 8));
    CHECK_CODE(cuIpcOpenMemHandle_v2(&same, handle, 1), CUDA_ERROR_INVALID_CONTEXT);
    CHECK(write(to_importer[1], &handle, sizeof handle) == sizeof handle);
    char ready;
    CHECK(read(to_exporter[0], &ready, 1) == 1);
    CHECK(read_float(buffer) == 2.5F && read_float(first) == 0);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
    CUipcMemHandle forged;
    memset(&forged, 1, sizeof forged);
    CHECK_CODE(cuIpcOpenMemHandle_v2(&same, forged, 1), CUDA_ERROR_INVALID_VALUE);
}

static CUDA_RESOURCE_DESC rows_at(CUdeviceptr address)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_PITCH2D};
    resource.res.pitch2D.devPtr = address;
    resource.res.pitch2D.format = CU_AD_FORMAT_SIGNED_INT32;
    resource.res.pitch2D.numChannels = 2;
    resource.res.pitch2D.width = 8;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = 64;
    return resource;
}

/* Textures of memory that no GPU can read are refused. A context's textures are destroyed with the
 * context. */
TEST_ON_DEVICE(invalid_textures_are_refused)
{
    CUcontext own;
    CUtexObject object, other;
    CUdeviceptr buffer = new_buffer(1024);
    CUDA_TEXTURE_DESC plain = {.flags = CU_TRSF_READ_AS_INTEGER}, filtered = plain;
    const CUDA_RESOURCE_DESC rows = rows_at(buffer), beside = rows_at(buffer + 256);
    CUDA_RESOURCE_DESC narrow = rows, short_rows = rows, three = rows, array = rows;
    filtered.filterMode = CU_TR_FILTER_MODE_LINEAR;
    narrow.res.pitch2D.pitchInBytes = 32;
    short_rows.res.pitch2D.pitchInBytes = 80;
    three.res.pitch2D.numChannels = 3;
    array.resType = 1; /* a mipmapped array */
    CHECK_CODE(cuTexObjectCreate(NULL, &rows, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &beside, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &narrow, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &short_rows, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &three, &plain, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &rows, &filtered, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectCreate(&object, &array, &plain, NULL), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuTexObjectCreate(&object, &rows, &plain, NULL));
    OK(cuTexObjectDestroy(object));
    CHECK_CODE(cuTexObjectDestroy(object), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuTexObjectDestroy(1), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectCreate(&object, &rows, &plain, NULL));
    OK(cuCtxCreate_v2(&own, 0, 0));
    OK(cuTexObjectCreate(&other, &rows, &plain, NULL));
    OK(cuCtxDestroy_v2(own));
    CHECK_CODE(cuTexObjectDestroy(other), CUDA_ERROR_INVALID_VALUE);
    OK(cuTexObjectDestroy(object));
}

TEST_ON_DEVICE(invalid_arrays_and_partial_copies_are_refused)
{
    static const CUDA_ARRAY3D_DESCRIPTOR refused[] = {
        {0, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0},     {131073, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0},
        {8, 0, 2, CU_AD_FORMAT_FLOAT, 1, 0},     {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 1},
        {8, 8, 2049, CU_AD_FORMAT_FLOAT, 1, 1},  {8, 8, 2, CU_AD_FORMAT_FLOAT, 3, 0},
        {8, 32769, 2, CU_AD_FORMAT_FLOAT, 1, 1}, {8, 8, 2, CU_AD_FORMAT_FLOAT, 1, 2}};
    const CUDA_ARRAY3D_DESCRIPTOR shape = {8, 4, 3, CU_AD_FORMAT_FLOAT, 2, CUDA_ARRAY3D_LAYERED};
    const CUDA_TEXTURE_DESC plain = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP}};
    CUarray array;
    CUtexObject object;
    CUdeviceptr buffer = new_buffer(1024);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_CODE(cuArray3DCreate_v2(&array, &refused[i]), CUDA_ERROR_INVALID_VALUE);
    }
    OK(cuArray3DCreate_v2(&array, &shape));
    CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                          .srcDevice = buffer,
                          .srcPitch = 72,
                          .srcHeight = 4,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = 64,
                          .Height = 4,
                          .Depth = 3};
    CUDA_MEMCPY3D host = copy, wide = copy, deep = copy, outside = copy;
    host.srcMemoryType = CU_MEMORYTYPE_HOST;
    wide.WidthInBytes = 72;
    deep.Depth = 2;
    outside.srcPitch = 96;
    OK(cuMemcpy3DAsync_v2(&copy, NULL));
    CHECK_CODE(cuMemcpy3DAsync_v2(&host, NULL), CUDA_ERROR_NOT_SUPPORTED);
    CHECK_CODE(cuMemcpy3DAsync_v2(&wide, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemcpy3DAsync_v2(&deep, NULL), CUDA_ERROR_INVALID_VALUE);
    CHECK_CODE(cuMemcpy3DAsync_v2(&outside, NULL), CUDA_ERROR_INVALID_VALUE);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CHECK_CODE(cuTexObjectCreate(&object, &resource, &plain, NULL), CUDA_ERROR_INVALID_HANDLE);
    resource.res.array.hArray = array;
    OK(cuTexObjectCreate(&object, &resource, &plain, NULL));
    OK(cuTexObjectDestroy(object));
    OK(cuArrayDestroy(array));
    CHECK_CODE(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
    CHECK_CODE(cuMemcpy3DAsync_v2(&copy, NULL), CUDA_ERROR_INVALID_HANDLE);
}

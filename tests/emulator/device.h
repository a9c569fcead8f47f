/* Runs each test in its own process, because some tests make the device unusable. */
#pragma once

#include "calls.h"
#include "emulator/extensions.h"
#include "kernels.h"
#include "support/test.h"

#include <sys/resource.h>

/* Use this instead of assert_true(), which would let a child continue with other tests. */
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define CHECK_CODE(call, wanted)                                                                   \
    do {                                                                                           \
        int check_code_ = (int)(call);                                                             \
        if (check_code_ != (int)(wanted)) {                                                        \
            fprintf(stderr, "%s:%d: %s: %d, not %d (%s)\n", __FILE__, __LINE__, #call,             \
                    check_code_, (int)(wanted), emuLastMessage());                                 \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK_CODE(call, CUDA_SUCCESS)

/* Runs `body` in a child process, and fails the test if the child fails. `environment` is a
 * variable to set ("NAME=value") or NULL. The child is killed after 20 s of CPU time. */
static inline void in_child(void (*body)(void), const char *environment)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){20, RLIM_INFINITY});
        if (environment) {
            putenv(strdup(environment));
        }
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

#define TEST_IN_CHILD(name)                                                                        \
    static void name(void);                                                                        \
    TEST(test_##name)                                                                              \
    {                                                                                              \
        in_child(name, NULL);                                                                      \
    }                                                                                              \
    static void name(void)

static inline CUcontext open_device(void)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}

#define TEST_ON_DEVICE(name)                                                                       \
    static void name##_there(void);                                                                \
    TEST_IN_CHILD(name)                                                                            \
    {                                                                                              \
        open_device();                                                                             \
        name##_there();                                                                            \
    }                                                                                              \
    static void name##_there(void)

static inline CUfunction load(const char *ptx, const char *name)
{
    CUmodule module;
    CUfunction function;
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&function, module, name));
    return function;
}

static inline CUdeviceptr new_buffer(size_t bytes)
{
    CUdeviceptr buffer;
    OK(cuMemAlloc_v2(&buffer, bytes));
    OK(cuMemsetD8_v2(buffer, 0, bytes));
    OK(cuStreamSynchronize(NULL)); /* a non-blocking stream would not wait for cuMemsetD8() */
    return buffer;
}

/* Ends a spinning kernel. The race with the kernel is intended, so sanitizers must ignore it. */
__attribute__((no_sanitize("thread"))) static inline void raise_flag(volatile int *flag)
{
    *flag = 1;
}

static inline CUresult launch_add(CUfunction add, CUdeviceptr y, float a, int n, CUstream stream)
{
    void *params[] = {&y, &a, &n};
    unsigned blocks = (unsigned)(n + 127) / 128;
    return cuLaunchKernel(add, blocks, 1, 1, 128, 1, 1, 0, stream, params, NULL);
}

static inline float read_float(CUdeviceptr at)
{
    float value;
    OK(cuMemcpyDtoH_v2(&value, at, sizeof value));
    return value;
}

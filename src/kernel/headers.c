/* What is known of headers by their names. */
#include "kernel/headers.h"

#include "base/text.h"

#include <string.h>

bool gt_header_is_hosts(const char *name)
{
    /* of a name that ends with a slash or an underline there are those that begin so */
    static const char beginnings[] = "ATen/ bits/ boost/ c10/ EGL/ GL/ GLES2/ GLES3/ X11/ fmt/ "
                                     "gtest/ helper_ opencv2/ pybind11/ spdlog/ sys/ torch/";
    static const char others[] =
        "ctype.h cudnn.h cutil.h cutil_inline.h dirent.h err.h errno.h execinfo.h libgen.h sched.h "
        "semaphore.h error.h "
        "fcntl.h getopt.h inttypes.h complex.h malloc.h memory.h mpi.h nccl.h omp.h pthread.h "
        "signal.h stdarg.h strings.h time.h unistd.h windows.h";
    const size_t length = strlen(name), part = strcspn(name, "/_");
    return !strpbrk(name, "./") || /* of C++'s library */
           (length > 2 && strcmp(name + length - 2, ".c") == 0) ||
           gt_is_any(name, length, others) ||
           (part < length && gt_is_any(name, part + 1, beginnings));
}

bool gt_header_is_known(const char *name)
{
    static const char known[] =
        "cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h cuda_profiler_api.h "
        "cuda_gl_interop.h cuda_egl_interop.h cublas.h cublasLt.h cublas_v2.h cufft.h curand.h "
        "cusparse.h cusolverDn.h nvToolsExt.h nvml.h";
    return gt_is_any(name, strlen(name), known);
}

/* Whether this is a header of C's library that device code may include. */
static bool is_of_c(const char *name)
{
    return gt_is_any(name, strlen(name),
                     "assert.h float.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h "
                     "stdlib.h string.h");
}

bool gt_header_is_toolkits(const char *name)
{
    static const char *const parts[] = {"cooperative_groups", "_functions", "_types", "_intrinsics",
                                        "_constants",         "mma.h",      "/"};
    bool is = strncmp(name, "cu", 2) == 0 || strncmp(name, "nv", 2) == 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !is; i++) {
        is = strstr(name, parts[i]) != NULL;
    }
    return is || gt_header_is_hosts(name) || gt_header_is_known(name) || is_of_c(name);
}

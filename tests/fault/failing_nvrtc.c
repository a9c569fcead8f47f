/* Replaces NVRTC: forwards each call to the real library at FAIL_NVRTC, except calls that failing.h
 * makes fail as "nvrtc". */
#include "failing.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { OUT_OF_MEMORY = 1 };

static void *real(const char *name)
{
    static void *library;
    const char *path = getenv("FAIL_NVRTC");
    library = library ? library : dlopen(path ? path : "libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        abort();
    }
    return found;
}

/* All arguments are pointers or ints, at most six. */
#define CALL(name)                                                                                 \
    __attribute__((visibility("default"))) int name(long a, long b, long c, long d, long e,        \
                                                    long f);                                       \
    int name(long a, long b, long c, long d, long e, long f)                                       \
    {                                                                                              \
        return failing_now("nvrtc", 0)                                                             \
                   ? OUT_OF_MEMORY                                                                 \
                   : ((int (*)(long, long, long, long, long, long))real(#name))(a, b, c, d, e, f); \
    }
CALL(nvrtcVersion)
CALL(nvrtcCreateProgram)
CALL(nvrtcAddNameExpression)
CALL(nvrtcDestroyProgram)
CALL(nvrtcCompileProgram)
CALL(nvrtcGetPTXSize)
CALL(nvrtcGetPTX)
CALL(nvrtcGetCUBINSize)
CALL(nvrtcGetCUBIN)
CALL(nvrtcGetProgramLogSize)
CALL(nvrtcGetProgramLog)
CALL(nvrtcGetLoweredName)
CALL(nvrtcGetNumSupportedArchs)
CALL(nvrtcGetSupportedArchs)
CALL(nvrtcGetPCHCreateStatus)

__attribute__((visibility("default"))) const char *nvrtcGetErrorString(int code);
const char *nvrtcGetErrorString(int code)
{
    return ((const char *(*)(int))real("nvrtcGetErrorString"))(code);
}

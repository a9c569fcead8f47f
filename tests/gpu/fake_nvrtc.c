/* Imitates the libnvrtc.so.12 of NVIDIA's Python wheel. That library has no RUNPATH, and opens its
 * builtins library by bare name when it compiles. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

enum { SUCCESS = 0, BUILTIN_OPERATION_FAILURE = 7 };

static const char failure[] = "nvrtc: error: failed to open libnvrtc-builtins.so.12.9.";
static const char ptx[] = ".version 8.8\n.target sm_90\n.address_size 64\n";
static int failed;

int nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 9;
    return SUCCESS;
}

int nvrtcCreateProgram(void **program, const char *text, const char *name, int count,
                       const char *const *headers, const char *const *header_names)
{
    (void)text, (void)name, (void)count, (void)headers, (void)header_names;
    *program = &failed;
    return SUCCESS;
}

int nvrtcAddNameExpression(void *program, const char *name)
{
    (void)program, (void)name;
    return SUCCESS;
}

int nvrtcGetLoweredName(void *program, const char *name, const char **lowered)
{
    (void)program;
    *lowered = name;
    return SUCCESS;
}

int nvrtcDestroyProgram(void **program)
{
    *program = NULL;
    return SUCCESS;
}

int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    (void)program, (void)count, (void)options;
    failed = !dlopen("libnvrtc-builtins.so.12.9", RTLD_NOW);
    return failed ? BUILTIN_OPERATION_FAILURE : SUCCESS;
}

int nvrtcGetPTXSize(void *program, size_t *bytes)
{
    (void)program;
    *bytes = sizeof ptx;
    return SUCCESS;
}

int nvrtcGetPTX(void *program, char *out)
{
    (void)program;
    memcpy(out, ptx, sizeof ptx);
    return SUCCESS;
}

int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    (void)program;
    *bytes = 1;
    return SUCCESS;
}

int nvrtcGetCUBIN(void *program, char *out)
{
    (void)program;
    *out = '\0';
    return SUCCESS;
}

int nvrtcGetProgramLogSize(void *program, size_t *bytes)
{
    (void)program;
    *bytes = failed ? sizeof failure : 1;
    return SUCCESS;
}

int nvrtcGetProgramLog(void *program, char *out)
{
    (void)program;
    memcpy(out, failed ? failure : "", failed ? sizeof failure : 1);
    return SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 1;
    return SUCCESS;
}

int nvrtcGetSupportedArchs(int *arches)
{
    *arches = 90;
    return SUCCESS;
}

const char *nvrtcGetErrorString(int result)
{
    return result == SUCCESS ? "NVRTC_SUCCESS" : "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE";
}

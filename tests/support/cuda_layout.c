#include "support/cuda_layout.h"

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

#if defined(CUDA_VERSION) && CUDA_VERSION >= 13000 /* older headers lack some of the names */

#include "emulator/attributes.h"

#include <string.h>

const cuda_layout_row cuda_layout[] = {CUDA_LAYOUT_ROWS{NULL, 0}};

static const cuda_layout_row codes[] = {
#define RESULT(name, value)    {#name, (long long)(name)},
#define ATTRIBUTE(name, value) {#name, (long long)(CU_DEVICE_ATTRIBUTE_##name)},
    GT_CUDA_RESULT_LIST(RESULT) EMU_ATTRIBUTE_LIST(ATTRIBUTE)};

long long cuda_code(const char *name)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (strcmp(codes[i].what, name) == 0) {
            return codes[i].value;
        }
    }
    return -1;
}

#else

const cuda_layout_row cuda_layout[] = {{NULL, 0}};

long long cuda_code(const char *name)
{
    return -1;
}

#endif

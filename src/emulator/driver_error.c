#include "emulator/driver.h"

typedef struct error_text {
    int code;
    const char *name, *text;
} error_text;

static const error_text errors[] = {{CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
#define X(name, value, text) {value, "CUDA_ERROR_" #name, text},
                                    EMU_ERROR_LIST(X)
#undef X
};

static const error_text *find(CUresult error)
{
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        if (errors[i].code == (int)error) {
            return &errors[i];
        }
    }
    return NULL;
}

EMU_EXPORT CUresult cuGetErrorName(CUresult error, const char **name)
{
    EMU_CHECK(name, CUDA_ERROR_INVALID_VALUE);
    const error_text *found = find(error);
    *name = found ? found->name : NULL;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EMU_EXPORT CUresult cuGetErrorString(CUresult error, const char **text)
{
    EMU_CHECK(text, CUDA_ERROR_INVALID_VALUE);
    const error_text *found = find(error);
    *text = found ? found->text : NULL;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

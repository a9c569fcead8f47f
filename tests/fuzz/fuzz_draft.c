/* First templates from kernels: any text ends in a template or a message. */
#include "fuzz/fuzz.h"

#include "draft/draft.h"

#include <gputune.h>
#include <stdlib.h>
#include <string.h>

static const char tiled[] =
    "#include <vector>\n#define TILE 16\nconstexpr int R = 2 * TILE;\n"
    "__constant__ float filter[2 * R + 1];\n"
    "template <typename T, int N = 4>\n"
    "__global__ void __launch_bounds__(256) tiled(T *y, const T *__restrict__ x, params p, int w)\n"
    "{\n"
    "    __shared__ T s[TILE][TILE + 1];\n"
    "    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;\n"
    "    const T *from = x + row * w;\n"
    "    for (int t = 0; t < (w + TILE - 1) / TILE; t += N) {\n"
    "        s[threadIdx.y][threadIdx.x] = from[t * TILE + (threadIdx.x & 15)] * p.a;\n"
    "    }\n"
    "    if (col < w && row >= 0) atomicAdd(&y[(size_t)row * w + col], s[0][0]);\n"
    "}\n"
    "int main() { tiled<float><<<1, 2>>>(0, 0, {}, 1); }\n";

static const char rows[] =
    "#pragma gputune kernel(spmv)\n"
    "__global__ void spmv(float *y, const int *rows, const int *cols, const float *x, size_t n)\n"
    "{\n"
    "    extern __shared__ float part[];\n"
    "    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;\n"
    "         i += blockDim.x * gridDim.x) {\n"
    "        for (int k = rows[i]; k < rows[i + 1]; ++k) y[i] += x[cols[k]] / 2;\n"
    "    }\n"
    "}\n";

const char *const fuzz_seeds[] = {tiled, rows, NULL};
const char *const fuzz_words[] = {
    "#pragma gputune ",
    "__global__ void ",
    "__shared__ ",
    "__constant__ ",
    "threadIdx.x",
    "blockIdx.y",
    "blockDim.z",
    "gridDim.x",
    "for (int i = 0;",
    "while (",
    "if (",
    "return;",
    "i < n",
    "i >= n",
    "i += ",
    "float *p = ",
    "p[i]",
    "p[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "<<<1, 1>>>",
    "reinterpret_cast<float4 *>(",
    "(size_t)",
    "atomicAdd(&",
    "__ldg(",
    "template <int N>",
    "namespace a {",
    "#define A ",
    "#ifndef A\n",
    "#endif\n",
    "std::",
    " / ",
    " % ",
    " << ",
    " * ",
    " - ",
    ";",
    ",",
    "=",
    "\n",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char *draft = NULL, *text = strndup((const char *)data, bytes);
    FUZZ_REQUIRE(text);
    if (gt_draft_template(&draft, "fuzz.cu", text, NULL, NULL, NULL, NULL) == 0) {
        FUZZ_REQUIRE(draft && strlen(draft) >= strlen(text));
    } else {
        FUZZ_REQUIRE(strncmp(gputune_error(), "fuzz.cu:", 8) == 0);
    }
    free(draft);
    free(text);
    return 0;
}

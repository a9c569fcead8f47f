/* Tests tensor-core products of kernels that NVRTC compiles. The host computes the expected
 * results. The values are small integers, so sums are exact in every format. */
#include "cuda_fixture.h"

#include "emulator/float.h"

typedef enum number { F16, BF16, TF32, F64, S8, U8, E4M3, F32, S32 } number;

static const struct {
    const char *cuda;
    size_t bytes;
} numbers[] = {
    [F16] = {"half", 2},           [BF16] = {"__nv_bfloat16", 2}, [TF32] = {"float", 4},
    [F64] = {"double", 8},         [S8] = {"signed char", 1},     [U8] = {"unsigned char", 1},
    [E4M3] = {"unsigned char", 1}, [F32] = {"float", 4},          [S32] = {"int", 4},
};

static void put(number n, void *array, size_t at, int value)
{
    switch (n) {
    case F16:
        ((uint16_t *)array)[at] = emu_half_from_double(value, EMU_RN);
        break;
    case BF16:
        ((uint16_t *)array)[at] = emu_bfloat_from_double(value, EMU_RN);
        break;
    case F64:
        ((double *)array)[at] = value;
        break;
    case E4M3:
        ((uint8_t *)array)[at] = emu_fp8_from_double(value, false);
        break;
    case S8:
    case U8:
        ((uint8_t *)array)[at] = (uint8_t)value;
        break;
    case S32:
        ((int *)array)[at] = value;
        break;
    default:
        ((float *)array)[at] = (float)value;
        break;
    }
}

static double get(number n, const void *array, size_t at)
{
    return n == F16   ? emu_half_to_float(((const uint16_t *)array)[at])
           : n == F64 ? ((const double *)array)[at]
           : n == S32 ? ((const int *)array)[at]
                      : (double)((const float *)array)[at];
}

typedef struct product {
    int m, n, k;
    number factor, sum;
    bool a_by_columns, b_by_columns;
} product;

static int value_of(int i, number n)
{
    return i * 7 % 11 - (n == U8 ? 0 : 5);
}

/* Computes C = A * B + C on one warp, or on four warps if C has 64 rows. C is row-major. */
static void run_product(const char *source, const product *p)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, source);
    void *a = machine_alloc(&m, (size_t)p->m * p->k * 8),
         *b = machine_alloc(&m, (size_t)p->n * p->k * 8);
    void *c = machine_alloc(&m, (size_t)p->m * p->n * 8);
    for (int i = 0; i < p->m; i++)
        for (int k = 0; k < p->k; k++)
            put(p->factor, a, (size_t)(p->a_by_columns ? k * p->m + i : i * p->k + k),
                value_of(i * 5 + k, p->factor));
    for (int j = 0; j < p->n; j++)
        for (int k = 0; k < p->k; k++)
            put(p->factor, b, (size_t)(p->b_by_columns ? j * p->k + k : k * p->n + j),
                value_of(j * 3 + k * 2, p->factor));
    for (int i = 0; i < p->m * p->n; i++)
        put(p->sum, c, (size_t)i, i % 13);
    void *arguments[] = {a, b, c};
    machine_launch(&m, "kernel", 1, p->m == 64 ? 128 : 32, arguments);
    for (int i = 0; i < p->m; i++)
        for (int j = 0; j < p->n; j++) {
            double want = (i * p->n + j) % 13;
            for (int k = 0; k < p->k; k++)
                want += value_of(i * 5 + k, p->factor) * value_of(j * 3 + k * 2, p->factor);
            if (get(p->sum, c, (size_t)(i * p->n + j)) != want)
                fail_msg("m%dn%dk%d of %s at (%d, %d): %g, want %g", p->m, p->n, p->k,
                         numbers[p->factor].cuda, i, j, get(p->sum, c, (size_t)(i * p->n + j)),
                         want);
        }
}

static const char wmma[] =
    "#include <mma.h>\n#include <cuda_bf16.h>\n"
    "using namespace nvcuda;\n"
    "typedef %s type; typedef %s factor; typedef %s sum;\n"
    "enum { M = %d, N = %d, K = %d, LEFT = %d, RIGHT = %d };\n"
    "extern \"C\" __global__ void kernel(const factor *a, const factor *b, sum *c) {\n"
    "  __shared__ alignas(32) factor staged[N * K];\n"
    "  wmma::fragment<wmma::matrix_a, M, N, K, type, wmma::%s_major> left;\n"
    "  wmma::fragment<wmma::matrix_b, M, N, K, type, wmma::%s_major> right;\n"
    "  wmma::fragment<wmma::accumulator, M, N, K, sum> all;\n"
    "  for (int i = threadIdx.x; i < N * K; i += 32) staged[i] = b[i];\n"
    "  __syncwarp();\n"
    "  wmma::load_matrix_sync(left, a, LEFT);\n"
    "  wmma::load_matrix_sync(right, staged, RIGHT);\n"
    "  wmma::load_matrix_sync(all, c, N, wmma::mem_row_major);\n"
    "  for (int i = 0; i < left.num_elements; i++) left.x[i] = left.x[i] * factor(1.0f);\n"
    "  wmma::mma_sync(all, left, right, all);\n"
    "  wmma::store_matrix_sync(c, all, N, wmma::mem_row_major);\n"
    "}\n";

TEST(test_wmma)
{
    static const product products[] = {
        {16, 16, 16, F16, F32, false, true},  {16, 16, 16, F16, F16, true, false},
        {32, 8, 16, F16, F32, true, true},    {8, 32, 16, F16, F16, false, false},
        {16, 16, 16, BF16, F32, false, true}, {32, 8, 16, BF16, F32, true, false},
        {8, 32, 16, BF16, F32, false, false}, {16, 16, 8, TF32, F32, false, true},
        {16, 16, 8, TF32, F32, true, false},  {8, 8, 4, F64, F64, false, true},
        {16, 16, 16, S8, S32, false, true},   {32, 8, 16, U8, S32, true, false},
        {8, 32, 16, S8, S32, false, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const product *p = &products[i];
        char source[4096];
        const char *factor = numbers[p->factor].cuda;
        snprintf(source, sizeof source, wmma, p->factor == TF32 ? "wmma::precision::tf32" : factor,
                 factor, numbers[p->sum].cuda, p->m, p->n, p->k, p->a_by_columns ? p->m : p->k,
                 p->b_by_columns ? p->k : p->n, p->a_by_columns ? "col" : "row",
                 p->b_by_columns ? "col" : "row");
        run_product(source, p);
    }
}

/* In this kernel, each register of a lane holds EACH elements of a matrix. Their rows and columns
 * depend on the number of the register. */
static const char mma[] =
    "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    "typedef %s factor; typedef %s sum;\n"
    "enum { M = %d, N = 8, K = %d, EACH = sizeof(factor) < 4 ? 4 / sizeof(factor) : 1 };\n"
    "struct registers_a { alignas(8) factor x[M * K / 32]; };\n"
    "struct registers_b { alignas(8) factor x[N * K / 32]; };\n"
    "struct registers_c { alignas(8) sum x[M * N / 32]; };\n"
    "extern \"C\" __global__ void kernel(const factor *a, const factor *b, sum *c) {\n"
    "  int group = threadIdx.x / 4, in_group = threadIdx.x %% 4;\n"
    "  registers_a left; registers_b right; registers_c all;\n"
    "  for (int i = 0; i < M * K / 32; i++) {\n"
    "    int r = i / EACH, row = group + (M == 16 && r %% 2 ? 8 : 0);\n"
    "    int step = M == 16 ? r / 2 : r;\n"
    "    left.x[i] = a[row * K + in_group * EACH + i %% EACH + 4 * EACH * step];\n"
    "  }\n"
    "  for (int i = 0; i < N * K / 32; i++)\n"
    "    right.x[i] = b[group * K + in_group * EACH + i %% EACH + 4 * EACH * (i / EACH)];\n"
    "  sum *place[M * N / 32];\n"
    "  for (int i = 0; i < M * N / 32; i++)\n"
    "    all.x[i] = *(place[i] = &c[(group + i / 2 * 8) * N + in_group * 2 + i %% 2]);\n"
    "  typedef %s factors; typedef %s sums;\n"
    "  factors *l = (factors *)&left, *r = (factors *)&right; sums *d = (sums *)&all;\n"
    "  asm(\"mma.sync.aligned.%s \" %s);\n"
    "  for (int i = 0; i < M * N / 32; i++) *place[i] = all.x[i];\n"
    "}\n";

/* Writes the operands of an instruction: d registers for D, a registers for A, b registers for B,
 * and the registers of D again for C. */
static void name_operands(char *out, size_t bytes, unsigned d, unsigned a, unsigned b, char sum,
                          char factor)
{
    size_t used = 0;
    unsigned counts[] = {d, a, b, d}, next = 0;
    used += (size_t)snprintf(out, bytes, "\"");
    for (int o = 0; o < 4; o++) {
        unsigned from = o == 3 ? 0 : next;
        for (unsigned i = 0; i < counts[o]; i++)
            used += (size_t)snprintf(out + used, bytes - used, "%s%%%u",
                                     i   ? ","
                                     : o ? ", {"
                                         : "{",
                                     from + i);
        used += (size_t)snprintf(out + used, bytes - used, "}");
        next += counts[o];
    }
    used += (size_t)snprintf(out + used, bytes - used, ";\" : ");
    for (unsigned i = 0; i < d; i++)
        used +=
            (size_t)snprintf(out + used, bytes - used, "%s\"+%c\"(d[%u])", i ? "," : "", sum, i);
    for (unsigned i = 0; i < a; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s\"%c\"(l[%u])", i ? "," : " : ",
                                 factor, i);
    for (unsigned i = 0; i < b; i++)
        used += (size_t)snprintf(out + used, bytes - used, ",\"%c\"(r[%u])", factor, i);
}

TEST(test_mma)
{
    static const struct {
        product p;
        const char *form;
    } cases[] = {
        {{16, 8, 16, F16, F32, false, true}, "m16n8k16.row.col.f32.f16.f16.f32"},
        {{16, 8, 8, F16, F32, false, true}, "m16n8k8.row.col.f32.f16.f16.f32"},
        {{16, 8, 16, F16, F16, false, true}, "m16n8k16.row.col.f16.f16.f16.f16"},
        {{16, 8, 16, BF16, F32, false, true}, "m16n8k16.row.col.f32.bf16.bf16.f32"},
        {{16, 8, 8, BF16, F32, false, true}, "m16n8k8.row.col.f32.bf16.bf16.f32"},
        {{16, 8, 8, TF32, F32, false, true}, "m16n8k8.row.col.f32.tf32.tf32.f32"},
        {{16, 8, 4, TF32, F32, false, true}, "m16n8k4.row.col.f32.tf32.tf32.f32"},
        {{16, 8, 32, S8, S32, false, true}, "m16n8k32.row.col.s32.s8.s8.s32"},
        {{16, 8, 16, U8, S32, false, true}, "m16n8k16.row.col.satfinite.s32.u8.u8.s32"},
        {{16, 8, 32, E4M3, F32, false, true}, "m16n8k32.row.col.f32.e4m3.e4m3.f32"},
        {{8, 8, 4, F64, F64, false, true}, "m8n8k4.row.col.f64.f64.f64.f64"},
        {{16, 8, 8, F64, F64, false, true}, "m16n8k8.row.col.f64.f64.f64.f64"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const product *p = &cases[i].p;
        char source[8192], operands[1024];
        unsigned wide = p->factor == F64 ? 8 : 4, bytes = (unsigned)numbers[p->factor].bytes;
        unsigned d = (unsigned)(p->m * 8 / 32) / (p->sum == F16 ? 2 : 1);
        name_operands(operands, sizeof operands, d, (unsigned)(p->m * p->k / 32) * bytes / wide,
                      (unsigned)(8 * p->k / 32) * bytes / wide,
                      p->sum == F32   ? 'f'
                      : p->sum == F64 ? 'd'
                                      : 'r',
                      wide == 8 ? 'd' : 'r');
        snprintf(source, sizeof source, mma, numbers[p->factor].cuda, numbers[p->sum].cuda, p->m,
                 p->k, wide == 8 ? "double" : "unsigned",
                 p->sum == F32   ? "float"
                 : p->sum == F64 ? "double"
                                 : "unsigned",
                 cases[i].form, operands);
        run_product(source, p);
    }
}

static const char moved[] =
    "#include <cuda_fp16.h>\n"
    "extern \"C\" __global__ void moved(const half *a, const half *b, half *c) {\n"
    "  __shared__ alignas(16) half left[256], right[128], out[128];\n"
    "  unsigned lane = threadIdx.x;\n"
    "  for (int i = lane; i < 256; i += 32) left[i] = a[i];\n"
    "  for (int i = lane; i < 128; i += 32) right[i] = b[i];\n"
    "  __syncwarp();\n"
    "  unsigned l[4], r[2], d[2] = {0, 0};\n"
    "  unsigned at = __cvta_generic_to_shared(&left[lane % 16 * 16 + lane / 16 * 8]);\n"
    "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\"\n"
    "    : \"=r\"(l[0]), \"=r\"(l[1]), \"=r\"(l[2]), \"=r\"(l[3]) : \"r\"(at));\n"
    "  at = lane < 16 ? __cvta_generic_to_shared(&right[lane * 8]) : 0xffffff01;\n"
    "  asm volatile(\"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\"\n"
    "    : \"=r\"(r[0]), \"=r\"(r[1]) : \"r\"(at));\n"
    "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5},\"\n"
    "    \"{%6,%7}, {%0,%1};\" : \"+r\"(d[0]), \"+r\"(d[1]) : \"r\"(l[0]), \"r\"(l[1]),\n"
    "    \"r\"(l[2]), \"r\"(l[3]), \"r\"(r[0]), \"r\"(r[1]));\n"
    "  at = __cvta_generic_to_shared(&out[lane % 16 * 8]);\n"
    "  asm volatile(\"stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};\"\n"
    "    :: \"r\"(at), \"r\"(d[0]), \"r\"(d[1]) : \"memory\");\n"
    "  __syncwarp();\n"
    "  for (int i = lane; i < 128; i += 32) c[i] = out[i];\n"
    "}\n";

TEST(test_ldmatrix_and_stmatrix)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, moved);
    uint16_t *a = machine_alloc(&m, 512), *b = machine_alloc(&m, 256), *c = machine_alloc(&m, 256);
    for (int i = 0; i < 256; i++)
        put(F16, a, (size_t)i, i % 7 - 3);
    for (int i = 0; i < 128; i++)
        put(F16, b, (size_t)i, i % 5 - 2);
    void *arguments[] = {a, b, c};
    machine_launch(&m, "moved", 1, 32, arguments);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            int want = 0;
            for (int k = 0; k < 16; k++)
                want += ((i * 16 + k) % 7 - 3) * ((k * 8 + j) % 5 - 2);
            assert_true(get(F16, c, (size_t)(i * 8 + j)) == want);
        }
}

TEST(stmatrix_transposes)
{
    GT_SCOPED(machine_free)
    machine m =
        machine_of(".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k(.param .u64 out)\n{\n"
                   "  .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
                   "  .shared .align 16 .b8 tile[128];\n"
                   "  mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 17; add.u32 %r1, %r1, %r0;\n"
                   "  add.u32 %r1, %r1, %r0; add.u32 %r1, %r1, 65536;\n" /* elements 2 t, 2 t + 1 */
                   "  mov.u32 %r2, tile; shl.b32 %r3, %r0, 4; add.u32 %r2, %r2, %r3;\n"
                   "  stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%r2], {%r1};\n"
                   "  mov.u32 %r2, tile; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3;\n"
                   "  ld.shared.b32 %r1, [%r2];\n"
                   "  ld.param.u64 %d0, [out]; mul.wide.u32 %d1, %r0, 4; add.u64 %d0, %d0, %d1;\n"
                   "  st.global.b32 [%d0], %r1;\n  ret;\n}\n");
    uint16_t *out = machine_alloc(&m, 128);
    machine_launch(&m, "k", 1, 32, &out);
    for (int i = 0; i < 64; i++) /* the loaded matrix is transposed */
        assert_int_equal(out[i % 8 * 8 + i / 8], i);
}

TEST(wrong_matrix_type_is_refused)
{
    char log[256] = "";
    emu_program *program = NULL;
    const char *ptx = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                      "  .reg .b32 %r<4>;\n"
                      "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0,%r1}, {%r0,%r1},"
                      " {%r0,%r1}, {%r0,%r1};\n  ret;\n}\n";
    assert_int_equal(emu_program_load(&program, ptx, strlen(ptx), 90, log, sizeof log), 218);
    assert_non_null(strstr(log, "PTX line 7"));
    assert_non_null(strstr(log, "a matrix of 16 x 16 .f16 is in 4 registers"));
}

/* A tile in shared memory is laid out like the box of a tensor map: in swizzled rows of SPAN bytes.
 * Without a swizzle, a tile consists of consecutive matrices of 8 rows of 16 bytes. */
static const char wgmma[] =
    "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    "typedef %s factor; typedef %s sum;\n"
    "enum { M = 64, N = %d, K = 32 / sizeof(factor), SPAN = %d, COLUMNS = %d, REGISTERS = %d };\n"
    "enum { MODE = SPAN == 16 ? 0 : SPAN == 32 ? 3 : SPAN == 64 ? 2 : 1 };\n"
    "__device__ unsigned at(const void *p) { return __cvta_generic_to_shared(p); }\n"
    "__device__ unsigned place(int row, int k, int rows) {\n"
    "  unsigned across = k * sizeof(factor), down = row * sizeof(factor), byte;\n"
    "  if (SPAN == 16 && !COLUMNS) byte = row / 8 * 256 + across / 16 * 128 + row %% 8 * 16 + "
    "across %% 16;\n"
    "  else if (SPAN == 16) byte = down / 16 * 256 + k / 8 * 128 + k %% 8 * 16 + down %% 16;\n"
    "  else if (!COLUMNS) byte = row * SPAN + across;\n"
    "  else byte = down / SPAN * (K * SPAN) + k * SPAN + down %% SPAN;\n"
    "  return byte ^ (byte >> 7 & (SPAN / 16 - 1)) << 4;\n"
    "}\n"
    "__device__ unsigned long long descriptor(const void *tile) {\n"
    "  unsigned long long leading, stride;\n"
    "  if (SPAN == 16) leading = 128, stride = 256;\n"
    "  else if (!COLUMNS) leading = 16, stride = 8 * SPAN;\n"
    "  else leading = K * SPAN, stride = 8 * SPAN;\n"
    "  return at(tile) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |\n"
    "         (unsigned long long)MODE << 62;\n"
    "}\n"
    "extern \"C\" __global__ void kernel(const factor *a, const factor *b, sum *c) {\n"
    "  __shared__ alignas(1024) unsigned char left[256 * 128], right[256 * 128];\n"
    "  int lane = threadIdx.x %% 32, group = lane / 4, in_group = lane %% 4;\n"
    "  for (int i = threadIdx.x; i < M * K; i += 128)\n"
    "    *(factor *)(left + place(i / K, i %% K, M)) = a[i];\n"
    "  for (int i = threadIdx.x; i < N * K; i += 128)\n"
    "    *(factor *)(right + place(i / K, i %% K, N)) = b[i];\n"
    "  asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
    "  __syncthreads();\n"
    "  unsigned l[4]; sum d[N / 2]; sum *to[N / 2];\n"
    "  for (int i = 0; i < 4; i++) {\n"
    "    int row = threadIdx.x / 32 * 16 + group + i %% 2 * 8, each = 4 / sizeof(factor);\n"
    "    l[i] = *(const unsigned *)&a[row * K + in_group * each + i / 2 * 4 * each];\n"
    "  }\n"
    "  for (int i = 0; i < N / 2; i++) {\n"
    "    int row = threadIdx.x / 32 * 16 + group + i / 2 %% 2 * 8;\n"
    "    d[i] = *(to[i] = &c[row * N + i / 4 * 8 + in_group * 2 + i %% 2]);\n"
    "  }\n"
    "  asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
    "  asm volatile(\"wgmma.mma_async.sync.aligned.m64n%dk%d.%s %s;\" : %s : %s);\n"
    "  asm volatile(\"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\");\n"
    "  for (int i = 0; i < N / 2; i++) *to[i] = d[i];\n"
    "}\n";

typedef struct warpgroup_product {
    product p;
    const char *types, *flags; /* `types`: PTX types of sums and factors; `flags`: last operands */
    int span;
    bool columns, registers;
} warpgroup_product;

static void run_wgmma(const warpgroup_product *w)
{
    char source[8192], operands[1024] = "{", sums[2048] = "", factors[256];
    int count = w->p.n / 2, next = count;
    for (int i = 0; i < count; i++) {
        snprintf(operands + strlen(operands), sizeof operands - strlen(operands), "%s%%%d",
                 i ? "," : "", i);
        snprintf(sums + strlen(sums), sizeof sums - strlen(sums), "%s\"+%c\"(d[%d])", i ? "," : "",
                 w->p.sum == F32 ? 'f' : 'r', i);
    }
    snprintf(operands + strlen(operands), sizeof operands - strlen(operands), "}, ");
    if (w->registers)
        snprintf(operands + strlen(operands), sizeof operands - strlen(operands),
                 "{%%%d,%%%d,%%%d,%%%d}", next, next + 1, next + 2, next + 3);
    else
        snprintf(operands + strlen(operands), sizeof operands - strlen(operands), "%%%d", next);
    snprintf(operands + strlen(operands), sizeof operands - strlen(operands), ", %%%d, %s",
             next + (w->registers ? 4 : 1), w->flags);
    snprintf(factors, sizeof factors, "%s, \"l\"(descriptor(right))",
             w->registers ? "\"r\"(l[0]), \"r\"(l[1]), \"r\"(l[2]), \"r\"(l[3])"
                          : "\"l\"(descriptor(left))");
    snprintf(source, sizeof source, wgmma, numbers[w->p.factor].cuda, numbers[w->p.sum].cuda,
             w->p.n, w->span, w->columns, w->registers, w->p.n, w->p.k, w->types, operands, sums,
             factors);
    run_product(source, &w->p);
}

TEST(test_wgmma)
{
    static const warpgroup_product all[] = {
        {{64, 8, 16, BF16, F32, false, true}, "f32.bf16.bf16", "1, 1, 1, 0, 0", 128, false, false},
        {{64, 64, 16, F16, F32, false, true}, "f32.f16.f16", "1, 1, 1, 0, 0", 64, false, false},
        {{64, 24, 16, F16, F32, false, true}, "f32.f16.f16", "1, 1, 1, 0, 0", 32, false, false},
        {{64, 40, 16, F16, F32, false, true}, "f32.f16.f16", "1, -1, -1, 0, 0", 16, false, false},
        {{64, 128, 16, BF16, F32, false, true}, "f32.bf16.bf16", "1, 1, 1, 1, 1", 128, true, false},
        {{64, 64, 16, BF16, F32, false, true}, "f32.bf16.bf16", "1, 1, 1, 1, 1", 64, true, false},
        {{64, 32, 16, BF16, F32, false, true}, "f32.bf16.bf16", "1, 1, 1, 1, 1", 16, true, false},
        {{64, 96, 16, BF16, F32, false, true}, "f32.bf16.bf16", "1, 1, 1, 0", 128, false, true},
        {{64, 16, 8, TF32, F32, false, true}, "f32.tf32.tf32", "1, 1, 1", 128, false, false},
        {{64, 16, 32, S8, S32, false, true}, "s32.s8.s8", "1", 64, false, false},
        {{64, 16, 32, E4M3, F32, false, true}, "f32.e4m3.e4m3", "1, 1, 1", 32, false, true},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run_wgmma(&all[i]);
}

static const char reduced[] =
    "extern \"C\" __global__ void __cluster_dims__(2) reduced(unsigned *out) {\n"
    "  __shared__ alignas(8) unsigned long long barrier;\n"
    "  __shared__ unsigned sum, most;\n"
    "  asm volatile(\"setmaxnreg.dec.sync.aligned.u32 40;\");\n"
    "  unsigned own = __cvta_generic_to_shared(&barrier);\n"
    "  if (threadIdx.x == 0) {\n"
    "    sum = most = 0;\n"
    "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(own));\n"
    "    asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;\" :: \"r\"(own));\n"
    "  }\n"
    "  asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\");\n"
    "  unsigned other = blockIdx.x ^ 1, at, there;\n"
    "  asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there) : \"r\"(own), \"r\"(other));\n"
    "  asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(at)\n"
    "    : \"r\"((unsigned)__cvta_generic_to_shared(&sum)), \"r\"(other));\n"
    "  asm "
    "volatile(\"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes\"\n"
    "    \".add.u32 [%0], %1, [%2];\" :: \"r\"(at), \"r\"(threadIdx.x + blockIdx.x), "
    "\"r\"(there));\n"
    "  asm(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(at)\n"
    "    : \"r\"((unsigned)__cvta_generic_to_shared(&most)), \"r\"(other));\n"
    "  asm volatile(\"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes\"\n"
    "    \".max.u32 [%0], %1, [%2];\" :: \"r\"(at), \"r\"(threadIdx.x + blockIdx.x), "
    "\"r\"(there));\n"
    "  unsigned done = 0;\n"
    "  while (!done)\n"
    "    asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\"\n"
    "      \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(own) : \"memory\");\n"
    "  if (threadIdx.x == 0) out[blockIdx.x * 2] = sum, out[blockIdx.x * 2 + 1] = most;\n"
    "  asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\");\n"
    "}\n";

TEST(test_asynchronous_reductions)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    load(&m, reduced);
    uint32_t *out = machine_alloc(&m, 16);
    m.cluster = 2;
    machine_launch(&m, "reduced", 2, 64, &out);
    const uint32_t want[] = {64 * 63 / 2 + 64, 64, 64 * 63 / 2, 63};
    assert_memory_equal(out, want, sizeof want);
}

TESTS_WITHIN(find_nvrtc, NULL)

/* Tests copies with tensor maps against the PTX manual: boxes, bounds and swizzles. */
#include "cuda_fixture.h"

#include "emulator/driver_abi.h"

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
                                void *address, const cuuint64_t *sizes, const cuuint64_t *strides,
                                const cuuint32_t *box, const cuuint32_t *steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill);

enum { U8 = 0, U16 = 1, F32 = 7, INVALID = 1 };

/* The beginning of each kernel's source. It uses the macros RANK, COORDINATES (a list of names) and
 * BYTES (the size of the box). */
static const char prelude[] =
    "struct alignas(64) map_type { unsigned long long opaque[16]; };\n"
    "__device__ unsigned at(const void *p) { return __cvta_generic_to_shared(p); }\n"
    "__device__ void expect(unsigned long long *b, unsigned bytes) {\n"
    "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\"\n"
    "    :: \"r\"(at(b)), \"r\"(bytes) : \"memory\");\n"
    "}\n"
    "__device__ void begin(unsigned long long *b) {\n"
    "  if (threadIdx.x == 0) {\n"
    "    asm volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" :: \"r\"(at(b)));\n"
    "    asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
    "  }\n"
    "  __syncthreads();\n"
    "}\n"
    "__device__ void wait(unsigned long long *b) {\n"
    "  unsigned done = 0;\n"
    "  while (!done)\n"
    "    asm volatile(\"{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\"\n"
    "      \" selp.u32 %0, 1, 0, p; }\" : \"=r\"(done) : \"r\"(at(b)) : \"memory\");\n"
    "}\n"
    "struct place { int x[5]; };\n";

/* A kernel that copies a box to shared memory, writes its bytes to global memory, and copies the
 * box to another tensor. */
static const char through[] =
    "extern \"C\" __global__ void through(const __grid_constant__ map_type from,\n"
    "    const __grid_constant__ map_type to, unsigned char *dump, place c) {\n"
    "  __shared__ alignas(1024) unsigned char box[BYTES];\n"
    "  __shared__ alignas(8) unsigned long long barrier;\n"
    "  begin(&barrier);\n"
    "  if (threadIdx.x == 0) {\n"
    "    expect(&barrier, BYTES);\n"
    "    asm volatile(\"cp.async.bulk.tensor.\" RANK \".shared::cluster.global.tile\"\n"
    "      \".mbarrier::complete_tx::bytes [%0], [%1, {\" IN \"}], [%2];\" :: \"r\"(at(box)),\n"
    "      \"l\"(&from), \"r\"(at(&barrier)), \"r\"(c.x[0]), \"r\"(c.x[1]), \"r\"(c.x[2]),\n"
    "      \"r\"(c.x[3]), \"r\"(c.x[4]) : \"memory\");\n"
    "  }\n"
    "  wait(&barrier);\n"
    "  for (int i = threadIdx.x; i < BYTES; i += 32) dump[i] = box[i];\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    asm volatile(\"cp.async.bulk.tensor.\" RANK \".global.shared::cta.bulk_group\"\n"
    "      \" [%1, {\" IN \"}], [%0];\" :: \"r\"(at(box)), \"l\"(&to), \"r\"(0), \"r\"(c.x[0]),\n"
    "      \"r\"(c.x[1]), \"r\"(c.x[2]), \"r\"(c.x[3]), \"r\"(c.x[4]) : \"memory\");\n"
    "    asm volatile(\"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\");\n"
    "  }\n"
    "}\n";

typedef struct copied {
    int type, bytes, rank, swizzle, fill;
    uint64_t sizes[5];
    uint32_t box[5], steps[5];
    int at[5];
} copied;

typedef struct encoded {
    CUtensorMap map;
    uint64_t strides[5]; /* stride in bytes of each dimension */
} encoded;

static CUresult encode(encoded *out, const copied *c, void *address)
{
    cuuint64_t next = c->sizes[0] * (unsigned)c->bytes;
    out->strides[0] = (unsigned)c->bytes;
    for (int i = 1; i < c->rank; i++) {
        out->strides[i] = next = (next + 15) / 16 * 16;
        next *= c->sizes[i];
    }
    cuuint64_t sizes[5];
    for (int i = 0; i < 5; i++)
        sizes[i] = c->sizes[i];
    return cuTensorMapEncodeTiled(&out->map, c->type, (unsigned)c->rank, address, sizes,
                                  (const cuuint64_t *)out->strides + 1, c->box, c->steps, 0,
                                  c->swizzle, 0, c->fill);
}

static uint32_t side(const copied *c, int i)
{
    uint32_t step = i ? c->steps[i] : 1; /* tensor maps ignore the element stride of dimension 0 */
    return i < c->rank ? (c->box[i] + step - 1) / step : 1;
}

/* Converts an element's index in the box to its index in the tensor. Returns -1 if the element is
 * outside the tensor. */
static int64_t place_of(const copied *c, const encoded *e, uint32_t element)
{
    int64_t at = 0;
    for (int i = 0; i < c->rank; element /= side(c, i), i++) {
        int64_t x = c->at[i] + (int64_t)(element % side(c, i) * (i ? c->steps[i] : 1));
        if (x < 0 || x >= (int64_t)c->sizes[i])
            return -1;
        at += x * (int64_t)e->strides[i];
    }
    return at;
}

/* Returns the swizzled offset. A swizzle exchanges pieces of 16 bytes within rows of 32, 64 or 128
 * bytes. */
static uint32_t swizzled(const copied *c, uint32_t byte)
{
    uint32_t span = 16u << c->swizzle, row = byte / span, piece = byte % span / 16;
    if (!c->swizzle)
        return byte;
    piece ^= row / (8u >> c->swizzle) % (1u << c->swizzle);
    return row * span + piece * 16 + byte % 16;
}

static void run_copy(const copied *c)
{
    enum { TENSOR_BYTES = 1 << 16 };
    GT_SCOPED(machine_free) machine m = {.count = 0};
    static const char *const coordinates[] = {"%3", "%3,%4", "%3,%4,%5", "%3,%4,%5,%6",
                                              "%3,%4,%5,%6,%7"};
    uint32_t elements = 1;
    for (int i = 0; i < c->rank; i++)
        elements *= side(c, i);
    uint32_t bytes = elements * (uint32_t)c->bytes;
    char source[8192];
    snprintf(source, sizeof source,
             "#define RANK \"%dd\"\n#define IN \"%s\"\nenum { BYTES = %u };\n%s%s", c->rank,
             coordinates[c->rank - 1], bytes, prelude, through);
    load(&m, source);
    struct {
        encoded from, to;
    } maps;
    struct {
        CUtensorMap from, to;
        uint8_t *dump;
        int at[5];
    } arguments;
    uint8_t *from = machine_alloc(&m, TENSOR_BYTES), *to = machine_alloc(&m, TENSOR_BYTES);
    uint8_t *dump = machine_alloc(&m, bytes);
    for (int i = 0; i < TENSOR_BYTES; i++)
        from[i] = (uint8_t)(i * 7 + i / 256 + 1);
    assert_int_equal(encode(&maps.from, c, from), 0);
    assert_int_equal(encode(&maps.to, c, to), 0);
    arguments.from = maps.from.map;
    arguments.to = maps.to.map;
    arguments.dump = dump;
    memcpy(arguments.at, c->at, sizeof arguments.at);
    machine_launch(&m, "through", 1, 32, &arguments);
    GT_FREED uint8_t *want = calloc(1, TENSOR_BYTES);
    uint8_t outside[8];
    assert_non_null(want);
    memset(outside, c->fill ? 0xff : 0, sizeof outside);
    for (uint32_t i = 0; i < elements; i++) {
        int64_t at = place_of(c, &maps.from, i);
        const uint8_t *there = dump + swizzled(c, i * (uint32_t)c->bytes);
        assert_memory_equal(there, at < 0 ? outside : from + at, (size_t)c->bytes);
        if (at >= 0)
            memcpy(want + at, from + at, (size_t)c->bytes);
    }
    assert_memory_equal(to, want, TENSOR_BYTES);
}

TEST(boxes_are_copied_and_swizzled)
{
    static const copied all[] = {
        {U8, 1, 1, 0, 0, {1000}, {64}, {1}, {32}},
        {U8, 1, 1, 0, 0, {1000}, {256}, {1}, {-17}},
        {U16, 2, 2, 0, 0, {72, 40}, {32, 16}, {1, 1}, {8, 4}},
        {U16, 2, 2, 3, 0, {72, 40}, {64, 16}, {1, 1}, {64, 30}},
        {U16, 2, 2, 2, 0, {72, 40}, {32, 24}, {1, 1}, {-3, -5}},
        {F32, 4, 2, 1, 1, {44, 40}, {8, 16}, {1, 1}, {40, 33}},
        {F32, 4, 2, 3, 0, {44, 40}, {32, 8}, {1, 1}, {0, 0}},
        {F32, 4, 3, 0, 0, {20, 12, 9}, {16, 4, 3}, {1, 2, 1}, {1, 3, 7}},
        {U16, 2, 3, 2, 0, {40, 12, 9}, {32, 4, 3}, {2, 1, 1}, {3, -1, 2}},
        {U8, 1, 4, 0, 0, {48, 5, 4, 6}, {16, 3, 2, 2}, {1, 1, 1, 1}, {16, 1, 3, 5}},
        {U16, 2, 5, 1, 0, {24, 5, 4, 3, 2}, {16, 2, 2, 2, 2}, {1, 1, 1, 1, 1}, {0, 4, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run_copy(&all[i]);
}

TEST(box_rows_must_be_multiples_of_16_bytes)
{
    static const copied short_row = {U16, 2, 2, 0, 0, {72, 40}, {12, 16}, {1, 1}, {0}},
                        long_row = {U16, 2, 2, 2, 0, {72, 40}, {64, 16}, {1, 1}, {0}},
                        no_type = {13, 2, 2, 0, 0, {72, 40}, {64, 16}, {1, 1}, {0}};
    encoded out;
    _Alignas(16) char tensor[16];
    assert_int_equal(encode(&out, &short_row, tensor), INVALID);
    assert_int_equal(encode(&out, &long_row, tensor), INVALID);
    assert_int_equal(encode(&out, &no_type, tensor), INVALID);
}

static const char added[] =
    "extern \"C\" __global__ void added(const __grid_constant__ map_type to, int *plain) {\n"
    "  __shared__ alignas(1024) float box[8 * 4];\n"
    "  __shared__ alignas(16) int most[32];\n"
    "  box[threadIdx.x] = threadIdx.x, most[threadIdx.x] = threadIdx.x * (blockIdx.x ? 1 : -1);\n"
    "  asm volatile(\"fence.proxy.async;\" ::: \"memory\");\n"
    "  __syncthreads();\n"
    "  if (threadIdx.x == 0) {\n"
    "    asm volatile(\"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group\"\n"
    "      \" [%0, {%1, %1}], [%2];\" :: \"l\"(&to), \"r\"(2), \"r\"(at(box)) : \"memory\");\n"
    "    asm volatile(\"cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32\"\n"
    "      \" [%0], [%1], %2;\" :: \"l\"(plain), \"r\"(at(most)), \"r\"(128) : \"memory\");\n"
    "    asm volatile(\"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\");\n"
    "  }\n"
    "}\n";

TEST(test_reductions)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    char source[8192];
    static const copied c = {F32, 4, 2, 0, 0, {8, 5}, {8, 4}, {1, 1}, {0}};
    encoded map;
    snprintf(source, sizeof source, "%s%s", prelude, added);
    load(&m, source);
    float *to = machine_alloc(&m, 8 * 5 * 4);
    int32_t *plain = machine_alloc(&m, 128);
    assert_int_equal(encode(&map, &c, to), 0);
    struct {
        CUtensorMap map;
        int32_t *plain;
    } arguments = {map.map, plain};
    machine_launch(&m, "added", 3, 32, &arguments);
    for (int row = 0; row < 5; row++)
        for (int column = 0; column < 8; column++) {
            bool inside = row >= 2 && column >= 2;
            assert_true(to[row * 8 + column] == (inside ? 3 * ((row - 2) * 8 + column - 2) : 0));
        }
    for (int i = 0; i < 32; i++)
        assert_int_equal(plain[i], i);
}

/* Each block of a cluster of two copies one half of the box to both blocks. */
static const char shared_box[] =
    "extern \"C\" __global__ void __cluster_dims__(2) shared_box(\n"
    "    const __grid_constant__ map_type from, unsigned short *dump) {\n"
    "  __shared__ alignas(1024) unsigned short box[2][8 * 64];\n"
    "  __shared__ alignas(8) unsigned long long barrier;\n"
    "  begin(&barrier);\n"
    "  if (threadIdx.x == 0) expect(&barrier, sizeof box);\n"
    "  asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\");\n"
    "  int own = blockIdx.x % 2;\n"
    "  if (threadIdx.x == 0)\n"
    "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile\"\n"
    "      \".mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;\"\n"
    "      :: \"r\"(at(box[own])), \"l\"(&from), \"r\"(at(&barrier)), \"r\"(0), \"r\"(own * 8),\n"
    "      \"h\"((unsigned short)3) : \"memory\");\n"
    "  wait(&barrier);\n"
    "  for (int i = threadIdx.x; i < 1024; i += 32) dump[blockIdx.x * 1024 + i] = box[0][i];\n"
    "  asm volatile(\"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\");\n"
    "}\n";

TEST(test_multicast)
{
    GT_SCOPED(machine_free) machine m = {.count = 0};
    char source[8192];
    static const copied c = {U16, 2, 2, 0, 0, {64, 16}, {64, 8}, {1, 1}, {0}};
    encoded map;
    snprintf(source, sizeof source, "%s%s", prelude, shared_box);
    load(&m, source);
    uint16_t *from = machine_alloc(&m, 2048), *dump = machine_alloc(&m, 4096);
    for (int i = 0; i < 1024; i++)
        from[i] = (uint16_t)(i + 1);
    assert_int_equal(encode(&map, &c, from), 0);
    struct {
        CUtensorMap map;
        uint16_t *dump;
    } arguments = {map.map, dump};
    m.cluster = 2;
    machine_launch(&m, "shared_box", 2, 32, &arguments);
    assert_memory_equal(dump, from, 2048);
    assert_memory_equal(dump + 1024, from, 2048);
}

static const char copied_map[] =
    "extern \"C\" __global__ void copied_map(\n"
    "    const __grid_constant__ map_type from, unsigned offset) {\n"
    "  __shared__ alignas(1024) unsigned char box[2048];\n"
    "  __shared__ alignas(8) unsigned long long barrier;\n"
    "  map_type own = from;\n"
    "  if (offset == 1) own.opaque[threadIdx.x % 16] = 5;\n"
    "  begin(&barrier);\n"
    "  if (threadIdx.x == 0)\n"
    "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile\"\n"
    "      \".mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];\" :: \"r\"(at(box) + "
    "offset),\n"
    "      \"l\"(offset == 1 ? &own : &from), \"r\"(at(&barrier)), \"r\"(0) : \"memory\");\n"
    "}\n";

TEST(wrong_tensor_copies_are_refused)
{
    static const copied c = {U16, 2, 2, 0, 0, {64, 16}, {64, 8}, {1, 1}, {0}};
    static const struct {
        unsigned offset;
        bool forged;
        int code;
        const char *message;
    } cases[] = {{1, false, 715, "__grid_constant__"},
                 {64, false, 716, "the box must begin at a multiple of 128"},
                 {0, true, 715, "not a tensor map of that rank"}};
    for (int i = 0; i < 3; i++) {
        GT_SCOPED(machine_free) machine m = {.count = 0};
        char source[8192];
        encoded map;
        snprintf(source, sizeof source, "%s%s", prelude, copied_map);
        load(&m, source);
        assert_int_equal(encode(&map, &c, machine_alloc(&m, 2048)), 0);
        struct {
            CUtensorMap map;
            unsigned offset;
        } arguments = {map.map, cases[i].offset};
        if (cases[i].forged)
            arguments.map.opaque[0] = 0;
        int code = machine_run(&m, "copied_map", 1, 32, &arguments);
        if (code != cases[i].code)
            print_error("%s\n", m.fault.message);
        assert_int_equal(code, cases[i].code);
        assert_non_null(strstr(m.fault.message, cases[i].message));
    }
}

TESTS_WITHIN(find_nvrtc, NULL)

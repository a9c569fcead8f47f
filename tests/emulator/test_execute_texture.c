/* Tests reading texture objects: filters, address modes, and invalid objects. */
#include "machine_fixture.h"

#include "emulator/driver_abi.h"

#define KERNEL(instruction, head)                                                                  \
    ".version 8.8\n.target sm_90\n.address_size 64\n"                                              \
    ".visible .entry k(.param .u64 to, .param .u64 at, .param .u64 object)\n{\n"                   \
    ".reg .b64 %d<8>; .reg .b32 %r<8>; .reg .f32 %f<8>;\n"                                         \
    "ld.param.u64 %d0, [to]; ld.param.u64 %d1, [at]; ld.param.u64 %d2, [object];\n"                \
    "mov.u32 %r0, %tid.x; mul.wide.u32 %d3, %r0, 8; add.u64 %d4, %d1, %d3;\n"                      \
    "mul.wide.u32 %d5, %r0, 16; add.u64 %d6, %d0, %d5;\n" head instruction                         \
    "st.global.v4.b32 [%d6], {%r1, %r2, %r3, %r4};\nret;\n}\n"
#define REALS "ld.global.v2.f32 {%f0, %f1}, [%d4];\n"
/* Loads the coordinates x and layer as floats, and converts the layer to an integer. */
#define LAYER REALS "cvt.rzi.s32.f32 %r5, %f1;\n"

static const char plane[] =
    KERNEL("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%f0, %f1}];\n", REALS);
static const char edge[] = KERNEL("tex.1d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%f0}];\n", REALS);
static const char solid[] =
    KERNEL("tex.3d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%f0, %f1, %f1, %f1}];\n", REALS);
static const char edges[] =
    KERNEL("tex.a1d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%r5, %f0}];\n", LAYER);
static const char planes[] =
    KERNEL("tex.a2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%r5, %f0, %f0, %f0}];\n", LAYER);
static const char line[] = KERNEL("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%d2, {%r5}];\n",
                                  "ld.global.s32 %r5, [%d4];\n");

typedef struct arguments {
    void *to, *at;
    const void *object;
} arguments;

enum { WIDTH = 4, HEIGHT = 3, PITCH = 32 };
#define NORMALIZED CU_TRSF_NORMALIZED_COORDINATES

static const struct {
    int filter, address;
    unsigned flags;
    float x, y, expected;
} reads[] = {
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP, 0, 2.9f, 1.0f, 12},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP, 0, -5, 9, 20},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP, 0, 1e30f, -1e30f, 3},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_BORDER, 0, 4, 1, 0},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_BORDER, 0, 3.99f, 1, 13},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_WRAP, 0, 5, 1, 13},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_WRAP, NORMALIZED, 1.25f, -0.1f, 21},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_MIRROR, NORMALIZED, 1.125f, -0.1f, 3},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_MIRROR, NORMALIZED, 2.125f, 1.5f, 10},
    {CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP, NORMALIZED, 0.5f, 0.5f, 12},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 1.5f, 1.5f, 11},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 2.0f, 1.5f, 11.5f},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 2.0f, 2.0f, 16.5f},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 0.0f, 1.5f, 10},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_BORDER, 0, 0.0f, 1.5f, 5},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_WRAP, NORMALIZED, 0.0f, 0.5f, 11.5f},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_MIRROR, NORMALIZED, 0.0f, 0.5f, 10},
    /* interpolation weights have 8 fraction bits */
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 1.5f + 1.0f / 1024, 1.5f, 11},
    {CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP, 0, 1.5f + 3.0f / 1024, 1.5f,
     11 + 1.0f / 256},
};

TEST(test_filters_and_address_modes)
{
    GT_SCOPED(machine_free) machine m = machine_of(plane);
    float *to = machine_alloc(&m, 16), *at = machine_alloc(&m, 8);
    float *image = machine_alloc(&m, (HEIGHT - 1) * PITCH + WIDTH * 4);
    for (int j = 0; j < HEIGHT; j++) {
        for (int i = 0; i < WIDTH; i++) {
            image[j * PITCH / 4 + i] = (float)(10 * j + i);
        }
    }
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        const emu_texture texture = {.base = (uintptr_t)image,
                                     .rank = 2,
                                     .sizes = {WIDTH, HEIGHT},
                                     .pitch_bytes = PITCH,
                                     .format = CU_AD_FORMAT_FLOAT,
                                     .channels = 1,
                                     .address = {reads[i].address, reads[i].address},
                                     .filter = reads[i].filter,
                                     .flags = reads[i].flags};
        at[0] = reads[i].x;
        at[1] = reads[i].y;
        machine_launch(&m, "k", 1, 1, &(arguments){to, at, &texture});
        if (to[0] != reads[i].expected) {
            fail_msg("read %zu gives %g, expected %g", i, to[0], reads[i].expected);
        }
    }
}

TEST(test_dimensions_and_layers)
{
    static const struct {
        const char *ptx;
        unsigned rank;
        uint64_t layers, sizes[3];
        float x, y, expected;
    } cases[] = {
        {edge, 1, 0, {4}, 2.0f, 0, 1.5f},
        {edge, 1, 0, {4}, 9.0f, 0, 3},
        {solid, 3, 0, {4, 3, 5}, 2.0f, 1.5f, 111.5f},
        {solid, 3, 0, {4, 3, 5}, 1.5f, 2.0f, 166},
        {solid, 3, 0, {4, 3, 5}, 1.5f, 9.0f, 421},
        {edges, 1, 5, {4}, 2.0f, 2, 21.5f},
        {edges, 1, 5, {4}, 2.0f, 9, 41.5f},
        {edges, 1, 5, {4}, 2.0f, -3, 1.5f},
        {planes, 2, 5, {4, 3}, 1.5f, 3, 311},
        {planes, 2, 5, {4, 3}, 2.0f, 9, 416.5f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine m = {.count = 0};
        machine_load(&m, cases[i].ptx);
        float *to = machine_alloc(&m, 16), *at = machine_alloc(&m, 8);
        float *image = machine_alloc(&m, 5 * 3 * PITCH);
        const int rows = cases[i].sizes[1] ? 3 : 1;
        for (int k = 0; k < 15; k++) {
            for (int x = 0; x < 4; x++) {
                int value = rows == 3 ? k / 3 * 100 + k % 3 * 10 : k * 10;
                image[k * PITCH / 4 + x] = (float)(value + x);
            }
        }
        emu_texture texture = {.base = (uintptr_t)image,
                               .rank = cases[i].rank,
                               .layers = cases[i].layers,
                               .pitch_bytes = PITCH,
                               .format = CU_AD_FORMAT_FLOAT,
                               .channels = 1,
                               .address = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                           CU_TR_ADDRESS_MODE_CLAMP},
                               .filter = CU_TR_FILTER_MODE_LINEAR};
        memcpy(texture.sizes, cases[i].sizes, sizeof texture.sizes);
        at[0] = cases[i].x;
        at[1] = cases[i].y;
        machine_launch(&m, "k", 1, 1, &(arguments){to, at, &texture});
        if (to[0] != cases[i].expected) {
            fail_msg("case %zu gives %g, expected %g", i, to[0], cases[i].expected);
        }
        machine_free(&m);
    }
}

TEST(test_linear_memory)
{
    GT_SCOPED(machine_free) machine m = machine_of(line);
    int32_t *to = machine_alloc(&m, 32 * 16), *at = machine_alloc(&m, 32 * 8);
    int16_t *pairs = machine_alloc(&m, 30 * 4);
    const emu_texture texture = {.base = (uintptr_t)pairs,
                                 .sizes = {30},
                                 .format = CU_AD_FORMAT_SIGNED_INT16,
                                 .channels = 2,
                                 .flags = CU_TRSF_READ_AS_INTEGER};
    for (int i = 0; i < 32; i++) {
        at[2 * i] = i - 1;
    }
    for (int i = 0; i < 60; i++) {
        pairs[i] = (int16_t)-i;
    }
    machine_launch(&m, "k", 1, 32, &(arguments){to, at, &texture});
    for (int i = 0; i < 32; i++) {
        bool inside = i > 0 && i < 31;
        assert_int_equal(to[4 * i], inside ? -2 * (i - 1) : 0);
        assert_int_equal(to[4 * i + 1], inside ? -2 * (i - 1) - 1 : 0);
        assert_int_equal(to[4 * i + 2], 0);
    }
}

TEST(test_normalized_reads)
{
    static const struct {
        int format;
        uint16_t bits;
        float expected;
    } cases[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 255, 1},     {CU_AD_FORMAT_UNSIGNED_INT8, 51, 0.2f},
                 {CU_AD_FORMAT_SIGNED_INT8, 0x80, -1},     {CU_AD_FORMAT_SIGNED_INT8, 0x7f, 1},
                 {CU_AD_FORMAT_UNSIGNED_INT16, 0xffff, 1}, {CU_AD_FORMAT_SIGNED_INT16, 0x8001, -1},
                 {CU_AD_FORMAT_SIGNED_INT16, 0x8000, -1},  {CU_AD_FORMAT_HALF, 0x3c00, 1}};
    GT_SCOPED(machine_free) machine m = machine_of(plane);
    float *to = machine_alloc(&m, 16), *at = machine_alloc(&m, 8);
    uint16_t *image = machine_alloc(&m, 32);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const emu_texture texture = {.base = (uintptr_t)image,
                                     .rank = 2,
                                     .sizes = {1, 1},
                                     .pitch_bytes = 32,
                                     .format = cases[i].format,
                                     .channels = 1,
                                     .address = {CU_TR_ADDRESS_MODE_CLAMP}};
        *image = cases[i].bits;
        machine_launch(&m, "k", 1, 1, &(arguments){to, at, &texture});
        assert_true(to[0] == cases[i].expected);
    }
}

TEST(bad_textures_fault)
{
    static const emu_texture integers = {.base = 4096,
                                         .rank = 2,
                                         .sizes = {1, 1},
                                         .format = CU_AD_FORMAT_SIGNED_INT32,
                                         .channels = 1,
                                         .flags = CU_TRSF_READ_AS_INTEGER};
    static const emu_texture straight = {
        .base = 4096, .sizes = {1}, .format = CU_AD_FORMAT_FLOAT, .channels = 1};
    static const emu_texture layers = {.base = 4096,
                                       .rank = 2,
                                       .layers = 2,
                                       .sizes = {1, 1},
                                       .format = CU_AD_FORMAT_FLOAT,
                                       .channels = 1};
    static const emu_texture freed = {.base = 4096,
                                      .rank = 2,
                                      .sizes = {1, 1},
                                      .pitch_bytes = 32,
                                      .format = CU_AD_FORMAT_FLOAT,
                                      .channels = 1};
    static const struct {
        const void *object;
        int code;
        const char *says;
    } cases[] = {{(const void *)1, 719, "which does not exist"},
                 {&integers, 719, "which has integers, but is read as floats"},
                 {&straight, 719, "which is linear memory: tex1Dfetch() reads it"},
                 {&layers, 719, "which has layers of rows: tex2DLayered() reads it"},
                 {&freed, 700, "not in an allocation"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine m = {.count = 0};
        machine_load(&m, plane);
        void *to = machine_alloc(&m, 16), *at = machine_alloc(&m, 8);
        assert_int_equal(machine_run(&m, "k", 1, 1, &(arguments){to, at, cases[i].object}),
                         cases[i].code);
        assert_non_null(strstr(m.fault.message, cases[i].says));
        machine_free(&m);
    }
}

TEST(unsupported_texture_operations_are_refused)
{
    static const char cube[] =
        KERNEL("tex.cube.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%d2, {%f0, %f1, %f1, %f1}];\n", REALS);
    emu_program *program = NULL;
    char log[256];
    assert_int_equal(emu_program_load(&program, cube, strlen(cube), 90, log, sizeof log), 218);
    assert_non_null(strstr(log, "does not support cube and mipmapped textures or gathers"));
}

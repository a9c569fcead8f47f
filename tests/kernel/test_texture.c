/* Tests textures: how they are described, and which sizes are refused. */
#include "kernel_support.h"

#define HEAD                                                                                       \
    "#pragma gputune kernel(k) problem(h = 100, w = 200) block(64) grid(1) tune(B = 8, 64)\n"
#define BODY   "__global__ void k(float *y, cudaTextureObject_t x) { y[0] = B; }\n"
#define PADDED "args(out float y[h][w], in float x[h][ceil_div(w, 8) * 8])\n"

TEST(test_rows)
{
    SETUP(b,
          HEAD "#pragma gputune " PADDED
               "#pragma gputune texture(x, filter = linear, address = mirror, coordinates = "
               "normalized, width = w - 1)\n" BODY,
          "sm_90");
    const gt_launch launch = launch_of(&b, "");
    const gt_texture *texture = &launch.textures[0];
    assert_int_equal(launch.texture_count, 1);
    assert_int_equal(launch.parameters[1].kind, GT_PARAMETER_TEXTURE);
    assert_int_equal(launch.parameters[1].bytes, 8);
    assert_int_equal(launch.parameters[1].argument, 1);
    assert_int_equal(texture->format, 32); /* CU_AD_FORMAT_FLOAT */
    assert_int_equal(texture->channels, 1);
    assert_int_equal(texture->filter, 1);
    assert_int_equal(texture->address, 2);
    assert_int_equal(texture->flags, 2); /* CU_TRSF_NORMALIZED_COORDINATES */
    assert_int_equal(texture->width, 199);
    assert_int_equal(texture->height, 100);
    assert_int_equal(texture->pitch_bytes, 800);
    assert_int_equal(gt_buffer_alignment(&b.workload.buffers[1]), 512);
}

/* An array is a copy of the buffer, so the rows of the buffer may have any length and address. */
TEST(test_arrays)
{
    static const struct {
        const char *args, *settings;
        uint32_t memory, width, height, depth, pitch_bytes;
    } cases[] = {
        {"x[w]", "array", GT_TEXTURE_ARRAY, 201, 0, 0, 804},
        {"x[h][w]", "array, width = w - 1", GT_TEXTURE_ARRAY, 200, 101, 0, 804},
        {"x[7][h][w]", "array", GT_TEXTURE_ARRAY, 201, 101, 7, 804},
        {"x[h][w]", "layered", GT_TEXTURE_LAYERED, 201, 0, 101, 804},
        {"x[7][h][w]", "layered, width = 100", GT_TEXTURE_LAYERED, 100, 101, 7, 804},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            "#pragma gputune kernel(k) problem(h = 101, w = 201) block(64) grid(1) tune(B = 8, "
            "64)\n"
            "#pragma gputune args(out float y[h][w], in float %s) texture(x, memory = %s)\n" BODY,
            cases[i].args, cases[i].settings);
        SETUP(b, text, "sm_90");
        const gt_launch launch = launch_of(&b, "");
        const gt_texture *texture = &launch.textures[0];
        assert_int_equal(texture->memory, cases[i].memory);
        assert_int_equal(texture->width, cases[i].width);
        assert_int_equal(texture->row_bytes, 4 * cases[i].width);
        assert_int_equal(texture->height, cases[i].height);
        assert_int_equal(texture->depth, cases[i].depth);
        assert_int_equal(texture->pitch_bytes, cases[i].pitch_bytes);
        assert_int_equal(gt_buffer_alignment(&b.workload.buffers[1]), 4);
    }
}

TEST(test_elements)
{
    static const struct {
        const char *type, *settings;
        uint32_t format, channels, flags, bytes;
    } cases[] = {
        {"uchar4", "", 1, 4, 1, 4},
        {"short2", ", read = normalized", 9, 2, 0, 4},
        {"half", "", 16, 1, 0, 2},
        {"double", "", 10, 2, 1, 8},
        {"unsigned long long", "", 3, 2, 1, 8},
        {"float4", "", 32, 4, 0, 16},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        (void)snprintf(
            text, sizeof text,
            HEAD "#pragma gputune args(out float y[h][w], in %s x[w] = zero) texture(x%s)\n" BODY,
            cases[i].type, cases[i].settings);
        SETUP(b, text, "sm_90");
        const gt_launch launch = launch_of(&b, "");
        const gt_texture *texture = &launch.textures[0];
        assert_int_equal(texture->format, cases[i].format);
        assert_int_equal(texture->channels, cases[i].channels);
        assert_int_equal(texture->flags, cases[i].flags);
        assert_int_equal(texture->height, 0);
        assert_int_equal(texture->width, 200);
        assert_int_equal(texture->pitch_bytes, 200 * cases[i].bytes);
    }
}

/* If rows are padded, the texture may have any width at the odd-tail size. Otherwise the width must
 * not change. */
TEST(test_odd_tail)
{
    static const struct {
        const char *text;
        bool changes;
    } cases[] = {
        {HEAD "#pragma gputune " PADDED "#pragma gputune texture(x, width = w)\n" BODY, true},
        {HEAD "#pragma gputune args(out float y[h][w], in float x[h][w]) texture(x)\n" BODY,
         false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_problem odd_tail;
        SETUP(b, cases[i].text, "sm_90");
        assert_true(gt_problem_odd_tail(&odd_tail, b.template, &b.problem, &b.device));
        assert_int_not_equal(odd_tail.values[0].number, 100);
        assert_true((odd_tail.values[1].number != 200) == cases[i].changes);
    }
}

TEST(test_sizes_and_elements)
{
    static const struct {
        const char *args, *texture, *sizes, *message;
    } cases[] = {
        {"in float x[h][w]", "x", "w=100",
         "kernel.cu:2:64: rows of 'x' have 400 bytes at these sizes, but a texture needs a "
         "multiple of 32; use memory = array, or pad the last extent in args() and give "
         "width = 100 here"},
        {"in float x[h][w]", "x, width = w + 1", "w=200",
         "kernel.cu:2:64: width of 'x' is 201 at these sizes; expected 1 to the 200 elements of a "
         "row"},
        {"in float x[h][w]", "x", "h=70000",
         "kernel.cu:2:64: an extent of 'x' is 70000 at these sizes; expected at most 65000, the "
         "limit of such a texture"},
        {"in float x[w][h]", "x, memory = layered", "w=2049",
         "kernel.cu:2:64: an extent of 'x' is 2049 at these sizes; expected at most 2048, the "
         "limit of such a texture"},
        {"in float x[h][w]", "x, read = normalized", "w=200",
         "kernel.cu:2:64: 'x' has elements of float; expected read = normalized only for integers "
         "of 8 or 16 bits"},
        {"in uchar4 x[h][w] = zero", "x, filter = linear", "w=200",
         "kernel.cu:2:72: 'x' has elements of uchar4, which are not filtered; expected half or "
         "float, or read = normalized"},
        {"in bool x[h][w] = zero", "x", "w=200",
         "kernel.cu:2:70: 'x' has elements of bool, which a texture cannot have; expected 1, 2 or "
         "4 "
         "integers of 8, 16 or 32 bits, half or float"},
        {"in float3 x[h][w]", "x", "w=200",
         "kernel.cu:2:65: 'x' has elements of float3, which a texture cannot have; expected 1, 2 "
         "or "
         "4 integers of 8, 16 or 32 bits, half or float"},
        {"in float x[w][4][4]", "x, memory = array", "w=20000",
         "kernel.cu:2:67: an extent of 'x' is 20000 at these sizes; expected at most 16384, the "
         "limit of such a texture"},
    };
    const gt_device device = device_of("sm_90");
    GT_FREED gt_workload *workload = malloc(sizeof *workload);
    assert_non_null(workload);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        gt_problem problem;
        (void)snprintf(text, sizeof text,
                       HEAD "#pragma gputune args(out float y[h], %s) texture(%s)\n" BODY,
                       cases[i].args, cases[i].texture);
        gt_template *template = parse(text);
        ASSERT_OK(gt_problem_parse(&problem, template, cases[i].sizes));
        assert_int_equal(gt_workload_bind(workload, template, &problem, &device, 0, NULL, 0),
                         GPUTUNE_ETEMPLATE);
        assert_string_equal(gt_message(), cases[i].message);
        gt_template_free(template);
    }
}

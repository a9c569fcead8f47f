/* Verifies a sample of the variants of templates with larger spaces on the emulated H200, at small
 * sizes that leave a tail. */
#include "every_variant.h"
#include "support/folder.h"

TEST(test_reduce)
{
    verify_space("reduce", GPUTUNE_SIZES({"n", 20011}), 35);
    verify_space("reduce", GPUTUNE_SIZES({"n", 20011}, {"T=half", 0}, {"OP=max", 0}), 83);
}

TEST(test_dot)
{
    verify_space("dot", GPUTUNE_SIZES({"n", 20011}), 35);
}

TEST(test_scan)
{
    verify_space("scan", GPUTUNE_SIZES({"n", 20011}), 41);
    verify_space("scan", GPUTUNE_SIZES({"n", 20011}, {"T=int", 0}), 127);
}

TEST(test_transpose)
{
    verify_space("transpose", GPUTUNE_SIZES({"rows", 132}, {"columns", 260}), 15);
    verify_space("transpose", GPUTUNE_SIZES({"rows", 67}, {"columns", 33}, {"T=char", 0}), 11);
}

TEST(test_gemv)
{
    verify_space("gemv", GPUTUNE_SIZES({"rows", 67}, {"columns", 132}), 59);
    verify_space("gemv", GPUTUNE_SIZES({"rows", 67}, {"columns", 132}, {"USED=again", 0}), 199);
}

TEST(test_softmax)
{
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}), 23);
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}, {"T=half", 0}), 47);
}

TEST(narrow_rows_have_the_default)
{
    verify_space("softmax", GPUTUNE_SIZES({"rows", 17}, {"columns", 5}), 7);
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 5}), 7);
}

static void link_header(const char *folder, const char *name)
{
    char *from, *to;
    assert_true(asprintf(&from, "%s/%s", getenv("GPUTUNE_TEMPLATES"), name) > 0);
    assert_true(asprintf(&to, "%s/%s", folder, name) > 0);
    GT_FREED char *whole = realpath(from, NULL);
    assert_int_equal(symlink(whole, to), 0);
    free(from);
    free(to);
}

/* Copies a template to `folder` and replaces `old` by `new` in its kernel. The caller frees the
 * path. */
static char *altered(const char *folder, const char *name, const char *old, const char *new)
{
    static char text[1 << 16];
    char *from, *to;
    assert_true(asprintf(&from, "%s/%s.cu", getenv("GPUTUNE_TEMPLATES"), name) > 0);
    assert_true(asprintf(&to, "%s/%s.cu", folder, name) > 0);
    FILE *in = fopen(from, "r"), *out = fopen(to, "w");
    assert_true(in && out);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    const char *at = strstr(text, old);
    assert_non_null(at);
    fprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    fclose(in);
    assert_int_equal(fclose(out), 0);
    free(from);
    return to;
}

/* Verifies a few variants whose results are wrong by 0.2%. All must fail. */
static void refuse_inaccurate(const char *name, const char *old, const char *new)
{
    gt_field field;
    gt_request *request;
    SKIP_IF(!setup.farm);
    char *folder = folder_make(), *path = altered(folder, name, old, new);
    link_header(folder, "gputune.cuh");
    link_header(folder, "blocks.cuh");
    verify_begin(&field, &request, path,
                 GPUTUNE_SIZES({"rows", 5}, {"columns", 4096}, {"T=half", 0}), 17, 1);
    assert_true(field.variants.count > 1);
    for (uint32_t i = 0; i < field.variants.count; i++) {
        assert_int_not_equal(field.variants.items[i]->stage, GT_STAGE_READY);
    }
    verify_end(&field, request);
    free(path);
    folder_remove(folder);
}

TEST(inaccurate_rows_are_refused)
{
    refuse_inaccurate("softmax", "= 1 / gputune_block_reduce", "= 1.002f / gputune_block_reduce");
    refuse_inaccurate("rmsnorm", "= rsqrtf(", "= 1.002f * rsqrtf(");
}

TEST(test_rmsnorm)
{
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}), 23);
    verify_space("rmsnorm", GPUTUNE_SIZES({"rows", 17}, {"columns", 264}, {"T=float", 0}), 47);
}

TEST(test_lincomb)
{
    verify_space("lincomb", GPUTUNE_SIZES({"n", 132}, {"COUNT", 1100}), 59);
    verify_space("lincomb", GPUTUNE_SIZES({"n", 132}, {"COUNT", 1100}, {"T=double", 0}), 131);
}

TEST(test_polynomial)
{
    verify_space("polynomial", GPUTUNE_SIZES({"n", 131}, {"COUNT", 1200}), 75);
    verify_space("polynomial", GPUTUNE_SIZES({"n", 131}, {"COUNT", 1200}, {"T=double", 0}), 211);
}

TEST(test_stencil2d)
{
    verify_space("stencil2d", GPUTUNE_SIZES({"height", 37}, {"width", 68}), 75);
    verify_space("stencil2d", GPUTUNE_SIZES({"height", 37}, {"width", 68}, {"R", 3}), 123);
    verify_space("stencil2d", GPUTUNE_SIZES({"height", 37}, {"width", 68}, {"T=double", 0}), 173);
}

TEST(test_stencil3d)
{
    const gputune_sizes sizes =
        GPUTUNE_SIZES({"depth", 9}, {"height", 21}, {"width", 68}, {"R", 2});
    verify_space("stencil3d", sizes, 53);
    const gputune_sizes doubles =
        GPUTUNE_SIZES({"depth", 9}, {"height", 21}, {"width", 68}, {"T=double", 0});
    verify_space("stencil3d", doubles, 211);
}

TEST(test_stencil2d_steps)
{
    verify_space("stencil2d_steps", GPUTUNE_SIZES({"height", 37}, {"width", 45}, {"R", 2}), 401);
    verify_space("stencil2d_steps", GPUTUNE_SIZES({"height", 37}, {"width", 45}, {"T=double", 0}),
                 601);
}

/* Also tests dimensions that are smaller than a tile's halo. */
TEST(test_stencil3d_steps)
{
    const gputune_sizes sizes = GPUTUNE_SIZES({"depth", 19}, {"height", 21}, {"width", 44});
    verify_space("stencil3d_steps", sizes, 211);
    const gputune_sizes doubles =
        GPUTUNE_SIZES({"depth", 19}, {"height", 21}, {"width", 44}, {"T=double", 0});
    verify_space("stencil3d_steps", doubles, 401);
    const gputune_sizes small = GPUTUNE_SIZES({"depth", 3}, {"height", 5}, {"width", 4}, {"R", 2});
    verify_space("stencil3d_steps", small, 307);
}

TESTS_WITHIN(setup_h200, setup_close)

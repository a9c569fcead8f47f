/* Tests making, proving, listing and refusing rules for all sizes of a region. */
#include "support/folder.h"
#include "world.h"

static const char path[] = "tests/language/corner.cu";

static gputune *tuner_with_twice(void)
{
    gputune *tuner = tuner_open(world.database);
    OK(gputune_add_template(tuner, path));
    return tuner;
}

static int make(char **text, gputune *tuner, int64_t least, int64_t most)
{
    const gputune_range ranges[] = {{"rows", least, most}, {"columns", least, most}};
    const gputune_options options = OPTIONS(.time_limit_s = 600);
    return gputune_make_rule(text, tuner, "twice", ranges, 2, 4, &options);
}

static int count_rule(void *user, const gputune_rule *rule)
{
    assert_string_equal(rule->kernel, "twice");
    assert_false(rule->unproved || rule->outdated);
    ++*(int *)user;
    return 0;
}

static int count_rules(gputune *tuner)
{
    int count = 0;
    OK(gputune_rules(tuner, NULL, count_rule, &count));
    return count;
}

TEST(rule_is_made_stored_and_listed)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    char *text;
    OK(make(&text, tuner, 8, 17)); /* the region has too few sizes for ten tests */
    assert_true(strncmp(text, "region rows=8:17 columns=8:17 STEP=1\nloss mean=", 47) == 0);
    assert_null(strstr(world.log, "raise the limit"));
    assert_non_null(strstr(text, "\nvariant "));
    assert_non_null(strstr(text, "use "));
    assert_non_null(strstr(text, "KIND=narrow"));
    gputune_free(text);
    assert_int_equal(count_rules(tuner), 1);
}

TEST(variant_that_fails_at_one_corner_is_left_out)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    char *text;
    OK(make(&text, tuner, 32, 64));
    assert_null(strstr(text, "KIND=narrow"));
    assert_non_null(strstr(text, "KIND=exact"));
    assert_non_null(strstr(world.log, "KIND=narrow"));
    assert_non_null(strstr(world.log, "failed at rows=64 columns=64 STEP=1 (wrong)"));
    gputune_free(text);
}

TEST(region_without_a_rule_is_refused)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    const gputune_options options = OPTIONS(.time_limit_s = 60);
    static const struct {
        gputune_range ranges[2];
        const char *message;
    } refused[] = {
        {{{"rows", 8, 64}, {"columns", 64, 8}}, "the range columns=64:8 is not allowed"},
        {{{"rows", 0, 64}, {"columns", 8, 8}}, "the range rows=0:64 is not allowed"},
        {{{"rows", 8, 8}, {"columns", 8, 8}}, "needs a size that varies"},
        {{{"rows", 8, 64}, {"column", 8, 8}}, "column"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", refused[i].ranges, 2, 4, &options),
                     GPUTUNE_EINVAL, refused[i].message);
    }
}

TEST(region_with_an_impossible_corner_names_it)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    const gputune_range large[] = {{"rows", 64, INT64_C(1) << 30}, {"columns", 64, 4096}};
    const gputune_range limited[] = {{"rows", 64, 256}, {"columns", 64, 64 << 10}};
    const char *const start = "KIND=none";
    const gputune_options options = OPTIONS(.time_limit_s = 60, .memory_limit_bytes = 64 << 20);
    const gputune_options wrong = OPTIONS(.time_limit_s = 60, .start = &start, .start_count = 1);
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", large, 2, 4, &options), GPUTUNE_EDEVMEM,
                 "no configuration can run at rows=1073741824 columns=4096");
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", limited, 2, 4, &options), GPUTUNE_EDEVMEM,
                 "no configuration can run at rows=256 columns=65536 STEP=1, a corner of the "
                 "region; narrow the region: its buffers and their guard zones take 0.2");
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", limited, 2, 4, &wrong), GPUTUNE_EINVAL,
                 "KIND has no value 'none'");
    assert_null(strstr(gputune_error(), "corner"));
}

TEST_WITH_TUNER(time_limit_and_cancel_end_with_a_message, ":memory:")
{
    const gputune_range ranges[] = {{"rows", 8, 200}, {"columns", 8, 200}};
    int cancel = 1;
    OK(gputune_add_template(tuner, path));
    const gputune_options brief = OPTIONS(.time_limit_s = 0.05, .force = true);
    const gputune_options canceled = OPTIONS(.time_limit_s = 60, .cancel = &cancel);
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", ranges, 2, 4, &brief), GPUTUNE_ETIMEOUT,
                 "raise it, leave out `force` (--force) to use the sizes tuned so far, or narrow");
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", ranges, 2, 4, &canceled),
                 GPUTUNE_ECANCELED, "making the rule again continues there");
}

TEST(rule_with_inputs_is_refused)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    const gputune_range ranges[] = {{"rows", 8, 64}, {"columns", 8, 64}};
    const gputune_input input = {.buffer = "x"};
    const gputune_options given = OPTIONS(.inputs = &input, .input_count = 1);
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", ranges, 2, 4, &given), GPUTUNE_EINVAL,
                 "leave out the inputs");
}

static const char copy_text[] =
    "#pragma gputune kernel(copy) problem(h = 4, w = 64) tune(BLOCK = 32, 64) tune(KIND = a, b)\n"
    "#pragma gputune args(out float y[h][w], in float x[h][w], int w) texture(x)\n"
    "#pragma gputune require(w %% 8 == 0) require((h %% 2 == 0) == (KIND == a))\n"
    "#pragma gputune block(BLOCK) grid(ceil_div(w, BLOCK), h)\n"
    "#pragma gputune reference(y[i][j] = x[i][j])\n"
    "__global__ void copy(float *y, cudaTextureObject_t x, int w) {\n"
    "  int j = blockIdx.x * BLOCK + threadIdx.x;\n"
    "  if (j < w) y[blockIdx.y * w + j] = tex2D<float>(x, j, blockIdx.y) + 0 * KIND_a;\n"
    "}\n";

/* The rows of a texture are multiples of 32 bytes, so most sizes of the region are not possible. */
TEST(sizes_without_valid_buffers_are_left_out)
{
    const gputune_range ranges[] = {{"h", 1, 3}, {"w", 8, 32}};
    const gputune_options options = OPTIONS(.time_limit_s = 600);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(world.database);
    char file[160], *rule;
    snprintf(file, sizeof file, "%s/copy.cu", world.folder);
    file_write(file, copy_text);
    ASSERT_FAILS(gputune_make_rule(&rule, tuner, file, ranges, 2, 1, &options), GPUTUNE_ENOVARIANT,
                 "raise the number of codes (--variants), or narrow the region: 1 code cannot");
    OK(gputune_make_rule(&rule, tuner, file, ranges, 2, 4, &options));
    assert_non_null(strstr(rule, " KIND=a\n"));
    assert_non_null(strstr(rule, " KIND=b\n"));
    gputune_free(rule);
    unlink(file);
}

TEST(loss_that_is_not_known_is_not_promised)
{
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with_twice();
    const gputune_range one[] = {{"rows", 8, 10}, {"columns", 8, 8}};
    const gputune_range none[] = {{"rows", 8, 9}, {"columns", 8, 8}};
    const gputune_options options = OPTIONS(.time_limit_s = 600);
    const gputune_options cached = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", one, 2, 4, &options), GPUTUNE_EINVAL,
                 "only 1 size of the region can be tuned besides its corners, too few");
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", none, 2, 4, &options), GPUTUNE_ENOVARIANT,
                 "found no size between the corners of the region at");
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", one, 2, 4, &cached), GPUTUNE_EINVAL,
                 "leave out the effort");
}

TEST_WITH_TUNER(default_that_was_not_compared_makes_no_rule, ":memory:")
{
    const gputune_range ranges[] = {{"rows", 8, 11}, {"columns", 8, 11}};
    const gputune_options options = OPTIONS(.time_limit_s = 600, .max_variants = 1);
    OK(gputune_add_template(tuner, path));
    ASSERT_FAILS(gputune_make_rule(NULL, tuner, "twice", ranges, 2, 4, &options), GPUTUNE_ETIMEOUT,
                 "only the default was measured");
}

/* The time limit is divided among the sizes. The first compile takes longer than one share. */
TEST(compiles_that_take_longer_than_a_share_make_a_rule_from_fewer_sizes)
{
    const gputune_range ranges[] = {{"rows", 8, 64}, {"columns", 8, 64}};
    const gputune_options options = OPTIONS(.time_limit_s = 40);
    char *text;
    setenv("COMPILE_SLOWLY", "20", 1);
    GT_SCOPED(tuner_end) gputune *tuner = tuner_open(":memory:");
    OK(gputune_add_template(tuner, path));
    int status = gputune_make_rule(&text, tuner, "twice", ranges, 2, 4, &options);
    unsetenv("COMPILE_SLOWLY");
    OK(status);
    gputune_free(text);
}

TESTS_WITHIN(open_h200, world_close)

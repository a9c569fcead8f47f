/* Tests kernels whose variants are all bad. The call must fail with the status of these variants,
 * and no caller may get a variant that failed its proof. */
#include "bad_variants.h"
#include "support/folder.h"

/* Writes the kernels of bad.cu without their good variants. */
static void write_alone(const char *path)
{
    GT_FREED char *text = NULL;
    GT_SCOPED(gt_text_free) gt_text changed = {0};
    static const char *const changes[][2] = {{"tune(BAD = 0, 1)", "tune(BAD = 1)"},
                                             {"default(BAD = 0", "default(BAD = 1"}};
    OK(gt_file_read(&text, NULL, "tests/poisoned/bad.cu"));
    const char *from = text;
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(from, changes[i][0]);
        assert_non_null(at);
        gt_text_append_bytes(&changed, from, (size_t)(at - from));
        gt_text_append(&changed, changes[i][1]);
        from = at + strlen(changes[i][0]);
    }
    gt_text_append(&changed, from);
    file_write(path, "%s", gt_text_string(&changed));
}

static void check_alone(gputune *tuner, const char *path, const bad *b)
{
    char kernel[192];
    gputune_plan *plan = NULL;
    gputune_options options = options_of(b);
    options.time_limit_s *= 3; /* a busy machine may compile for seconds before a variant hangs */
    snprintf(kernel, sizeof kernel, "%s:%s", path, b->name);
    int status = tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", size_of(b)}), &options);
    bool astray = may_be_wrong_instead(b) && status == GPUTUNE_EWRONG;
    /* on a fast machine the compiler may exceed its memory limit before its time limit */
    bool greedy = !strcmp(b->status, "slow") && status == GPUTUNE_ECOMPILE;
    if (status != b->failure && !astray && !greedy) {
        fail_msg("%s alone: %d: %s", b->name, status, gputune_error());
    }
    assert_true(gputune_error()[0] && !strchr(gputune_error(), '\n'));
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_true(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", size_of(b)}), &options) < 0);
}

TEST(call_with_only_bad_variants_fails)
{
    char path[128];
    traces before = traces_now();
    snprintf(path, sizeof path, "%s/alone.cu", world.folder);
    write_alone(path);
    gputune *patient = tuner_open(":memory:"), *impatient = tuner_open(":memory:");
    for (size_t i = 0; i < CASES; i++) {
        if (can_be_tried(&table[i]) && (is_long_run() || table[i].limit_s <= 0)) {
            check_alone(hangs(&table[i]) ? impatient : patient, path, &table[i]);
        }
    }
    gputune_close(patient);
    gputune_close(impatient);
    unlink(path);
    expect_no_traces(before);
}

TESTS_WITHIN(open_bad, world_close)

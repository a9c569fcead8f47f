/* Tests calls of a careless application: NULL, unknown struct sizes and enumerators, closing in a
 * callback or during a tuning. test_every_call.c tests invalid tuners. */
#include "world.h"

#include <semaphore.h>

static int never(void *user, const void *item)
{
    ++*(int *)user;
    return 0;
}
#define NEVER(type) ((int (*)(void *, const type *))(void (*)(void))never)

#define REFUSES(call)                                                                              \
    do {                                                                                           \
        int refused_ = (call);                                                                     \
        if (refused_ != GPUTUNE_EINVAL || !strstr(gputune_error(), "NULL")) {                      \
            fail_msg("%s: status %d, \"%s\"", #call, refused_, gputune_error());                   \
        }                                                                                          \
    } while (0)

TEST(null_is_refused_by_functions_without_a_tuner)
{
    int calls = 0;
    gputune_info info = GPUTUNE_INFO_INIT;
    char *text;
    REFUSES(gputune_open(NULL, NULL));
    REFUSES(gputune_launch(NULL, NULL, GPUTUNE_ARGS(NULL)));
    REFUSES(gputune_plan_info(&info, NULL));
    REFUSES(gputune_plan_info(NULL, NULL));
    REFUSES(gputune_plan_function(NULL, NULL, 0));
    REFUSES(gputune_plan_parameter(NULL, NULL, 0, 0));
    REFUSES(gputune_plan_argument(NULL, NULL, 0));
    REFUSES(gputune_plan_check_argument(NULL, 0, 4));
    REFUSES(gputune_devices("emu", NULL, NULL));
    REFUSES(gputune_device_count(NULL, "emu"));
    REFUSES(gputune_draft_template(NULL, "x.cu", "y", NULL, NULL));
    REFUSES(gputune_draft_template(&text, NULL, "y", NULL, NULL));
    REFUSES(gputune_draft_template(&text, "x.cu", NULL, NULL, NULL));
    REFUSES(gputune_diagnose(NULL, NULL, NULL));
    REFUSES(gputune_misses(NULL, NEVER(gputune_miss), &calls));
    REFUSES(gputune_misses("x", NULL, &calls));
    gputune_close(NULL);
    gputune_refresh(NULL);
    gputune_space_free(NULL);
    gputune_free(NULL);
    gputune_plan_release(NULL);
    assert_null(gputune_plan_retain(NULL));
    assert_int_equal(calls, 0);
}

TEST(template_is_not_taken_for_a_program)
{
    static const char text[] = "#pragma gputune kernel(one) args(out int y[1]) block(1) grid(1)\n"
                               "__global__ void one(int *y) { *y = 1; }\n"
                               "__global__ void two(int *y) { *y = 2; }\n"
                               "void start(int *y) { two<<<1, 1>>>(y); }\n";
    char *out;
    ASSERT_FAILS(gputune_draft_template(&out, "one.cu", text, NULL, NULL), GPUTUNE_EINVAL,
                 "one.cu: already a template of 'one'");
    ASSERT_FAILS(gputune_draft_template(&out, "one.cu", text, "one", NULL), GPUTUNE_EINVAL,
                 "already a template");
    int status = gputune_draft_template(&out, "one.cu", text, "two", NULL);
    if (status != GPUTUNE_ENOCOMPILER) { /* no libclang */
        OK(status);
        gputune_free(out);
    }
}

TEST_WITH_TUNER(null_is_refused_by_functions_with_a_tuner, ":memory:")
{
    gputune_plan *plan;
    gputune_space *space;
    char *text;
    size_t bytes;
    int calls = 0;
    const gputune_sizes none = GPUTUNE_NO_SIZES, lost = {1, NULL}, nameless = GPUTUNE_SIZES({0, 1});
    const gputune_range range = {"n", 1, 2}, unnamed = {NULL, 1, 2};
    const gputune_record_filter all = {.size = sizeof all, .gpu = "", .sizes = " "};
    REFUSES(tune_kernel(NULL, tuner, "axpy", none, NULL));
    REFUSES(tune_kernel(&plan, tuner, NULL, none, NULL));
    REFUSES(tune_kernel(&plan, tuner, "axpy", lost, NULL));
    REFUSES(tune_kernel(&plan, tuner, "axpy", nameless, NULL));
    REFUSES(gputune_tuner_device(NULL, tuner));
    REFUSES(gputune_kernels(tuner, NULL, NULL, NULL));
    REFUSES(gputune_describe_space(NULL, tuner, "axpy", none, NULL, NULL));
    REFUSES(gputune_describe_space(&space, tuner, NULL, none, NULL, NULL));
    REFUSES(gputune_emit(NULL, &bytes, tuner, "axpy", none, NULL, NULL, GPUTUNE_FORM_SOURCE));
    REFUSES(gputune_emit(&text, NULL, tuner, "axpy", none, NULL, NULL, GPUTUNE_FORM_SOURCE));
    REFUSES(gputune_emit(&text, &bytes, tuner, NULL, none, NULL, NULL, GPUTUNE_FORM_SOURCE));
    REFUSES(gputune_records(tuner, NULL, NULL, NULL));
    REFUSES(gputune_run(tuner, NULL, none, NULL, 0, NULL, NEVER(gputune_record), &calls));
    REFUSES(gputune_run(tuner, "axpy", none, NULL, 0, NULL, NULL, NULL));
    REFUSES(gputune_compile(tuner, NULL, none, NULL, NULL, NEVER(gputune_compiled), &calls));
    REFUSES(gputune_compile(tuner, "axpy", none, NULL, NULL, NULL, NULL));
    REFUSES(gputune_check(tuner, NULL, none, NULL, NEVER(gputune_finding), &calls));
    REFUSES(gputune_check(tuner, "axpy", none, NULL, NULL, NULL));
    REFUSES(gputune_add_template(tuner, NULL));
    REFUSES(gputune_add_source(tuner, NULL, "y", NULL));
    REFUSES(gputune_add_source(tuner, "x", NULL, NULL));
    REFUSES(gputune_forget(tuner, NULL, NULL, NULL, NULL));
    assert_int_equal(gputune_forget(tuner, &all, NULL, NEVER(gputune_record), &calls),
                     GPUTUNE_EINVAL);
    REFUSES(gputune_emit_rule(NULL, tuner, "axpy", none, NULL, 0, 0));
    REFUSES(gputune_emit_rule(&text, tuner, NULL, none, NULL, 0, 0));
    REFUSES(gputune_emit_rule(&text, tuner, "axpy", none, NULL, 1, 0));
    REFUSES(gputune_rules(tuner, NULL, NULL, NULL));
    REFUSES(gputune_make_rule(NULL, tuner, NULL, &range, 1, 0, NULL));
    REFUSES(gputune_make_rule(NULL, tuner, "axpy", NULL, 0, 0, NULL));
    REFUSES(gputune_make_rule(NULL, tuner, "axpy", &unnamed, 1, 0, NULL));
    REFUSES(gputune_background(NULL, tuner));
    REFUSES(gputune_tune_together(NULL, tuner, "axpy", none, NULL, NULL));
    REFUSES(gputune_tune_together(&plan, tuner, "axpy", none, NULL, NULL));
    REFUSES(gputune_wisdom_export(NULL, NULL, tuner, NULL, false));
    REFUSES(gputune_wisdom_import(NULL, tuner, NULL, NULL));
    REFUSES(gputune_wisdom_save(NULL, tuner, NULL, NULL, false));
    REFUSES(gputune_wisdom_load(NULL, tuner, NULL, NULL));
    assert_int_equal(calls, 0);
}

TEST_WITH_TUNER(null_in_lists_of_options_is_refused, ":memory:")
{
    gputune_plan *plan;
    static const char *const nothing[] = {NULL};
    const gputune_alignment nobody = {NULL, 4};
    const gputune_input nowhere = {NULL, NULL, 4, true};
    const gputune_file nameless = {NULL, "x.npy"}, lost = {"x", NULL};
    gputune_options options[9];
    for (int i = 0; i < 9; i++) {
        options[i] = (gputune_options)GPUTUNE_OPTIONS_INIT;
    }
    options[0].alignment_count = options[1].input_count = options[2].only_count = 1;
    options[3].alignment_count = options[4].input_count = options[5].only_count = 1;
    options[3].alignments = &nobody;
    options[4].inputs = &nowhere;
    options[5].only = nothing;
    options[6].file_count = options[7].file_count = options[8].file_count = 1;
    options[7].files = &nameless;
    options[8].files = &lost;
    for (int i = 0; i < 9; i++) {
        REFUSES(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options[i]));
    }
}

TEST_WITH_TUNER(repeated_buffers_are_refused, ":memory:")
{
    static const float zeros[64];
    const gputune_alignment alignments[] = {{"x", 4}, {"x", 8}};
    const gputune_input inputs[] = {{"x", zeros, sizeof zeros, true}, {"y", zeros, 256, true}};
    const gputune_file file = {"x", "x.npy"};
    gputune_options aligned = GPUTUNE_OPTIONS_INIT, data = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    aligned.alignments = alignments;
    aligned.alignment_count = 2;
    assert_int_equal(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 64}), &aligned),
                     GPUTUNE_EINVAL);
    data.inputs = inputs;
    data.input_count = 2;
    data.files = &file;
    data.file_count = 1;
    assert_int_equal(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 64}), &data),
                     GPUTUNE_EINVAL);
    assert_string_equal(gputune_error(), "the data of 'x' is given twice; expected it once");
}

TEST(null_in_lists_of_open_options_is_refused)
{
    gputune *tuner;
    static const char *const nothing[] = {NULL};
    gputune_open_options folders = GPUTUNE_OPEN_OPTIONS_INIT;
    folders.device = "none";
    folders.include_path_count = 1;
    REFUSES(gputune_open(&tuner, &folders));
    folders.include_paths = nothing;
    REFUSES(gputune_open(&tuner, &folders));
}

static gputune_options cached_only(void)
{
    return OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
}

static void learn(gputune *tuner, int64_t n)
{
    const gputune_options options = cached_only();
    GT_SCOPED(plan_end) gputune_plan *plan = NULL;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
}

static int ask_known(gputune *tuner, const gputune_options *options)
{
    gputune_plan *plan = NULL;
    int status = tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), options);
    gputune_plan_release(plan);
    return status;
}

TEST_WITH_TUNER(wrong_options_are_refused_for_plans_in_the_table, ":memory:")
{
    gputune_options wrong[7];
    learn(tuner, 1024);
    for (int i = 0; i < 6; i++) {
        wrong[i] = cached_only();
        ASSERT_OK(ask_known(tuner, &wrong[i]));
    }
    wrong[0].size = 0;
    wrong[1].size = 0xdeadbeef; /* an uninitialised value */
    wrong[2].effort = (gputune_effort)99;
    wrong[3].objective = (gputune_objective)99;
    wrong[4].cache = (gputune_cache)-1;
    wrong[5].strategy = (gputune_strategy)99;
    for (int i = 0; i < 6; i++) {
        assert_int_equal(ask_known(tuner, &wrong[i]), GPUTUNE_EINVAL);
    }
}

static int together(void *user, void *data, size_t bytes)
{
    return 0;
}

/* Calls functions with structs whose member `size` is `size`. Returns how many fail with EINVAL. */
static int refusals(gputune *tuner, uint32_t size)
{
    const gputune_options options = cached_only();
    const gputune_sizes sizes = GPUTUNE_SIZES({"n", 1024});
    gputune *other = NULL;
    gputune_plan *plan = NULL, *same = NULL;
    char *text = NULL;
    int calls = 0, refused = 0;
    OK(tune_kernel(&plan, tuner, "axpy", sizes, &options));
    const int statuses[] = {
        gputune_open(
            &other,
            &(gputune_open_options){.size = size, .device = "none", .database = ":memory:"}),
        gputune_records(tuner, &(gputune_record_filter){.size = size}, NEVER(gputune_record),
                        &calls),
        gputune_tuner_device(&(gputune_device){.size = size}, tuner),
        gputune_tune_together(&same, tuner, "axpy", sizes, &options,
                              &(gputune_group){.size = size, .broadcast = together}),
        gputune_background(&(gputune_background_state){.size = size}, tuner),
        gputune_wisdom_export(&text, NULL, tuner, &(gputune_record_filter){.size = size}, false),
        gputune_wisdom_import(NULL, tuner, "no wisdom", &(gputune_wisdom_options){.size = size}),
        gputune_plan_info(&(gputune_info){.size = size}, plan),
        gputune_plan_function(&(gputune_function){.size = size}, plan, 0),
        gputune_plan_parameter(&(gputune_parameter){.size = size}, plan, 0, 0),
        gputune_plan_argument(&(gputune_parameter){.size = size}, plan, 0),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        refused += statuses[i] == GPUTUNE_EINVAL;
    }
    gputune_close(other);
    gputune_free(text);
    gputune_plan_release(plan);
    gputune_plan_release(same);
    return refused;
}

TEST_WITH_TUNER(unknown_sizes_of_structs_are_refused, ":memory:")
{
    assert_int_equal(refusals(tuner, 0), 11);
    assert_int_equal(refusals(tuner, 0xdeadbeef), 11); /* an uninitialised value */
    assert_int_equal(refusals(tuner, 4096), 0);        /* size of the struct in a later header */
}

TEST_WITH_TUNER(unknown_enumerators_are_refused, ":memory:")
{
    char *text;
    size_t bytes;
    gputune_wisdom_options trust = GPUTUNE_WISDOM_OPTIONS_INIT;
    assert_int_equal(gputune_wait(tuner, -1), GPUTUNE_EINVAL);
    assert_int_equal(gputune_wait(tuner, NAN), GPUTUNE_EINVAL);
    trust.trust = (gputune_trust)99;
    assert_int_equal(gputune_wisdom_import(NULL, tuner, "x", &trust), GPUTUNE_EINVAL);
    assert_int_equal(gputune_emit(&text, &bytes, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), NULL,
                                  NULL, (gputune_form)99),
                     GPUTUNE_EINVAL);
    assert_string_equal(gputune_status_text(99), gputune_status_text(-99));
    assert_string_equal(gputune_objective_name((gputune_objective)99), "?");
    assert_string_equal(gputune_strategy_name((gputune_strategy)99), "?");
    assert_string_equal(gputune_source_name((gputune_source)99), "?");
    assert_string_equal(gputune_log_level_name((gputune_log_level)99), "?");
    assert_string_equal(gputune_effort_name((gputune_effort)-1), "?");
    assert_string_equal(gputune_cache_name((gputune_cache)2), "?");
    assert_string_equal(gputune_verdict_name((gputune_verdict)99), "?");
    assert_string_equal(gputune_certainty_name((gputune_certainty)99), "?");
    assert_string_equal(gputune_form_name((gputune_form)99), "?");
    assert_string_equal(gputune_parameter_kind_name((gputune_parameter_kind)99), "?");
    assert_string_equal(gputune_effort_name(GPUTUNE_CACHED_ONLY), "cached");
    assert_string_equal(gputune_parameter_kind_name(GPUTUNE_PARAMETER_TEXTURE), "texture");
}

static gputune *callback_closes;

static void close_it(void *user, gputune_log_level level, const char *line)
{
    gputune_close(callback_closes);
}

static void close_in_progress(void *user, const gputune_progress *progress)
{
    gputune_close(callback_closes);
    assert_non_null(strstr(gputune_error(), "callback"));
}

TEST(callback_cannot_close_its_tuner)
{
    callback_closes = tuner_open(":memory:");
    gputune_options options = few_variants();
    gputune_plan *plan;
    options.log = close_it;
    options.progress = close_in_progress;
    OK(tune_kernel(&plan, callback_closes, "axpy", GPUTUNE_SIZES({"n", 1024}), &options));
    gputune_plan_release(plan);
    gputune_close(callback_closes);
}

static void count_line(void *user, gputune_log_level level, const char *line)
{
    *(int *)user += strstr(line, "it is outside") != NULL;
}

TEST(log_of_a_call_replaces_that_of_its_tuner)
{
    GT_SCOPED(tuner_end) gputune *tuner = NULL;
    int of_tuner = 0, of_call = 0;
    OK(gputune_open(&tuner,
                    &OPEN_OPTIONS(.database = ":memory:", .log = count_line, .user = &of_tuner)));
    static const char *const only[] = {"BLOCK=1024"};
    gputune_plan *plan;
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY, .only = only, .only_count = 1);
    for (int i = 1; i <= 2; i++) {
        OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024 * i}), &options));
        gputune_plan_release(plan);
        options.log = count_line;
        options.user = &of_call;
    }
    assert_int_equal(of_tuner, 2);
    assert_int_equal(of_call, 1);
}

typedef struct tuning {
    gputune *tuner;
    sem_t begun;
    bool reported;
    int status;
} tuning;

static void note_progress(void *user, const gputune_progress *progress)
{
    tuning *t = user;
    if (!t->reported && progress->compiled) {
        t->reported = true;
        sem_post(&t->begun);
    }
}

static void *tune(void *user)
{
    tuning *t = user;
    gputune_plan *plan = NULL;
    gputune_options options = OPTIONS(.effort = GPUTUNE_EXHAUSTIVE, .time_limit_s = 1000,
                                      .progress = note_progress, .user = t);
    t->status = tune_kernel(&plan, t->tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options);
    gputune_plan_release(plan);
    sem_post(&t->begun);
    return NULL;
}

TEST(close_ends_a_tuning_of_another_thread)
{
    tuning t = {.tuner = tuner_open(":memory:")};
    pthread_t thread;
    sem_init(&t.begun, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, tune, &t), 0);
    sem_wait(&t.begun);
    gputune_close(t.tuner);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(t.status == GPUTUNE_OK || t.status == GPUTUNE_ECANCELED);
    sem_destroy(&t.begun);
}

/* Closes a tuner and then uses its plans. Using them must fail, but releasing them must work. */
static void use_after_closing(const char *debug)
{
    gputune_info info = GPUTUNE_INFO_INIT;
    const gputune_options options = cached_only();
    gputune_plan *kept, *own;
    CUdeviceptr y = 4096;
    float a = 2;
    size_t n = 4;
    setenv("GPUTUNE_DEBUG", debug, 1);
    gputune *tuner = tuner_open(":memory:");
    unsetenv("GPUTUNE_DEBUG");
    OK(tune_kernel(&kept, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
    gputune_refresh(tuner);
    OK(tune_kernel(&own, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
    assert_ptr_not_equal(kept, own);
    gputune_close(tuner);
    for (int i = 0; i < 64; i++) { /* failing to open other tuners must not free the closed one */
        const gputune_open_options no_driver = {.size = sizeof no_driver, .driver = "/no/driver"};
        assert_int_not_equal(gputune_open(&tuner, &no_driver), GPUTUNE_OK);
    }
    gputune_plan *const plans[] = {kept, own};
    for (int i = 0; i < 2; i++) {
        ASSERT_FAILS(gputune_launch(plans[i], NULL, GPUTUNE_ARGS(&y, &y, &a, &n)), GPUTUNE_EINVAL,
                     "axpy: the tuner of this plan was closed");
        assert_int_equal(gputune_plan_info(&info, plans[i]), GPUTUNE_EINVAL);
        gputune_plan_release(gputune_plan_retain(plans[i]));
        gputune_plan_release(plans[i]);
    }
}

TEST(plan_of_a_closed_tuner_is_refused)
{
    use_after_closing("0");
    use_after_closing("1");
}

TESTS_WITHIN(open_h200, world_close)

/* Calls every public function that takes a tuner: without a tuner, with a closed tuner, in a forked
 * child, and while another thread closes the tuner. The test reads the header, and fails if the
 * header declares a function that is called neither in this file nor in test_calls.c. */
#include "world.h"

#include <ctype.h>
#include <stdatomic.h>

#define N GPUTUNE_SIZES({"n", 1024})

static int count_item(void *user, const void *item)
{
    return 0;
}
#define SEE(type) ((int (*)(void *, const type *))(void (*)(void))count_item)

static int give(void *user, void *data, size_t bytes)
{
    return 0;
}

static gputune_options unmeasured(void)
{
    return OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
}

static int call_tune_kernel(gputune *tuner)
{
    const gputune_options options = unmeasured();
    gputune_plan *plan = NULL;
    int status = tune_kernel(&plan, tuner, "axpy", N, &options);
    gputune_plan_release(plan);
    return status;
}

static int call_tune_together(gputune *tuner)
{
    const gputune_options options = unmeasured();
    gputune_group group = GPUTUNE_GROUP_INIT;
    gputune_plan *plan = NULL;
    group.broadcast = give;
    int status = gputune_tune_together(&plan, tuner, "axpy", N, &options, &group);
    gputune_plan_release(plan);
    return status;
}

static int call_refresh(gputune *tuner)
{
    gputune_refresh(tuner);
    return GPUTUNE_OK;
}

static int call_add_template(gputune *tuner)
{
    return gputune_add_template(tuner, "templates/copy.cu");
}

static int call_add_source(gputune *tuner)
{
    return gputune_add_source(tuner, "gone.cu", "", NULL);
}

static int call_background(gputune *tuner)
{
    gputune_background_state state = GPUTUNE_BACKGROUND_STATE_INIT;
    return gputune_background(&state, tuner);
}

static int call_wait(gputune *tuner)
{
    return gputune_wait(tuner, 1);
}

static int call_tuner_device(gputune *tuner)
{
    gputune_device device = GPUTUNE_DEVICE_INIT;
    return gputune_tuner_device(&device, tuner);
}

static int call_kernels(gputune *tuner)
{
    return gputune_kernels(tuner, NULL, SEE(gputune_kernel), NULL);
}

static int call_describe_space(gputune *tuner)
{
    gputune_space *space = NULL;
    int status = gputune_describe_space(&space, tuner, "axpy", N, NULL, NULL);
    gputune_space_free(space);
    return status;
}

static int call_emit(gputune *tuner)
{
    char *text = NULL;
    size_t bytes;
    int status = gputune_emit(&text, &bytes, tuner, "axpy", N, NULL, NULL, GPUTUNE_FORM_SOURCE);
    gputune_free(text);
    return status;
}

static int call_emit_rule(gputune *tuner)
{
    char *text = NULL;
    int status = gputune_emit_rule(&text, tuner, "axpy", GPUTUNE_NO_SIZES, NULL, 0, 0);
    gputune_free(text);
    return status;
}

static int call_records(gputune *tuner)
{
    return gputune_records(tuner, NULL, SEE(gputune_record), NULL);
}

static int call_rules(gputune *tuner)
{
    return gputune_rules(tuner, NULL, SEE(gputune_rule), NULL);
}

static int call_make_rule(gputune *tuner)
{
    const gputune_range range = {"n", 1, 2};
    return gputune_make_rule(NULL, tuner, "no-such-kernel", &range, 1, 0, NULL);
}

static int call_forget(gputune *tuner)
{
    const gputune_forget_options say = {
        .size = sizeof(gputune_forget_options), .dry_run = true, .everything = true};
    return gputune_forget(tuner, NULL, &say, SEE(gputune_record), NULL);
}

static int call_wisdom_export(gputune *tuner)
{
    char *text = NULL;
    int status = gputune_wisdom_export(&text, NULL, tuner, NULL, false);
    gputune_free(text);
    return status;
}

static int call_wisdom_import(gputune *tuner)
{
    return gputune_wisdom_import(NULL, tuner, "not wisdom", NULL);
}

static char saved[128];

static int call_wisdom_save(gputune *tuner)
{
    return gputune_wisdom_save(NULL, tuner, "/dev/null", NULL, false);
}

static int call_wisdom_load(gputune *tuner)
{
    return gputune_wisdom_load(NULL, tuner, saved, NULL);
}

static int call_merge(gputune *tuner)
{
    gputune_merged merged = GPUTUNE_MERGED_INIT;
    return gputune_merge(&merged, tuner, NULL, 0);
}

static int call_check_database(gputune *tuner)
{
    return gputune_check_database(tuner);
}

static int call_run(gputune *tuner)
{
    static const char *const odd[] = {"NO=1"};
    return gputune_run(tuner, "axpy", N, odd, 1, NULL, SEE(gputune_record), NULL);
}

static int call_compile(gputune *tuner)
{
    return gputune_compile(tuner, "no-such-kernel", N, NULL, NULL, SEE(gputune_compiled), NULL);
}

static int call_check(gputune *tuner)
{
    return gputune_check(tuner, "no-such-kernel", N, NULL, SEE(gputune_finding), NULL);
}

static const struct {
    const char *name;
    int (*call)(gputune *tuner);
} calls[] = {
    {"tune_kernel", call_tune_kernel},
    {"gputune_tune_together", call_tune_together},
    {"gputune_refresh", call_refresh},
    {"gputune_add_template", call_add_template},
    {"gputune_add_source", call_add_source},
    {"gputune_background", call_background},
    {"gputune_wait", call_wait},
    {"gputune_tuner_device", call_tuner_device},
    {"gputune_kernels", call_kernels},
    {"gputune_describe_space", call_describe_space},
    {"gputune_emit", call_emit},
    {"gputune_emit_rule", call_emit_rule},
    {"gputune_records", call_records},
    {"gputune_forget", call_forget},
    {"gputune_rules", call_rules},
    {"gputune_make_rule", call_make_rule},
    {"gputune_wisdom_export", call_wisdom_export},
    {"gputune_wisdom_import", call_wisdom_import},
    {"gputune_wisdom_save", call_wisdom_save},
    {"gputune_wisdom_load", call_wisdom_load},
    {"gputune_merge", call_merge},
    {"gputune_check_database", call_check_database},
    {"gputune_run", call_run},
    {"gputune_compile", call_compile},
    {"gputune_check", call_check},
};
enum { CALLS = sizeof calls / sizeof *calls };

static bool is_void(int call)
{
    return calls[call].call == call_refresh;
}

static bool is_known(const char *name)
{
    bool known = strcmp(name, "gputune_close") == 0; /* gputune_close() is covered by other tests */
    for (int i = 0; i < CALLS; i++) {
        known = known || strcmp(calls[i].name, name) == 0;
    }
    return known;
}

/* Copies the name that ends just before `end`. */
static void name_before(char *out, size_t room, const char *end)
{
    const char *begin = end;
    while (isalnum((unsigned char)begin[-1]) || begin[-1] == '_') {
        begin--;
    }
    snprintf(out, room, "%.*s", (int)(end - begin), begin);
}

/* Fails if the header declares a function that no test calls. Counts all functions in *functions,
 * and those that take a tuner in *of_a_tuner. */
static void check_header(int *functions, int *of_a_tuner, const char *path, const char *others)
{
    static const char mark[] = "\nGPUTUNE_API ", own[] = "gputune *tuner";
    char *header, name[64];
    OK(gt_file_read(&header, NULL, path));
    for (const char *at = header; (at = strstr(at, mark)); ++*functions) {
        at += strlen(mark);
        const char *open = strchr(at, '('), *end = strstr(at, ");");
        const char *tuner = strstr(open, own);
        name_before(name, sizeof name, open);
        bool takes_one = tuner && tuner < end;
        *of_a_tuner += takes_one;
        if (takes_one && !is_known(name)) {
            fail_msg("%s takes a tuner, and is not in the table of this file", name);
        }
        const char *called = strstr(others, name);
        while (called && called[strlen(name)] != '(') {
            called = strstr(called + 1, name);
        }
        if (!takes_one && !called && end - open > (ptrdiff_t)strlen("(void)")) {
            fail_msg("%s is not called by test_calls.c with what is wrong", name);
        }
    }
    free(header);
}

TEST(header_has_no_function_without_a_test)
{
    char *others;
    int functions = 0, of_a_tuner = 0;
    OK(gt_file_read(&others, NULL, "tests/end_to_end/test_calls.c"));
    check_header(&functions, &of_a_tuner, "include/gputune.h", others);
    check_header(&functions, &of_a_tuner, "include/gputune_tools.h", others);
    assert_true(functions > CALLS);
    assert_int_equal(of_a_tuner, CALLS + 1);
    free(others);
}

static void expect_refusal(int call, gputune *tuner, const char *because)
{
    int status = calls[call].call(tuner);
    if (!is_void(call) && (status != GPUTUNE_EINVAL || !strstr(gputune_error(), because) ||
                           !strstr(gputune_error(), calls[call].name))) {
        fail_msg("%s: status %d, \"%s\"", calls[call].name, status, gputune_error());
    }
}

TEST(null_tuner_is_refused_by_every_function)
{
    for (int i = 0; i < CALLS; i++) {
        expect_refusal(i, NULL, "NULL");
    }
}

TEST(closed_tuner_is_refused_by_every_function)
{
    gputune *tuner = tuner_open(":memory:");
    gputune_close(tuner);
    for (int i = 0; i < CALLS; i++) {
        expect_refusal(i, tuner, "closed");
    }
}

TEST(tuner_is_refused_in_a_forked_child)
{
    int status;
    gputune *tuner = tuner_open(":memory:");
    gputune_plan_release(plan_measured(tuner, "copy", N));
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        for (int i = 0; i < CALLS; i++) {
            if (calls[i].call(tuner) != GPUTUNE_EUNSUPPORTED && !is_void(i)) {
                _exit(i + 1);
            }
        }
        gputune_close(tuner);
        const bool told = gputune_open(&tuner, NULL) == GPUTUNE_EUNSUPPORTED &&
                          strstr(gputune_error(), "forked") && strstr(gputune_error(), "exec");
        _exit(told ? 0 : CALLS + 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status) {
        int i = WEXITSTATUS(status) - 1;
        fail_msg("%s: status %#x", i >= 0 && i < CALLS ? calls[i].name : "opening another",
                 (unsigned)status);
    }
    gputune_plan_release(plan_measured(tuner, "copy", GPUTUNE_SIZES({"n", 2048})));
    gputune_close(tuner);
}

/* Not inlined, because AddressSanitizer does not see the end of scopes in a cancelled thread. */
__attribute__((noinline)) static void call_all(gputune *tuner)
{
    static const char source[] = "__global__ void one(float *x) { *x = 1; }";
    gputune *other;
    char *text = NULL;
    int count;
    for (int i = 0; i < CALLS; i++) {
        (void)calls[i].call(tuner);
    }
    OK(gputune_open(&other, &OPEN_OPTIONS(.database = ":memory:", .driver = "emu")));
    gputune_close(other);
    OK(gputune_diagnose(NULL, SEE(gputune_diagnosis), NULL));
    OK(gputune_devices("emu", SEE(gputune_device), NULL));
    OK(gputune_device_count(&count, "emu"));
    (void)gputune_misses(saved, SEE(gputune_miss), NULL);
    (void)gputune_draft_template(&text, "one.cu", source, NULL, NULL);
    gputune_free(text);
}

static atomic_bool has_returned;

static void *call_all_canceled(void *tuner)
{
    pthread_cancel(pthread_self());
    call_all(tuner);
    has_returned = true;
    pthread_testcancel();
    return NULL;
}

TEST(canceled_thread_ends_after_every_call)
{
    pthread_t thread;
    void *result;
    gputune *tuner = tuner_open(":memory:");
    assert_int_equal(pthread_create(&thread, NULL, call_all_canceled, tuner), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_true(has_returned);
    gputune_close(tuner);
}

enum { ASKERS = 4, ROUNDS = 10 };
static gputune *shared;
static atomic_int asked;

/* Repeats all calls until one of them reports that the tuner is closed. */
static void *call_first(void *first)
{
    int status = GPUTUNE_OK;
    for (int i = *(const int *)first;
         status != GPUTUNE_EINVAL || !strstr(gputune_error(), "closed"); i = (i + 1) % CALLS) {
        status = calls[i].call(shared);
        asked++;
    }
    return NULL;
}

TEST(tuner_is_closed_during_calls_of_other_threads)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t askers[ASKERS];
        int firsts[ASKERS];
        shared = tuner_open(":memory:");
        asked = 0;
        for (int i = 0; i < ASKERS; i++) {
            firsts[i] = (i * CALLS / ASKERS + round) % CALLS;
            assert_int_equal(pthread_create(&askers[i], NULL, call_first, &firsts[i]), 0);
        }
        while (asked < 8 * round) {
            usleep(100);
        }
        gputune_close(shared);
        for (int i = 0; i < ASKERS; i++) {
            pthread_join(askers[i], NULL);
        }
    }
}

static int open_all(void **state)
{
    FILE *file;
    open_h200(state);
    snprintf(saved, sizeof saved, "%s/text", world.folder);
    file = fopen(saved, "w");
    assert_non_null(file);
    fputs("not wisdom\n", file);
    assert_int_equal(fclose(file), 0);
    return 0;
}

static int close_all(void **state)
{
    unlink(saved);
    return world_close(state);
}

TESTS_WITHIN(open_all, close_all)

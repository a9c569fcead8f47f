/* A program as users have them, built with the public header of an earlier release, with today's,
 * and with one that is a version ahead in every struct: all of them run with this library, which
 * fills in and reads no more than the caller has, and no less than both know. */
#include <gputune.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MARGIN = 256, FILLER = 0xa5 };

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) < 0) {                                                                          \
            fail_msg("%s: %s", #call, gputune_error());                                            \
        }                                                                                          \
    } while (0)

/* Memory for a struct; what stands before and behind it is seen to stay as it is. */
typedef struct box {
    unsigned char before[MARGIN];
    union {
        unsigned char bytes[1024];
        gputune_info info;
        gputune_device device;
    } item;
    unsigned char behind[MARGIN];
} box;

static box *new_box(uint32_t version)
{
    box *made = malloc(sizeof *made);
    assert_non_null(made);
    memset(made, FILLER, sizeof *made);
    memcpy(made->item.bytes, &version, sizeof version);
    return made;
}

static void check_box(box *used, size_t bytes)
{
    for (size_t i = 0; i < MARGIN; i++) {
        assert_int_equal(used->before[i], FILLER);
        assert_int_equal(used->behind[i], FILLER);
    }
    for (size_t i = bytes; i < sizeof used->item.bytes; i++) {
        assert_int_equal(used->item.bytes[i], FILLER);
    }
}

static int open_tuner(void **state)
{
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune *tuner;
    options.driver = "emu:h200";
    options.database = ":memory:";
    OK(gputune_open(&tuner, &options));
    *state = tuner;
    return 0;
}

static int close_tuner(void **state)
{
    gputune_close(*state);
    return 0;
}

static void test_device(void **state)
{
    box *got = new_box(GPUTUNE_DEVICE_VERSION);
    OK(gputune_tuner_device(&got->item.device, *state));
    check_box(got, sizeof(gputune_device));
    assert_in_range(got->item.device.version, 1, GPUTUNE_DEVICE_VERSION);
    assert_int_equal(got->item.device.compute_capability, 90);
    assert_true(got->item.device.emulated);
    free(got);
}

static int note_nvrtc(void *user, const gputune_device *device)
{
    *(int *)user = device->nvrtc_version;
    return 0;
}

/* Skips the test where nothing can be compiled. */
static gputune_plan *make_plan(gputune *tuner, gputune_effort effort)
{
    static const char *const only[] = {"VEC=1", "BLOCK=64", "UNROLL=1"};
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_plan *plan;
    int nvrtc = 0;
    OK(gputune_devices("emu", note_nvrtc, &nvrtc));
    if (!nvrtc) {
        skip();
    }
    options.effort = effort;
    options.only = only;
    options.only_count = 3;
    options.time_limit_s = 100;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1024}), &options));
    return plan;
}

static void test_plan(void **state)
{
    gputune_plan *plan = make_plan(*state, GPUTUNE_MEASURE);
    box *got = new_box(GPUTUNE_INFO_VERSION);
    OK(gputune_plan_info(&got->item.info, plan));
    check_box(got, sizeof(gputune_info));
    assert_in_range(got->item.info.version, 1, GPUTUNE_INFO_VERSION);
    assert_string_equal(got->item.info.kernel, "axpy");
    assert_int_equal(got->item.info.source, GPUTUNE_SOURCE_MEASURED);
    assert_non_null(got->item.info.stop_reason);
#if GPUTUNE_INFO_VERSION >= 2
    assert_string_equal(got->item.info.sizes, "n=1024 T=float");
#endif
    free(got);
    gputune_plan_release(plan);
}

static int note_record(void *user, const gputune_record *record)
{
    unsigned *winners = user;
    assert_true(record->version >= 1);
    assert_string_equal(record->kernel, "axpy");
    assert_string_equal(record->status, "ok");
    assert_true(record->created && record->created[0]);
    *winners += record->is_winner;
    return 0;
}

static void test_records(void **state)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    unsigned winners = 0;
    gputune_plan_release(make_plan(*state, GPUTUNE_MEASURE));
    filter.kernel = "axpy";
    OK(gputune_records(*state, &filter, note_record, &winners));
    assert_int_equal(winners, 1);
    winners = 0;
    filter.kernel = "gemm";
    OK(gputune_records(*state, &filter, note_record, &winners));
    assert_int_equal(winners, 0);
}

static int note_kernel(void *user, const gputune_kernel *kernel)
{
    bool *found = user;
    *found = *found || (strcmp(kernel->name, "axpy") == 0 &&
                        strcmp(kernel->sizes, "n=67108864 T=float") == 0);
    return 0;
}

static void test_kernels(void **state)
{
    bool found = false;
    OK(gputune_kernels(*state, note_kernel, &found));
    assert_true(found);
}

static void test_space(void **state)
{
    gputune_space *space;
    bool found = false;
    OK(gputune_describe_space(&space, *state, "histogram", GPUTUNE_NO_SIZES, "sm_80", NULL));
    assert_true(space->version >= 1);
    assert_int_equal(space->combinations, 540);
    assert_true(space->exclusion_count >= 2);
    for (size_t i = 0; i < space->exclusion_count; i++) {
        assert_true(space->exclusions[i].reason[0]);
        assert_in_range(space->exclusions[i].count, 1, 540);
    }
    for (size_t i = 0; i < space->value_count; i++) {
        found = found || (strcmp(space->values[i].axis, "CLUSTER") == 0 &&
                          strcmp(space->values[i].value, "4") == 0);
    }
    assert_true(found);
    gputune_space_free(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define ON_A_TUNER(test) cmocka_unit_test_setup_teardown(test, open_tuner, close_tuner)
        ON_A_TUNER(test_device),  ON_A_TUNER(test_plan),  ON_A_TUNER(test_records),
        ON_A_TUNER(test_kernels), ON_A_TUNER(test_space),
    };
    return cmocka_run_group_tests_name("header " HEADER, tests, NULL, NULL);
}

/* Tests that several processes agree on a variant. The test uses one tuner for each process, and
 * passes the variant of rank 0 to the others. */
#include "world.h"

typedef struct wire {
    char bytes[8192];
    size_t count;
    int calls;
    bool broken;
} wire;

static int send_bytes(void *user, void *data, size_t bytes)
{
    wire *w = user;
    assert_true(bytes <= sizeof w->bytes);
    memcpy(w->bytes, data, bytes);
    w->count = bytes;
    w->calls++;
    return w->broken;
}

static int receive_bytes(void *user, void *data, size_t bytes)
{
    wire *w = user;
    assert_int_equal(bytes, w->count);
    memcpy(data, w->bytes, bytes);
    w->calls++;
    return w->broken;
}

static gputune_group rank_of(int rank, wire *w)
{
    gputune_group group = GPUTUNE_GROUP_INIT;
    group.rank = rank;
    group.broadcast = rank ? receive_bytes : send_bytes;
    group.user = w;
    return group;
}

static int together(gputune_plan **out, gputune *tuner, int rank, wire *w, const char *kernel,
                    const gputune_options *options)
{
    const gputune_group group = rank_of(rank, w);
    return gputune_tune_together(out, tuner, kernel, GPUTUNE_SIZES({"n", 1000}), options, &group);
}

/* Restricts the space to one variant, which is not the default. */
static gputune_options narrow(void)
{
    static const char *const only[] = {"VEC=4", "BLOCK=512", "UNROLL=2"};
    return OPTIONS(.only = only, .only_count = 3);
}

TEST(ranks_launch_the_winner_of_rank_0)
{
    wire w = {.calls = 0};
    GT_SCOPED(tuner_end) gputune *first = tuner_open(":memory:"), *second = tuner_open(":memory:");
    const gputune_options options = narrow();
    gputune_plan *mine, *theirs, *again, *alone;
    OK(together(&mine, first, 0, &w, "axpy", &options));
    OK(together(&theirs, second, 1, &w, "axpy", &options));
    assert_int_equal(w.calls, 2);
    const gputune_info a = info_of(mine), b = info_of(theirs);
    assert_string_equal(a.configuration, b.configuration);
    assert_int_equal(a.source, GPUTUNE_SOURCE_MEASURED);
    assert_int_equal(b.source, GPUTUNE_SOURCE_CACHED);
    assert_true(a.time_ns > 0 && a.time_ns == b.time_ns && a.speedup == b.speedup);
    OK(launch_axpy(theirs, 1000));
    OK(together(&again, second, 1, &w, "axpy", &options));
    assert_ptr_equal(again, theirs);
    gputune_options cached = options;
    cached.effort = GPUTUNE_CACHED_ONLY;
    OK(tune_kernel(&alone, second, "axpy", GPUTUNE_SIZES({"n", 1000}), &cached));
    assert_string_equal(info_of(alone).configuration, a.configuration);
    gputune_plan *const plans[] = {mine, theirs, again, alone};
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        gputune_plan_release(plans[i]);
    }
    gputune_close(second);
}

TEST_WITH_TUNER(own_times_of_a_rank_are_not_used, ":memory:")
{
    static const char *const only[] = {"VEC=1", "BLOCK=256", "UNROLL=1"}; /* the default */
    wire w = {.calls = 0};
    GT_SCOPED(tuner_end) gputune *second = tuner_open(":memory:");
    gputune_options options = OPTIONS(.only = only, .only_count = 3);
    gputune_plan *plan;
    OK(tune_kernel(&plan, second, "axpy", GPUTUNE_SIZES({"n", 1000}), &options));
    assert_true(info_of(plan).time_ns > 0);
    options.effort = GPUTUNE_CACHED_ONLY;
    OK(together(&plan, tuner, 0, &w, "axpy", &options));
    OK(together(&plan, second, 1, &w, "axpy", &options));
    assert_true(info_of(plan).time_ns == 0);
}

TEST_WITH_TUNER(failures_reach_every_rank, ":memory:")
{
    wire w = {.calls = 0};
    gputune_plan *plan = NULL;
    gputune_options options = OPTIONS(.effort = GPUTUNE_CACHED_ONLY);
    assert_int_equal(together(&plan, tuner, 0, &w, "nosuch", &options), GPUTUNE_ENOTFOUND);
    ASSERT_FAILS(together(&plan, tuner, 1, &w, "nosuch", &options), GPUTUNE_ENOTFOUND, "nosuch");

    OK(together(&plan, tuner, 0, &w, "axpy", &options));
    gputune_plan_release(plan);
    plan = NULL;
    ASSERT_FAILS(together(&plan, tuner, 2, &w, "copy", &options), GPUTUNE_EINVAL,
                 "rank 2 has a different version");
    w.broken = true;
    assert_int_equal(together(&plan, tuner, 0, &w, "axpy", &options), GPUTUNE_EIO);
    assert_int_equal(together(&plan, tuner, 1, &w, "axpy", &options), GPUTUNE_EIO);
    assert_null(plan);
}

TESTS_WITHIN(open_h200, world_close)

/* Searches in which other GPUs take part: what they may decide, and what becomes of them. */
#include "search_world.h"

/* A world with one more GPU, on which everything takes so many times as long, or fails. */
typedef struct two_gpus {
    world *w;
    scripted_farm helper;
    gt_device device;
    gt_workers workers;
    gt_gpu_right gpu;
    gt_services services;
    double slowness;
    gputune_status verify;
    uint32_t verifies;
    char warning[256], shares[256]; /* the last ones that were said */
} two_gpus;

static void keep_line(void *user, gputune_log_level level, const char *line)
{
    two_gpus *two = user;
    keep_warning(two->warning, level, line);
    if (strstr(line, "GPU 1 launched")) {
        (void)snprintf(two->shares, sizeof two->shares, "%s", line);
    }
}

static scripted_variant behave_there(void *user, const gt_launch *launch)
{
    two_gpus *two = user;
    scripted_variant variant = two->w->by_block[launch->steps[0].block[0]];
    variant.time_ns *= two->slowness;
    variant.pilot_ns *= two->slowness;
    if (two->verifies++ && two->verify) { /* not the default, which comes first */
        variant.verify = two->verify;
    }
    return variant;
}

static const gt_services *services_of(const gputune *helper)
{
    return &((const two_gpus *)(const void *)helper)->services;
}

static void expect_returned(const two_gpus *two)
{
    assert_null(two->helper.farm.helper);
    assert_false(two->workers.farms.items[0].lent || two->gpu.is_taken);
}

/* Launches so long that the first of them tells, and a GPU so slow that newcomers wait for it. */
static void set_up(two_gpus *two, world *w)
{
    write_template(w,
                   "32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448, 480, 512, "
                   "544, 576, 608, 640");
    *two = (two_gpus){.w = w, .slowness = 1};
    for (int i = 0; i <= 1024; i++) {
        double time_ns = 100e3 + 1e3 * (i < 256 ? 256 - i : i - 256);
        time_ns *= i > 384 ? 3 : 1;
        w->by_block[i].time_ns = w->by_block[i].pilot_ns = time_ns;
    }
    w->farm.slowness = two->helper.slowness = 4e-8;
    two->helper.behave = behave_there;
    two->helper.user = two;
    scripted_farm_open(&two->helper);
    scripted_workers_open(&two->workers, &two->helper);
    gt_gpu_right_open(&two->gpu);
    two->device = w->device;
    two->device.ordinal = 1;
    two->services =
        (gt_services){.workers = &two->workers, .gpu = &two->gpu, .device = &two->device};
    w->services.of_helper = services_of;
    w->services.log = (gt_log){keep_line, two};
}

static void tear_down(two_gpus *two)
{
    gt_gpu_right_close(&two->gpu);
    scripted_workers_close(&two->workers);
    scripted_farm_close(&two->helper);
}

static const char *tuned_on_both(two_gpus *two)
{
    gputune *helpers[] = {(gputune *)(void *)two};
    return tuned(two->w, &OPTIONS(.helpers = helpers, .helper_count = 1));
}

TEST_OF(newcomers_go_to_both_and_samples_come_from_one, world *w, open_world, close_world)
{
    two_gpus two;
    set_up(&two, w);
    assert_string_equal(tuned_on_both(&two), "BLOCK=256");
    assert_int_equal(w->choice.failed, 0);
    assert_true(two.helper.verifies > 1);
    assert_true(two.helper.unproved > 0); /* what is far slower is left out there */
    assert_int_equal(two.helper.prepares, 1);
    assert_int_equal(two.helper.samples + two.helper.rechecks, 0);
    assert_int_equal(w->farm.rechecks, 1);
    expect_returned(&two);
    assert_string_equal(two.warning, "");
    tear_down(&two);
}

TEST_OF(its_times_are_scaled, world *w, open_world, close_world)
{
    two_gpus two;
    set_up(&two, w);
    two.slowness = 1.05;
    assert_string_equal(tuned_on_both(&two), "BLOCK=256");
    assert_true(two.helper.verifies > 1);
    assert_string_equal(two.warning, "");
    assert_non_null(strstr(two.shares, "ms each; a launch here takes 0.9"));
    tear_down(&two);
}

TEST_OF(one_that_is_no_equal_is_named_and_left_out, world *w, open_world, close_world)
{
    two_gpus two;
    set_up(&two, w);
    two.slowness = 1.4;
    assert_string_equal(tuned_on_both(&two), "BLOCK=256");
    assert_int_equal(two.helper.verifies, 3); /* of the default alone */
    assert_non_null(strstr(two.warning, "GPU 1 is left out"));
    assert_non_null(strstr(two.warning, "1.40 times as long"));
    assert_non_null(strstr(two.shares, "launched 3 variants first, "));
    assert_non_null(strstr(two.shares, "ms each; it was left out")); /* nothing compares them */
    tear_down(&two);
}

/* What fails there may be its fault. */
TEST(its_failures_are_no_evidence)
{
    static const gputune_status failures[] = {GPUTUNE_ECRASHED, GPUTUNE_EWRONG, GPUTUNE_ETIMEOUT,
                                              GPUTUNE_EWORKER};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        void *fresh;
        two_gpus two;
        assert_int_equal(open_world(&fresh), 0);
        set_up(&two, fresh);
        two.verify = failures[i];
        assert_string_equal(tuned_on_both(&two), "BLOCK=256");
        assert_int_equal(two.w->choice.failed, 0);
        assert_true(two.helper.verifies > 1);
        assert_int_equal(strstr(two.warning, "left out") != NULL, failures[i] == GPUTUNE_EWORKER);
        tear_down(&two);
        close_world(&fresh);
    }
}

TEST_OF(one_that_cannot_prepare_is_left_out, world *w, open_world, close_world)
{
    two_gpus two;
    set_up(&two, w);
    two.helper.prepare = GPUTUNE_EDEVMEM;
    assert_string_equal(tuned_on_both(&two), "BLOCK=256");
    assert_int_equal(two.helper.verifies, 0);
    assert_non_null(strstr(two.warning, "left out"));
    assert_non_null(strstr(two.shares, "launched 0 variants first; it was left out"));
    tear_down(&two);
}

typedef struct late {
    two_gpus two;
    gputune *helpers[1];
} late;

static void come(void *user, const gputune_progress *at)
{
    late *l = user;
    if (at->verified >= 3) {
        __atomic_store_n(&l->helpers[0], (gputune *)(void *)&l->two, __ATOMIC_RELEASE);
    }
}

TEST_OF(one_that_comes_later_takes_part_from_then_on, world *w, open_world, close_world)
{
    late l = {.helpers = {NULL}};
    set_up(&l.two, w);
    gputune_options options =
        OPTIONS(.helpers = l.helpers, .helper_count = 1, .progress = come, .user = &l);
    assert_string_equal(tuned(w, &options), "BLOCK=256");
    assert_non_null(l.helpers[0]);
    assert_int_equal(l.two.helper.prepares, 1);
    assert_true(l.two.helper.verifies > 1);
    expect_returned(&l.two);
    tear_down(&l.two);
}

/* Where a first launch does not tell, its time on another GPU is worth nothing. */
TEST_OF(short_kernels_are_not_given_away, world *w, open_world, close_world)
{
    two_gpus two;
    set_up(&two, w);
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i].time_ns /= 100;
        w->by_block[i].pilot_ns /= 100;
    }
    w->farm.slowness = two.helper.slowness = 4e-6;
    assert_string_equal(tuned_on_both(&two), "BLOCK=256");
    assert_int_equal(two.helper.verifies, 0);
    tear_down(&two);
}

TEST_OF(a_limit_and_a_cancel_end_it, world *w, open_world, close_world)
{
    two_gpus two;
    volatile int cancel = 1;
    gputune *helpers[] = {(gputune *)(void *)&two};
    gputune_options options = OPTIONS(.helpers = helpers, .helper_count = 1, .time_limit_s = 0.3);
    set_up(&two, w);
    w->farm.slowness = two.helper.slowness = 3e-7;
    tuned(w, &options);
    expect_returned(&two);
    options.cancel = &cancel;
    options.force = true;
    if (tune(w, &options) == GPUTUNE_OK) {
    }
    expect_returned(&two);
    tear_down(&two);
}

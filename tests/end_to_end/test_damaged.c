/* Flips a bit of a database that contains a bad variant, or truncates the file. The plan must stay
 * correct, and `show` may print only unchanged records. GPUTUNE_TEST_FLIPS is the number of flipped
 * bits; GPUTUNE_TEST_LONG=1 truncates at every multiple of 512. */
#include "bad_variants.h"

#include "base/random.h"

enum { FLIPS = 40, CUTS = 8, CUT = 512 };

static gt_random chance = {11};

typedef struct image {
    char *bytes;
    size_t count;
} image;

static void write_image(const image *whole, size_t count, size_t flipped_bit)
{
    FILE *file = fopen(world.database, "wb");
    assert_non_null(file);
    if (flipped_bit < 8 * count) {
        whole->bytes[flipped_bit / 8] ^= (char)(1 << flipped_bit % 8);
    }
    assert_int_equal(fwrite(whole->bytes, 1, count, file), count);
    if (flipped_bit < 8 * count) {
        whole->bytes[flipped_bit / 8] ^= (char)(1 << flipped_bit % 8);
    }
    assert_int_equal(fclose(file), 0);
}

static int is_true(void *user, const gputune_record *record)
{
    bool is_bad = strstr(record->configuration, "BAD=1") != NULL;
    bool right = !strcmp(record->status, "ok") || !strcmp(record->status, "eliminated");
    bool known = !strncmp(record->configuration, "BAD=", 4) && is_bad == !right;
    *(int *)user += !known;
    return 0;
}

/* The call must succeed and must not launch the variant that failed its proof. */
static void expect_a_right_plan(const char *what, size_t place)
{
    gputune_plan *plan;
    int untrue = 0;
    gputune *tuner = tuner_open(world.database);
    if (tune_kernel(&plan, tuner, "tests/poisoned/wrong_result.cu", GPUTUNE_SIZES({"n", N}),
                    &OPTIONS(.effort = GPUTUNE_CACHED_ONLY)) < 0) {
        fail_msg("%s at %zu: %s", what, place, gputune_error());
    }
    if (!strstr(info_of(plan).configuration, "BAD=0")) {
        fail_msg("%s at %zu: %s", what, place, info_of(plan).configuration);
    }
    expect_doubled(plan, N);
    (void)gputune_records(tuner, &FILTER(.all_trials = true), is_true, &untrue);
    if (untrue) {
        fail_msg("%s at %zu: show tells what was never found out", what, place);
    }
    gputune_plan_release(plan);
    gputune_close(tuner);
    char path[128];
    static const char *const beside[] = {".lock", "-journal"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s", world.database, beside[i]);
        unlink(path);
    }
}

static image make_database(void)
{
    image whole;
    gputune *tuner = tuner_open(world.database);
    gputune_plan_release(
        plan_measured(tuner, "tests/poisoned/wrong_result.cu", GPUTUNE_SIZES({"n", N})));
    gputune_close(tuner);
    OK(gt_file_read(&whole.bytes, &whole.count, world.database));
    return whole;
}

TEST(damaged_database_gives_correct_plans)
{
    const char *asked = getenv("GPUTUNE_TEST_FLIPS");
    size_t flips = asked ? strtoul(asked, NULL, 10) : FLIPS;
    image whole = make_database();
    size_t cuts = is_long_run() ? whole.count / CUT : CUTS;
    for (size_t i = 0; i < flips; i++) {
        size_t bit = (size_t)(gt_random_unit(&chance) * 8 * (double)whole.count);
        write_image(&whole, whole.count, bit);
        expect_a_right_plan("bit flipped", bit);
    }
    for (size_t i = 0; i < cuts; i++) {
        size_t count = is_long_run() ? i * CUT : whole.count / CUT * i / CUTS * CUT;
        write_image(&whole, count, SIZE_MAX);
        expect_a_right_plan("cut", count);
    }
    print_message("%zu bits flipped and %zu cuts of %zu bytes\n", flips, cuts, whole.count);
    free(whole.bytes);
}

TESTS_WITHIN(open_bad, world_close)

/* Tests the default tolerances, which are used if a template states none. Kernels that add or round
 * in another order must be accepted, and kernels with a small fault refused. GPUTUNE_TEST_SEEDS is
 * the number of random inputs. Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "every_variant.h"

static uint32_t seeds;

static int open_any(void **state)
{
    const char *count = getenv("GPUTUNE_TEST_SEEDS"), *driver = getenv("GPUTUNE_TEST_DRIVER");
    seeds = count ? (uint32_t)strtoul(count, NULL, 10) : 1;
    return setup_open(driver ? driver : "emu:h200");
}

/* Counts of kernels: correct, correct but refused, faulty, and faulty but accepted. */
typedef struct tally {
    uint32_t right, refused, wrong, missed;
    double largest; /* largest error of a correct kernel, as a fraction of the tolerance */
} tally;

static void judge_variant(tally *sum, const gt_field *field, const gt_variant *variant)
{
    GT_FREED char *text = NULL;
    OK(gt_config_text(&text, field->options.request->template, &variant->config));
    bool is_right = strstr(text, "FAULT=none") != NULL, passed = variant->stage == GT_STAGE_READY;
    sum->right += is_right;
    sum->refused += is_right && !passed;
    sum->wrong += !is_right;
    sum->missed += !is_right && passed;
    if (is_right && passed && variant->verified.max_error > sum->largest) {
        sum->largest = variant->verified.max_error;
    }
    if (is_right != passed) {
        print_error("%s: %s: %s: %s\n", field->options.request->template->name, text,
                    gt_variant_status(variant), variant->message ? variant->message : "");
    } else if (getenv("GPUTUNE_TEST_VERBOSE")) {
        print_message("%s: %s: %g %s\n", field->options.request->template->name, text,
                      variant->verified.max_error, variant->message ? variant->message : "");
    }
}

static void judge_template(const char *name, gputune_sizes sizes)
{
    char path[64];
    tally sum = {0};
    SKIP_IF(!setup.farm);
    snprintf(path, sizeof path, "tests/tolerance/%s.cu", name);
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        gt_field field;
        gt_request *request;
        verify_begin(&field, &request, path, sizes, 1, seed);
        for (uint32_t i = 0; i < field.variants.count; i++) {
            judge_variant(&sum, &field, field.variants.items[i]);
        }
        verify_end(&field, request);
    }
    print_message("%s: %u of %u right ones refused (the nearest took %.2g of the tolerance), %u of "
                  "%u faults missed\n",
                  name, sum.refused, sum.right, sum.largest, sum.missed, sum.wrong);
    assert_true(sum.right > 0 && sum.wrong > 0);
    assert_int_equal(sum.refused, 0);
    assert_int_equal(sum.missed, 0);
}

/* Uses the default sizes on a GPU or with GPUTUNE_TEST_LONG. Otherwise sets `size` to
 * `on_emulator`. */
static void judge(const char *name, const char *size, int on_emulator)
{
    bool whole = getenv("GPUTUNE_TEST_DRIVER") || getenv("GPUTUNE_TEST_LONG");
    judge_template(name, whole ? (gputune_sizes){0} : GPUTUNE_SIZES({size, on_emulator}));
}

#define JUDGE(name, size, on_emulator)                                                             \
    TEST(test_##name)                                                                              \
    {                                                                                              \
        judge(#name, size, on_emulator);                                                           \
    }
JUDGE(sum, "n", 100000)
JUDGE(positive_sum, "N", 20000)
JUDGE(box, "h", 64)
JUDGE(dot, "rows", 24)
JUDGE(softmax, "rows", 24)
JUDGE(polynomial, "n", 40000)
JUDGE(centred_init, "rows", 24)
JUDGE(centred_expression, "rows", 24)

TESTS_WITHIN(open_any, setup_close)

/* Tests that searches of one process share compiled code. */
#include "tuner/code_memo.h"

#include "support/test.h"

static const gt_device device = {.arch = "sm_90a"};
static const gt_hash one = {1, 2}, other = {3, 4};

static int hold(void **state)
{
    gt_code_memo_hold();
    return 0;
}

static int let_go(void **state)
{
    gt_code_memo_release();
    return 0;
}

TEST_WITHIN(memo_finds_code_of_the_same_architecture, hold, let_go)
{
    static const gt_device another = {.arch = "sm_80"};
    gt_code found, code = {.source = one, .image = {.data = "code", .bytes = 4}};
    snprintf(code.arch, sizeof code.arch, "%s", device.arch);
    gt_code_memo_put(&code);
    assert_false(gt_code_memo_find(&found, one, &another));
    assert_false(gt_code_memo_find(&found, other, &device));
    assert_true(gt_code_memo_find(&found, one, &device));
    assert_memory_equal(found.image.data, "code", 4);
    gt_code_free(&found);
}

/* The memo keeps at most 128 MB of code. */
TEST_WITHIN(earlier_code_is_dropped, hold, let_go)
{
    enum { BYTES = 70 << 20 };
    gt_code found, code = {.source = one, .image = {.data = calloc(1, BYTES), .bytes = BYTES}};
    assert_non_null(code.image.data);
    snprintf(code.arch, sizeof code.arch, "%s", device.arch);
    gt_code_memo_put(&code);
    code.source = (gt_hash){5, 6};
    gt_code_memo_put(&code);
    gt_code_free(&code);
    assert_false(gt_code_memo_find(&found, one, &device));
    assert_true(gt_code_memo_find(&found, code.source, &device));
    gt_code_free(&found);
}

TEST(memo_without_holder_keeps_nothing)
{
    gt_code found, code = {.source = one, .image = {.data = "code", .bytes = 4}};
    snprintf(code.arch, sizeof code.arch, "%s", device.arch);
    gt_code_memo_put(&code);
    assert_false(gt_code_memo_find(&found, one, &device));
}

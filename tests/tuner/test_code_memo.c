/* What the searches of a process have compiled, and which of them compiles what. */
#include "tuner/code_memo.h"

#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>

static const gt_device device = {.arch = "sm_90a"};
static const gt_hash one = {1, 2}, other = {3, 4};
static const int first, second; /* searches */

static int hold(void **state)
{
    (void)state;
    gt_code_memo_hold();
    return 0;
}

static int let_go(void **state)
{
    (void)state;
    gt_code_memo_let_go();
    return 0;
}

TEST_WITHIN(a_source_is_compiled_by_the_first_who_wants_it, hold, let_go)
{
    assert_true(gt_code_memo_begin(one, &device, &first));
    assert_true(gt_code_memo_begin(one, &device, &first));
    assert_false(gt_code_memo_begin(one, &device, &second));
    assert_true(gt_code_memo_begin(other, &device, &second));
    gt_code_memo_end(one, &device, &second); /* it is not the one who compiles it */
    assert_false(gt_code_memo_begin(one, &device, &second));
    gt_code_memo_end(one, &device, &first);
    assert_true(gt_code_memo_begin(one, &device, &second));
    gt_code_memo_end_all(&first);
    assert_false(gt_code_memo_begin(other, &device, &first));
    gt_code_memo_end_all(&second);
    assert_true(gt_code_memo_begin(one, &device, &first));
    assert_true(gt_code_memo_begin(other, &device, &first));
    gt_code_memo_end_all(&first);
}

TEST_WITHIN(its_code_is_found_for_the_same_architecture, hold, let_go)
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

/* Above 128 MB. */
TEST_WITHIN(code_is_dropped_but_not_who_compiles_a_source, hold, let_go)
{
    enum { BYTES = 70 << 20 };
    gt_code found, code = {.source = one, .image = {.data = calloc(1, BYTES), .bytes = BYTES}};
    assert_non_null(code.image.data);
    snprintf(code.arch, sizeof code.arch, "%s", device.arch);
    gt_code_memo_put(&code);
    assert_true(gt_code_memo_begin(other, &device, &first));
    code.source = (gt_hash){5, 6};
    gt_code_memo_put(&code);
    gt_code_free(&code);
    assert_false(gt_code_memo_find(&found, one, &device));
    assert_true(gt_code_memo_find(&found, code.source, &device));
    gt_code_free(&found);
    assert_false(gt_code_memo_begin(other, &device, &second));
    assert_true(gt_code_memo_begin(one, &device, &second));
    gt_code_memo_end_all(&first);
    gt_code_memo_end_all(&second);
}

TEST(where_the_memo_has_no_holder_each_session_compiles)
{
    assert_true(gt_code_memo_begin(one, &device, &first));
    assert_true(gt_code_memo_begin(one, &device, &second));
}

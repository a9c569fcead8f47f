/* Tests that hash values never change, because databases contain them. */
#include "base/hash.h"
#include "base/hash_index.h"
#include "base_support.h"

TEST(hash_values_equal_xxh3)
{
    char hex[GT_HASH_HEX];
    assert_string_equal(gt_hash_hex(hex, gt_hash_string("")), "99aa06d3014798d86001c324468d497f");
    assert_string_equal(gt_hash_hex(hex, gt_hash_bytes("abc", 3)),
                        "06b05ab6733a618578af5f94892f3950");
    assert_true(gt_hash64("", 0) == UINT64_C(0x2d06800538d394c2));
}

TEST(join_depends_on_order)
{
    gt_hash a = gt_hash_string("a"), b = gt_hash_string("b");
    assert_true(gt_hash_equal(gt_hash_join(a, b), gt_hash_join(a, b)));
    assert_false(gt_hash_equal(gt_hash_join(a, b), gt_hash_join(b, a)));
    assert_false(gt_hash_equal(gt_hash_join(a, b), gt_hash_string("ab")));
}

TEST(hex_has_every_digit)
{
    char hex[GT_HASH_HEX];
    assert_string_equal(gt_hash_hex(hex, (gt_hash){1, 0xabc}), "00000000000000010000000000000abc");
}

TEST(hash_index_returns_the_first_number)
{
    gt_hash_index index = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t number = 0;
            const gt_hash hash = {i, i % 7};
            ASSERT_OK(gt_hash_index_intern(&index, hash, i + 10 * (uint32_t)pass, &number));
            assert_int_equal(number, i);
        }
    }
    gt_hash_index_free(&index);
    assert_null(index.entries);
}

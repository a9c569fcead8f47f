/* Tests fills, and converting values between numbers, bits and text. */
#include "farm/measure_value.h"
#include "support/test.h"

static uint64_t half(double value)
{
    return gt_bits_from_double(GT_TYPE_F16, value);
}

TEST(halves_round_to_nearest_even)
{
    assert_int_equal(half(0), 0);
    assert_int_equal(half(-0.0), 0x8000);
    assert_int_equal(half(1), 0x3c00);
    assert_int_equal(half(-2), 0xc000);
    assert_int_equal(half(65504), 0x7bff);
    assert_int_equal(half(65519.9), 0x7bff);
    assert_int_equal(half(65520), 0x7c00);
    assert_int_equal(half(1 + 0x1p-11), 0x3c00);
    assert_int_equal(half(1 + 3 * 0x1p-11), 0x3c02);
    assert_int_equal(half(0x1p-14), 0x0400);
    assert_int_equal(half(0x1p-24), 0x0001);
    assert_int_equal(half(0x1p-25), 0x0000);
    assert_int_equal(half(3 * 0x1p-25), 0x0002);
    assert_int_equal(half(0x1.ffep-15), 0x0400);
}

TEST(every_half_survives_the_way_there_and_back)
{
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        double value = gt_bits_to_double(GT_TYPE_F16, bits);
        if (isnan(value)) {
            continue;
        }
        assert_int_equal(half(value), bits);
    }
}

TEST(bfloats_round_to_nearest_even)
{
    assert_int_equal(gt_bits_from_double(GT_TYPE_BF16, 1), 0x3f80);
    assert_int_equal(gt_bits_from_double(GT_TYPE_BF16, 1 + 0x1p-8), 0x3f80);
    assert_int_equal(gt_bits_from_double(GT_TYPE_BF16, 1 + 3 * 0x1p-8), 0x3f82);
    assert_int_equal(gt_bits_from_double(GT_TYPE_BF16, 3.4e38), 0x7f80);
    assert_true(gt_bits_to_double(GT_TYPE_BF16, 0xc000) == -2);
}

/* The expected bits are from cuda_fp8.h (__nv_cvt_float_to_fp8 with __NV_SATFINITE). */
TEST(fp8_rounds_to_nearest_even_and_saturates)
{
    static const struct {
        gt_type type;
        double value;
        uint64_t bits;
    } cases[] = {{GT_TYPE_E4M3, 1, 0x38},        {GT_TYPE_E4M3, 1.0625, 0x38},
                 {GT_TYPE_E4M3, 1.1875, 0x3a},   {GT_TYPE_E4M3, 448, 0x7e},
                 {GT_TYPE_E4M3, -1e6, 0xfe},     {GT_TYPE_E4M3, 0x1p-9, 0x01},
                 {GT_TYPE_E4M3, 0x1p-10, 0x00},  {GT_TYPE_E4M3, 0x1.8p-10, 0x01},
                 {GT_TYPE_E5M2, 1, 0x3c},        {GT_TYPE_E5M2, 1.125, 0x3c},
                 {GT_TYPE_E5M2, 1.375, 0x3e},    {GT_TYPE_E5M2, 1e9, 0x7b},
                 {GT_TYPE_E5M2, -0x1p-16, 0x81}, {GT_TYPE_E5M2, 0, 0x00}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(gt_bits_from_double(cases[i].type, cases[i].value), cases[i].bits);
    }
    for (uint64_t bits = 0; bits < 256; ++bits) {
        for (int type = GT_TYPE_E4M3; type <= GT_TYPE_E5M2; ++type) {
            double value = gt_bits_to_double((gt_type)type, bits);
            if (isfinite(value)) {
                assert_int_equal(gt_bits_from_double((gt_type)type, value), bits);
            }
        }
    }
    assert_true(isnan(gt_bits_to_double(GT_TYPE_E4M3, 0x7f)));
    assert_true(gt_bits_to_double(GT_TYPE_E5M2, 0xfc) < -1e9);
}

TEST(integers_keep_their_sign)
{
    assert_true(gt_bits_to_double(GT_TYPE_I8, 0xff) == -1);
    assert_true(gt_bits_to_double(GT_TYPE_U8, 0xff) == 255);
    assert_int_equal(gt_bits_from_double(GT_TYPE_I16, -2), 0xfffe);
    assert_true(gt_bits_to_double(GT_TYPE_I64, UINT64_MAX) == -1);
}

TEST(scalars_are_the_bits_of_their_type)
{
    gt_number real = {.type = GT_TYPE_F32, .low = 1.5};
    gt_number whole = {.type = GT_TYPE_I32, .integer = -3};
    assert_int_equal(gt_number_bits(&real), 0x3fc00000);
    assert_int_equal((int32_t)gt_number_bits(&whole), -3);
}

TEST(uniform_fills_stay_in_range_and_cover_it)
{
    gt_buffer buffer = {.type = GT_TYPE_I32, .fill = GT_FILL_UNIFORM, .low = -2, .high = 3};
    int seen[6] = {0};
    double sum = 0;
    for (uint64_t i = 0; i < 6000; ++i) {
        int32_t value = (int32_t)gt_fill_bits(&buffer, 7, i);
        assert_in_range(value + 2, 0, 5);
        ++seen[value + 2];
    }
    for (int i = 0; i < 6; ++i) {
        assert_in_range(seen[i], 800, 1200);
    }
    buffer = (gt_buffer){.type = GT_TYPE_F64, .fill = GT_FILL_UNIFORM, .low = -1, .high = 1};
    for (uint64_t i = 0; i < 10000; ++i) {
        double value = gt_bits_to_double(GT_TYPE_F64, gt_fill_bits(&buffer, 7, i));
        assert_true(value >= -1 && value < 1);
        sum += value;
    }
    assert_true(fabs(sum / 10000) < 0.03);
}

TEST(other_seeds_and_buffers_give_other_contents)
{
    gt_buffer buffer = {.type = GT_TYPE_U64, .fill = GT_FILL_UNIFORM, .high = 1e15};
    assert_int_not_equal(gt_fill_seed(1, 0), gt_fill_seed(1, 1));
    assert_int_not_equal(gt_fill_seed(1, 0), gt_fill_seed(2, 0));
    assert_int_not_equal(gt_fill_bits(&buffer, gt_fill_seed(1, 0), 5),
                         gt_fill_bits(&buffer, gt_fill_seed(1, 1), 5));
}

TEST(named_fills_have_their_values)
{
    uint16_t values[4];
    gt_buffer buffer = {.type = GT_TYPE_U16, .fill = GT_FILL_INDEX, .elements = 4, .bytes = 8};
    gt_fill_host(values, NULL, &buffer, 1);
    assert_int_equal(values[3], 3);
    buffer.fill = GT_FILL_ZERO;
    gt_fill_host(values, NULL, &buffer, 1);
    assert_int_equal(values[3], 0);
    buffer.type = GT_TYPE_F16;
    buffer.fill = GT_FILL_CONSTANT;
    buffer.low = 1;
    gt_fill_host(values, NULL, &buffer, 1);
    assert_int_equal(values[3], 0x3c00);
}

/* The fill `index` sets a number to the index of its element. The other fills give each number of
 * an element a different value. */
TEST(numbers_of_a_struct_have_its_offsets)
{
    struct {
        int16_t id;
        float x, y;
    } values[9];
    GT_FREED gt_workload *workload = calloc(1, sizeof *workload);
    gt_buffer buffer = {.type = GT_TYPE_F32, .elements = 24, .per_element = 3, .number_count = 3};
    assert_non_null(workload);
    buffer.bytes = 8 * sizeof *values;
    workload->numbers[0] = (gt_number){.type = GT_TYPE_I16, .fill = GT_FILL_INDEX};
    workload->numbers[1] =
        (gt_number){.type = GT_TYPE_F32, .offset = 4, .fill = GT_FILL_UNIFORM, .low = 1, .high = 2};
    workload->numbers[2] = workload->numbers[1];
    workload->numbers[2].offset = 8;
    workload->number_count = 3;
    memset(values, 0, sizeof values);
    gt_fill_host(values, workload, &buffer, 1);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(values[i].id, i);
        assert_true(values[i].x >= 1 && values[i].x <= 2 && values[i].y >= 1 && values[i].y <= 2);
        assert_memory_not_equal(&values[i].x, &values[i].y, sizeof values[i].x);
    }
    assert_int_equal(values[8].id, 0);
}

TEST(values_are_printed_with_enough_digits)
{
    char text[40];
    assert_string_equal(gt_bits_text(text, GT_TYPE_F32, 0x3f800001), "1.00000012");
    assert_string_equal(gt_bits_text(text, GT_TYPE_I64, UINT64_MAX), "-1");
    assert_string_equal(gt_bits_text(text, GT_TYPE_I64, (UINT64_C(1) << 53) + 1),
                        "9007199254740993"); /* a double cannot represent this value */
    assert_string_equal(gt_bits_text(text, GT_TYPE_U64, UINT64_MAX), "18446744073709551615");
    assert_string_equal(gt_bits_text(text, GT_TYPE_U8, 200), "200");
}

TEST(sorted_elements_rise_within_their_range)
{
    gt_buffer integers = {
        .type = GT_TYPE_I32, .fill = GT_FILL_SORTED, .elements = 1000, .low = -5, .high = 700};
    gt_buffer reals = {
        .type = GT_TYPE_F32, .fill = GT_FILL_SORTED, .elements = 1000, .low = -1, .high = 1};
    int32_t numbers[1000];
    float values[1000];
    gt_fill_host(numbers, NULL, &integers, 3);
    gt_fill_host(values, NULL, &reals, 3);
    assert_in_range(numbers[0] + 5, 0, 1);
    assert_in_range(numbers[999], 699, 700);
    assert_true(values[0] >= -1 && values[999] <= 1 && values[999] > 0.99f);
    for (int i = 1; i < 1000; ++i) {
        assert_true(numbers[i] >= numbers[i - 1] && values[i] >= values[i - 1]);
    }
}

TEST(a_permutation_has_each_number_once)
{
    static const uint64_t counts[] = {1, 2, 3, 5, 64, 65, 1000};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
        gt_buffer buffer = {
            .type = GT_TYPE_U16, .fill = GT_FILL_PERMUTATION, .elements = counts[k]};
        uint16_t numbers[1000];
        bool seen[1000] = {false};
        uint64_t moved = 0;
        gt_fill_host(numbers, NULL, &buffer, 9);
        for (uint64_t i = 0; i < counts[k]; ++i) {
            assert_true(numbers[i] < counts[k] && !seen[numbers[i]]);
            seen[numbers[i]] = true;
            moved += numbers[i] != i;
        }
        assert_true(counts[k] < 64 || moved > counts[k] * 9 / 10);
    }
}

TEST(row_pointers_go_from_0_to_the_total)
{
    static const double totals[] = {0, 3, 100000};
    for (size_t k = 0; k < sizeof totals / sizeof totals[0]; ++k) {
        gt_buffer buffer = {.type = GT_TYPE_I32,
                            .fill = GT_FILL_PREFIX,
                            .elements = 1001,
                            .low = totals[k],
                            .high = totals[k]};
        int32_t rows[1001], longest = 0;
        gt_fill_host(rows, NULL, &buffer, 5);
        assert_int_equal(rows[0], 0);
        assert_int_equal(rows[1000], totals[k]);
        for (int i = 1; i <= 1000; ++i) {
            assert_true(rows[i] >= rows[i - 1]);
            longest = rows[i] - rows[i - 1] > longest ? rows[i] - rows[i - 1] : longest;
        }
        assert_true(k < 2 || (longest > 150 && longest <= 201));
    }
}

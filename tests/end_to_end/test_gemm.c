/* gemm, whose space is too large to try: a sample of it at sizes that end within a tile, and that
 * the space is as large as it is meant to be. */
#include "every_variant.h"

enum { LARGE = 100000 };

/* Only scalar accesses are possible. */
TEST(test_odd_sizes)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 67}, {"n", 45}, {"k", 33}), 60013);
}

/* Tiles are cut, vectors are not. */
TEST(test_sizes_of_vectors)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 132}, {"n", 92}, {"k", 68}), 500009);
}

/* Less than a tile, and less depth than tiles are on their way. */
TEST(test_tiny)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 5}, {"n", 7}, {"k", 3}), 120011);
}

TEST(test_is_large)
{
    gt_request *request;
    gt_space *space;
    gt_config config;
    uint32_t valid = 0;
    if (!bench.farm) {
        skip();
    }
    OK(gt_request_make(&request, &bench.services, &bench.device, "gemm",
                       GPUTUNE_SIZES({"m", 4096}, {"n", 4096}, {"k", 4096}), NULL));
    OK(gt_request_space(&space, request));
    while (valid < LARGE && gt_space_next(space, &config)) {
        valid++;
    }
    assert_int_equal(valid, LARGE);
    gt_space_free(space);
    gt_request_free(request);
}

TESTS_WITHIN(bench_h200, bench_close)

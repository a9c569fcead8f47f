/* Verifies a sample of gemm's space at sizes with partial tiles, and checks that the space can be
 * searched in seconds. */
#include "every_variant.h"

TEST(gemm_of_odd_sizes)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 67}, {"n", 45}, {"k", 33}), 211);
}

/* The sizes leave partial tiles, but only complete vectors. */
TEST(gemm_of_sizes_of_vectors)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 132}, {"n", 92}, {"k", 68}), 307);
}

/* The matrices are smaller than a tile, and k has fewer tiles than the kernel loads in advance. */
TEST(gemm_of_tiny_sizes)
{
    verify_space("gemm", GPUTUNE_SIZES({"m", 5}, {"n", 7}, {"k", 3}), 431);
}

/* Expects that a search can compile about 300 sources in 10 s on 16 cores. */
TEST(gemm_is_searched_in_seconds)
{
    gt_request *request;
    if (!setup.farm) {
        skip();
    }
    OK(gt_request_make(&request, &setup.services, &setup.device, "gemm",
                       GPUTUNE_SIZES({"m", 4096}, {"n", 4096}, {"k", 4096}), NULL));
    const gt_space_size valid = gt_space_count(request->space);
    const gt_space_size sources = gt_space_sources(request->space);
    assert_true(valid.count > 1000);
    assert_true(sources.count < 1000);
    gt_request_free(request);
}

TESTS_WITHIN(setup_h200, setup_close)

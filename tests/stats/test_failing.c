/* Tests that statistics report a lack of memory. */
#include "support/each_failure.h"

#include "stats/correlation.h"
#include "stats/summary.h"

static gputune_status compute(void *user)
{
    static const double x[] = {3, 1, 2}, y[] = {1, 2, 2};
    gt_summary summary;
    double rho;
    GT_TRY(gt_summarise(&summary, x, 3));
    return gt_spearman(&rho, x, y, 3);
}

TEST(memory_is_short)
{
    assert_int_equal(each_failure("allocation", 1, compute, NULL, NULL), 6);
}

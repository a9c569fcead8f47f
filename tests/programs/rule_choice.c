/* Compares the choices of a rule's header with the plans that tune_kernel() makes by the same rule,
 * at random sizes inside and outside of the region. */
#include "twice.h"

#include <gputune.h>
#include <stdio.h>
#include <stdlib.h>

static int mistakes, compared, outside;

static void compare(gputune *tuner, int64_t rows, int64_t columns)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_plan *plan = NULL;
    const int variant = twice_choose(rows, columns);
    options.unseen = GPUTUNE_RULE;
    options.effort = GPUTUNE_CACHED_ONLY;
    int status = tune_kernel(&plan, tuner, "twice",
                             GPUTUNE_SIZES({"rows", rows}, {"columns", columns}), &options);
    if (status >= 0) {
        status = gputune_plan_info(&info, plan);
    }
    const int by_rule = status >= 0 && info.source == GPUTUNE_SOURCE_RULE;
    if (by_rule != (variant >= 0) ||
        (by_rule && strcmp(info.configuration, twice_configuration(variant)) != 0)) {
        printf("rows=%lld columns=%lld: %s, the header: %s\n", (long long)rows, (long long)columns,
               status < 0 ? gputune_error() : info.configuration, twice_configuration(variant));
        mistakes++;
    }
    compared++;
    outside += variant < 0;
}

int main(int argc, char **argv)
{
    gputune *tuner = NULL;
    if (gputune_open(&tuner, NULL) < 0 ||
        gputune_add_template(tuner, argc > 1 ? argv[1] : NULL) < 0) {
        printf("%s\n", gputune_error());
        return 1;
    }
    srand(1);
    for (int i = 0; i < 1000; i++) {
        const int64_t rows = 7 + rand() % 27;
        const int64_t columns = 7 + rand() % 27;
        compare(tuner, rows, columns);
    }
    gputune_close(tuner);
    printf("%d compared, %d outside, %d differ\n", compared, outside, mistakes);
    return mistakes != 0;
}

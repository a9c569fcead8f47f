/* Which GPUs of a run are as fast as others of their kind. */
#include "cli/gpus.h"
#include "support/test.h"

#include <stdio.h>

enum { COUNT = 3 };

/* Two of a kind and another model, whose launches take these microseconds. */
static void make(cli_gpus *out, cli_gpu items[COUNT], double first, double second, double third)
{
    static const char *const kinds[COUNT] = {"h200", "h200", "a100"};
    const double times[COUNT] = {first, second, third};
    for (size_t i = 0; i < COUNT; i++) {
        items[i] = (cli_gpu){.label = kinds[i], .pace = {.launch_ns = times[i] * 1e3}};
        snprintf(items[i].session.device.environment, sizeof items[i].session.device.environment,
                 "%s", kinds[i]);
    }
    *out = (cli_gpus){.items = items, .count = COUNT};
}

TEST(one_that_takes_longer_than_its_equal_is_slower)
{
    cli_gpus gpus;
    cli_gpu items[COUNT];
    make(&gpus, items, 92, 95, 60);
    assert_null(cli_gpus_slower(&gpus, &items[1]));
    assert_true(cli_gpus_say_equal(&gpus, &items[1]));
    make(&gpus, items, 92, 120, 60);
    assert_null(cli_gpus_slower(&gpus, &items[0]));
    assert_non_null(cli_gpus_slower(&gpus, &items[1]));
    assert_null(cli_gpus_slower(&gpus, &items[2]));
    assert_false(cli_gpus_say_equal(&gpus, &items[0]));
}

/* A run that left the slower one out had nobody for what is left if the other one was lost. */
TEST(one_is_not_compared_with_what_gets_no_work)
{
    cli_gpus gpus;
    cli_gpu items[COUNT];
    make(&gpus, items, 92, 120, 60);
    items[0].is_in_doubt = true;
    assert_null(cli_gpus_slower(&gpus, &items[1]));
    items[0].is_in_doubt = false;
    items[0].is_out = true;
    assert_null(cli_gpus_slower(&gpus, &items[1]));
}

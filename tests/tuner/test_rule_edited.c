/* Tests that making a rule fails if the template is edited, or if nothing could be compared. */
#include "search_world.h"
#include "tuner/rule.h"

static scripted_variant behave_and_edit(void *user, const gt_launch *launch)
{
    write_template(user, "512, 256, 128");
    return ((world *)user)->by_block[launch->steps[0].block[0]];
}

TEST_OF(an_edit_ends_the_making_of_a_rule, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 30);
    const gputune_range range = {"n", 64, 65536};
    GT_FREED char *rule = NULL;
    w->farm.slowness = 1e-6;
    w->farm.behave = behave_and_edit;
    gputune_status status =
        gt_make_rule(&rule, &w->services, &w->device, w->path, &range, 1, 3, &options);
    ASSERT_FAILS(status, GPUTUNE_ETEMPLATE, "was edited while its rule was made");
}

static bool is_variant(void *user, const char *text)
{
    return strstr(text, "define BLOCK") && !strstr(text, "BLOCK 128");
}

/* The time limits of the tunings leave no variant to compare with the default. */
TEST_OF(a_rule_promises_nothing_without_a_comparison, world *w, open_world, close_world)
{
    const gputune_options options = OPTIONS(.time_limit_s = 3000);
    const gputune_range range = {"n", 64, 65536};
    GT_FREED char *rule = NULL;
    w->farm.slowness = 1e-6;
    w->farm.compiles_for_ever = is_variant;
    gputune_status status =
        gt_make_rule(&rule, &w->services, &w->device, w->path, &range, 1, 3, &options);
    ASSERT_FAILS(status, GPUTUNE_ETIMEOUT, "too few to know the loss");
}

/* Tests that quick compiles are compiled with less optimisation, launched once, reported to the
 * proposer, and not part of the result. */
#include "search_world.h"
#include "tuner/session.h"

enum { BLOCKS = 4, TURNS = 40 };

/* Proposes each configuration as a quick compile and then as a variant. */
typedef struct own_proposer {
    gt_proposer proposer; /* first member, because a gt_proposer is cast to this struct */
    gt_config configs[BLOCKS];
    uint32_t next, seen, failed;
    double best_ns;
} own_proposer;

static uint32_t propose(gt_proposer *self, gt_config *out, uint32_t count)
{
    own_proposer *own = (own_proposer *)(void *)self;
    if (own->next == 2 * BLOCKS) {
        self->exhausted = true;
        return 0;
    }
    self->quick_compiles = own->next < BLOCKS;
    *out = own->configs[own->next++ % BLOCKS];
    return 1;
}

static void on_result(gt_proposer *self, const gt_config *config, const gt_tried *result,
                      bool is_quick)
{
    own_proposer *own = (own_proposer *)(void *)self;
    if (is_quick) {
        bool failed = result->outcome != GT_TRIED_OK;
        own->seen++;
        own->failed += failed;
        own->best_ns = !failed && result->time_ns < own->best_ns ? result->time_ns : own->best_ns;
    }
}

static void try_all(gt_field *field, own_proposer *own, gt_request *request, world *w)
{
    static const char *const texts[] = {"BLOCK=64", "BLOCK=128", "BLOCK=256", "BLOCK=512"};
    *own = (own_proposer){.proposer = {.propose = propose, .on_result = on_result},
                          .best_ns = INFINITY};
    for (int i = 0; i < BLOCKS; i++) {
        ASSERT_OK(gt_config_parse(&own->configs[i], request->template, texts[i], true));
    }
    const gt_field_options options = {.request = request,
                                      .farm = &w->farm.farm,
                                      .proposer = &own->proposer,
                                      .measure = true,
                                      .with_default = true,
                                      .races = true};
    ASSERT_OK(gt_field_open(field, &options));
    ASSERT_OK(gt_field_pump(field));
    ASSERT_OK(gt_field_allow_measuring(field));
    for (int i = 0; i < TURNS; i++) {
        gt_event event = {0};
        ASSERT_OK(w->farm.farm.ops->wait(&w->farm.farm, &event, 0));
        ASSERT_OK(gt_field_handle(field, &event));
        gt_event_free(&event);
        ASSERT_OK(gt_field_pump(field));
    }
    assert_true(gt_field_is_done(field));
}

static gt_request *make_request(world *w)
{
    SET_EACH(w, pilot_ns, 100 * w->by_block[block].time_ns);
    return request_for(w, NULL);
}

TEST_OF(a_quick_compile_is_compiled_quickly_and_not_proved, world *w, open_world, close_world)
{
    GT_SCOPED(gt_field_close) gt_field field;
    own_proposer own;
    GT_SCOPED(gt_request_end) gt_request *request = make_request(w);
    try_all(&field, &own, request, w);
    assert_int_equal(w->farm.quick_compiles, BLOCKS);
    assert_int_equal(own.seen, BLOCKS);
    assert_true(own.best_ns == 80000); /* BLOCK=256 */
    assert_int_equal(gt_field_tried(&field), BLOCKS);
    assert_int_equal(gt_field_total(&field), BLOCKS);
    assert_int_equal(field.in[GT_STAGE_READY] + field.in[GT_STAGE_SLOWER], BLOCKS);
    for (uint32_t i = 0; i < field.variants.count; i++) {
        const gt_variant *variant = field.variants.items[i];
        assert_int_equal(variant->stage == GT_STAGE_QUICK, variant->role == GT_ROLE_QUICK);
        assert_int_equal(variant->unit->is_quick, variant->role == GT_ROLE_QUICK);
    }
}

TEST_OF(a_quick_compile_that_crashes_is_no_failure_of_the_tuning, world *w, open_world, close_world)
{
    GT_SCOPED(gt_field_close) gt_field field;
    own_proposer own;
    GT_SCOPED(gt_request_end) gt_request *request = make_request(w);
    w->by_block[512].verify = GPUTUNE_ECRASHED;
    w->by_block[64].pilot_ns = 1000;
    try_all(&field, &own, request, w);
    assert_int_equal(own.failed, 2);
    assert_int_equal(field.in[GT_STAGE_FAILED], 1); /* BLOCK=512 itself */
}

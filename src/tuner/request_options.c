/* What a caller's options say: read by their version, and refused where they are no options. */
#include "tuner/request.h"

#include "base/versioned.h"

gputune_status gt_options_read(gputune_options *out, const gputune_options *given)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_options, samples_path),
                                   GT_BYTES_THROUGH(gputune_options, strategy),
                                   GT_BYTES_THROUGH(gputune_options, share),
                                   GT_BYTES_THROUGH(gputune_options, reference),
                                   GT_BYTES_THROUGH(gputune_options, reference_tag),
                                   GT_BYTES_THROUGH(gputune_options, save),
                                   GT_BYTES_THROUGH(gputune_options, helper_count)};
    static const gt_layouts layouts = {"gputune_options", GPUTUNE_OPTIONS_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_OPTIONS_VERSION, "a row for each");
    *out = (gputune_options)GPUTUNE_OPTIONS_INIT;
    return given ? gt_versioned_read(out, given, &layouts) : GPUTUNE_OK;
}

static gputune_status check_enums(const gputune_options *o)
{
    if ((uint32_t)o->effort > GPUTUNE_EXHAUSTIVE ||
        (uint32_t)o->objective >= GPUTUNE_OBJECTIVE_COUNT ||
        (uint32_t)o->cache > GPUTUNE_CACHE_HOT ||
        (uint32_t)o->isolation > GPUTUNE_ISOLATION_THREAD ||
        (uint32_t)o->strategy >= GPUTUNE_STRATEGY_COUNT) {
        return gt_fail(GPUTUNE_EINVAL,
                       "options with effort %d, objective %d, cache %d, isolation %d, strategy %d: "
                       "one of them is no value of its type",
                       (int)o->effort, (int)o->objective, (int)o->cache, (int)o->isolation,
                       (int)o->strategy);
    }
    return GPUTUNE_OK;
}

/* `what` is "sizes"; `at` counts from 0. */
static gputune_status refuse_null(const char *what, size_t at)
{
    return gt_fail(GPUTUNE_EINVAL, "%s: entry %zu is NULL, or has no name", what, at);
}

static gputune_status check_lists(const gputune_options *o)
{
    if ((o->alignment_count && !o->alignments) || (o->input_count && !o->inputs) ||
        (o->only_count && !o->only) || (o->helper_count && !o->helpers)) {
        return gt_fail(GPUTUNE_EINVAL, "options count alignments, inputs, restrictions (only) or "
                                       "helpers, and the pointer to them is NULL");
    }
    for (size_t i = 0; i < o->alignment_count; i++) {
        if (!o->alignments[i].buffer) {
            return refuse_null("alignments", i);
        }
    }
    for (size_t i = 0; i < o->input_count; i++) {
        const gputune_input *input = &o->inputs[i];
        if (!input->buffer) {
            return refuse_null("inputs", i);
        }
        if (!input->data && input->bytes) {
            return gt_fail(GPUTUNE_EINVAL, "inputs: the data of '%s' is NULL; expected %llu bytes",
                           input->buffer, (unsigned long long)input->bytes);
        }
    }
    for (size_t i = 0; i < o->only_count; i++) {
        if (!o->only[i]) {
            return refuse_null("only", i);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status check_options(const gputune_options *o)
{
    GT_TRY(check_enums(o));
    GT_TRY(check_lists(o));
    if (o->alignment & (o->alignment - 1)) {
        return gt_fail(GPUTUNE_EINVAL, "alignment %u; expected a power of two", o->alignment);
    }
    if (!(o->time_limit_s >= 0) || !(o->epsilon >= 0 && o->epsilon < 1)) {
        return gt_fail(GPUTUNE_EINVAL,
                       "time_limit_s is %g and epsilon is %g; expected 0 or more for both, and an "
                       "epsilon below 1",
                       o->time_limit_s, o->epsilon);
    }
    if (!(o->share >= 0 && o->share <= 1)) {
        return gt_fail(GPUTUNE_EINVAL, "share is %g; expected a part of the GPU's time, 0 to 1",
                       o->share);
    }
    return GPUTUNE_OK;
}

gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options)
{
    if (!kernel || (sizes.count && !sizes.items)) {
        return gt_fail(GPUTUNE_EINVAL, "%s is NULL", kernel ? "sizes.items" : "the kernel's name");
    }
    for (size_t i = 0; i < sizes.count; i++) {
        if (!sizes.items[i].name) {
            return refuse_null("sizes", i);
        }
    }
    return check_options(options);
}

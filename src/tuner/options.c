/* Options of a call: their defaults and limits, and copies for tunings that outlive the call. */
#include "tuner/request.h"

#include "base/versioned.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct gt_call_block {
    struct gt_call_block *next;
    max_align_t bytes[];
};

/* NULL: nothing was to be copied, or memory is short, which is noted. */
static void *keep(gt_call_copy *copy, const void *from, size_t bytes)
{
    struct gt_call_block *block = bytes ? malloc(sizeof *block + bytes) : NULL;
    copy->failed |= bytes && !block;
    if (!block) {
        return NULL;
    }
    block->next = copy->blocks;
    copy->blocks = block;
    return memcpy(block->bytes, from, bytes);
}

static char *keep_text(gt_call_copy *copy, const char *text)
{
    return text ? keep(copy, text, strlen(text) + 1) : NULL;
}

gputune_status gt_call_copy_make(gt_call_copy *out, const char *kernel, gputune_sizes sizes,
                                 const gputune_options *options)
{
    *out = (gt_call_copy){.options = *options};
    gputune_options *o = &out->options;
    o->inputs_tag = o->reference_tag = o->save = NULL;
    o->helpers = NULL; /* which may be closed by then */
    o->helper_count = 0;
    GT_REFUSE(options->input_count || options->file_count || options->reference, GPUTUNE_EINVAL,
              "%s: a call with inputs, files or a reference function of its own cannot be tuned in "
              "the background, as the program may change them meanwhile; expected those of the "
              "template, or a call without `background`",
              kernel);
    gputune_size *items = keep(out, sizes.items, sizes.count * sizeof *items);
    gputune_alignment *alignments =
        keep(out, o->alignments, o->alignment_count * sizeof *alignments);
    const char **only = keep(out, o->only, o->only_count * sizeof *only);
    for (size_t i = 0; items && i < sizes.count; i++) {
        items[i].name = keep_text(out, items[i].name);
    }
    for (size_t i = 0; alignments && i < o->alignment_count; i++) {
        alignments[i].buffer = keep_text(out, alignments[i].buffer);
    }
    for (size_t i = 0; only && i < o->only_count; i++) {
        only[i] = keep_text(out, only[i]);
    }
    out->kernel = keep_text(out, kernel);
    out->sizes = (gputune_sizes){sizes.count, items};
    o->alignments = alignments;
    o->only = only;
    o->samples_path = keep_text(out, o->samples_path);
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}

void gt_call_copy_free(gt_call_copy *copy)
{
    for (struct gt_call_block *block = copy->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *copy = (gt_call_copy){.kernel = NULL};
}

gputune_status gt_options_read(gputune_options *out, const gputune_options *given)
{
    static const gt_layouts layouts = {
        "gputune_options",
        GPUTUNE_OPTIONS_VERSION,
        {GT_BYTES_THROUGH(gputune_options, samples_path),
         GT_BYTES_THROUGH(gputune_options, strategy), GT_BYTES_THROUGH(gputune_options, share),
         GT_BYTES_THROUGH(gputune_options, reference),
         GT_BYTES_THROUGH(gputune_options, reference_tag), GT_BYTES_THROUGH(gputune_options, save),
         GT_BYTES_THROUGH(gputune_options, helper_count)}};
    *out = (gputune_options)GPUTUNE_OPTIONS_INIT;
    return gt_versioned_read(out, given, &layouts);
}

static gputune_status check_enums(const gputune_options *o)
{
    GT_REFUSE((uint32_t)o->effort > GPUTUNE_EXHAUSTIVE ||
                  (uint32_t)o->objective >= GPUTUNE_OBJECTIVE_COUNT ||
                  (uint32_t)o->cache > GPUTUNE_CACHE_HOT ||
                  (uint32_t)o->isolation > GPUTUNE_ISOLATION_THREAD ||
                  (uint32_t)o->strategy >= GPUTUNE_STRATEGY_COUNT,
              GPUTUNE_EINVAL,
              "options with effort %d, objective %d, cache %d, isolation %d, strategy %d: one of "
              "them is no value of its type",
              (int)o->effort, (int)o->objective, (int)o->cache, (int)o->isolation,
              (int)o->strategy);
    return GPUTUNE_OK;
}

/* `what` is "sizes"; `at` counts from 0. */
static gputune_status refuse_null(const char *what, size_t at)
{
    return gt_fail(GPUTUNE_EINVAL, "%s: entry %zu is NULL, or has no name", what, at);
}

static gputune_status check_lists(const gputune_options *o)
{
    GT_REFUSE((o->alignment_count && !o->alignments) || (o->input_count && !o->inputs) ||
                  (o->only_count && !o->only) || (o->helper_count && !o->helpers),
              GPUTUNE_EINVAL,
              "options count alignments, inputs, restrictions (only) or helpers, and the pointer "
              "to them is NULL");
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
        GT_REFUSE(!input->data && input->bytes, GPUTUNE_EINVAL,
                  "inputs: the data of '%s' is NULL; expected %llu bytes", input->buffer,
                  (unsigned long long)input->bytes);
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
    GT_REFUSE(o->alignment & (o->alignment - 1), GPUTUNE_EINVAL,
              "alignment %u; expected a power of two", o->alignment);
    GT_REFUSE(
        !(o->time_limit_s >= 0) || !(o->epsilon >= 0 && o->epsilon < 1), GPUTUNE_EINVAL,
        "time_limit_s is %g and epsilon is %g; expected 0 or more for both, and an epsilon below 1",
        o->time_limit_s, o->epsilon);
    GT_REFUSE(!(o->share >= 0 && o->share <= 1), GPUTUNE_EINVAL,
              "share is %g; expected a part of the GPU's time, 0 to 1", o->share);
    return GPUTUNE_OK;
}

gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options)
{
    GT_REFUSE(!kernel || (sizes.count && !sizes.items), GPUTUNE_EINVAL, "%s is NULL",
              kernel ? "sizes.items" : "the kernel's name");
    for (size_t i = 0; i < sizes.count; i++) {
        if (!sizes.items[i].name) {
            return refuse_null("sizes", i);
        }
    }
    return check_options(options);
}

/* Copies calls. A pointer that is added to gputune_options is copied here. */
#include "tuner/options_copy.h"

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
    if (options->input_count || options->file_count || options->reference) {
        return gt_fail(
            GPUTUNE_EINVAL,
            "%s: a call with inputs, files or a reference function of its own cannot be "
            "tuned in the background, as the program may change them meanwhile; expected "
            "those of the template, or a call without `background`",
            kernel);
    }
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

/* Copies calls. A pointer that is added to gputune_options is copied here. */
#include "tuner/options_copy.h"

#include "base/text.h"

#include <stdlib.h>

static gputune_status copy_text(const char **member)
{
    char *copy;
    if (!*member) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_strdup(&copy, *member));
    *member = copy;
    return GPUTUNE_OK;
}

static gputune_status copy_sizes(gputune_sizes *out, gputune_sizes sizes)
{
    gputune_size *items = calloc(sizes.count + 1, sizeof *items);
    GT_TRY(gt_allocated(items));
    *out = (gputune_sizes){0, items};
    for (size_t i = 0; i < sizes.count; i++) {
        items[i] = sizes.items[i];
        GT_TRY(copy_text(&items[i].name));
        out->count++;
    }
    return GPUTUNE_OK;
}

static gputune_status copy_alignments(gputune_options *o)
{
    const gputune_alignment *from = o->alignments;
    size_t count = o->alignment_count;
    gputune_alignment *items = calloc(count + 1, sizeof *items);
    o->alignments = items;
    o->alignment_count = 0;
    GT_TRY(gt_allocated(items));
    for (size_t i = 0; i < count; i++) {
        items[i] = from[i];
        GT_TRY(copy_text(&items[i].buffer));
        o->alignment_count++;
    }
    return GPUTUNE_OK;
}

static gputune_status copy_only(gputune_options *o)
{
    const char *const *from = o->only;
    size_t count = o->only_count;
    const char **items = calloc(count + 1, sizeof *items);
    o->only = items;
    o->only_count = 0;
    GT_TRY(gt_allocated(items));
    for (size_t i = 0; i < count; i++) {
        items[i] = from[i];
        GT_TRY(copy_text(&items[i]));
        o->only_count++;
    }
    return GPUTUNE_OK;
}

gputune_status gt_call_copy_make(gt_call_copy *out, const char *kernel, gputune_sizes sizes,
                                 const gputune_options *options)
{
    const gputune_alignment *alignments = options->alignments;
    const char *const *only = options->only;
    const char *samples = options->samples_path;
    *out = (gt_call_copy){.options = *options};
    gputune_options *o = &out->options;
    o->alignments = NULL; /* until they are copies, freeing must not see them */
    o->only = NULL;
    o->samples_path = o->inputs_tag = o->reference_tag = o->save = NULL;
    o->helpers = NULL; /* which may be closed by then */
    o->helper_count = 0;
    if (options->input_count || options->file_count || options->reference) {
        o->alignment_count = o->only_count = 0;
        return gt_fail(
            GPUTUNE_EINVAL,
            "%s: a call with inputs, files or a reference function of its own cannot be "
            "tuned in the background, as the program may change them meanwhile; expected "
            "those of the template, or a call without `background`",
            kernel);
    }
    GT_TRY(gt_strdup(&out->kernel, kernel));
    GT_TRY(copy_sizes(&out->sizes, sizes));
    o->alignments = alignments;
    GT_TRY(copy_alignments(o));
    o->only = only;
    GT_TRY(copy_only(o));
    o->samples_path = samples;
    gputune_status status = copy_text(&o->samples_path);
    o->samples_path = status == GPUTUNE_OK ? o->samples_path : NULL;
    return status;
}

void gt_call_copy_free(gt_call_copy *copy)
{
    gputune_options *o = &copy->options;
    for (size_t i = 0; i < copy->sizes.count; i++) {
        free((char *)copy->sizes.items[i].name);
    }
    for (size_t i = 0; o->alignments && i < o->alignment_count; i++) {
        free((char *)o->alignments[i].buffer);
    }
    for (size_t i = 0; o->only && i < o->only_count; i++) {
        free((char *)o->only[i]);
    }
    free((gputune_size *)copy->sizes.items);
    free((gputune_alignment *)o->alignments);
    free((const char **)o->only);
    free((char *)o->samples_path);
    free(copy->kernel);
    *copy = (gt_call_copy){.kernel = NULL};
}

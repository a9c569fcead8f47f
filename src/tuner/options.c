/* Reads and checks the options of a call. */
#include "tuner/request.h"

#include "base/sized.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

gputune_status gt_options_read(gputune_options *out, const gputune_options *given)
{
    *out = (gputune_options)GPUTUNE_OPTIONS_INIT;
    return GT_SIZED_READ(gputune_options, out, given);
}

static gputune_status check_value(const char *name, int value, int count)
{
    GT_REFUSE((unsigned)value >= (unsigned)count, GPUTUNE_EINVAL, "%s is %d; expected a gputune_%s",
              name, value, name);
    return GPUTUNE_OK;
}

/* Checks a list. Each entry has `bytes` bytes and begins with a pointer to a text. */
static gputune_status check_list(const char *what, const void *items, size_t count, size_t bytes)
{
    GT_REFUSE(count && !items, GPUTUNE_EINVAL, "%s is NULL; expected its %zu entries", what, count);
    for (size_t i = 0; i < count; i++) {
        const char *text;
        memcpy(&text, (const char *)items + i * bytes, sizeof text);
        GT_REFUSE(!text, GPUTUNE_EINVAL, "%s: entry %zu is NULL, or has no name", what, i);
    }
    return GPUTUNE_OK;
}
#define CHECK_LIST(what, items, count) check_list(what, items, count, sizeof *(items))

/* Returns the buffer of option `i`: an alignment if `aligns`, else an input or a file. */
static const char *buffer_name(const gputune_options *o, bool aligns, size_t i)
{
    return aligns               ? o->alignments[i].buffer
           : i < o->input_count ? o->inputs[i].buffer
                                : o->files[i - o->input_count].buffer;
}

static gputune_status check_buffers(const gputune_options *o, bool aligns)
{
    const size_t count = aligns ? o->alignment_count : o->input_count + o->file_count;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *name = buffer_name(o, aligns, i);
            GT_REFUSE(strcmp(name, buffer_name(o, aligns, k)) == 0, GPUTUNE_EINVAL,
                      "%s of '%s' is given twice; expected it once",
                      aligns ? "the alignment" : "the data", name);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status check_lists(const gputune_options *o)
{
    GT_TRY(CHECK_LIST("alignments", o->alignments, o->alignment_count));
    GT_TRY(CHECK_LIST("inputs", o->inputs, o->input_count));
    GT_TRY(CHECK_LIST("only", o->only, o->only_count));
    GT_TRY(CHECK_LIST("files", o->files, o->file_count));
    GT_TRY(CHECK_LIST("start", o->start, o->start_count));
    for (size_t i = 0; i < o->input_count; i++) {
        const gputune_input *input = &o->inputs[i];
        GT_REFUSE(!input->data && input->bytes, GPUTUNE_EINVAL,
                  "inputs: the data of '%s' is NULL; expected %llu bytes", input->buffer,
                  (unsigned long long)input->bytes);
    }
    for (size_t i = 0; i < o->file_count; i++) {
        GT_REFUSE(!o->files[i].path, GPUTUNE_EINVAL, "files: the path of '%s' is NULL",
                  o->files[i].buffer);
    }
    const bool may_repeat = o->alignment_count > 1 || o->input_count + o->file_count > 1;
    GT_TRY(may_repeat ? check_buffers(o, true) : GPUTUNE_OK); /* keeps hits fast */
    return may_repeat ? check_buffers(o, false) : GPUTUNE_OK;
}

gputune_status gt_call_check(const char *kernel, gputune_sizes sizes,
                             const gputune_options *options)
{
    GT_REFUSE(!kernel, GPUTUNE_EINVAL, "the kernel's name is NULL");
    GT_TRY(CHECK_LIST("sizes", sizes.items, sizes.count));
    const gputune_options *o = options;
    GT_TRY(check_value("effort", (int)o->effort, GPUTUNE_EXHAUSTIVE + 1));
    GT_TRY(check_value("objective", (int)o->objective, GPUTUNE_OBJECTIVE_COUNT));
    GT_TRY(check_value("cache", (int)o->cache, GPUTUNE_CACHE_HOT + 1));
    GT_TRY(check_value("strategy", (int)o->strategy, GPUTUNE_STRATEGY_COUNT));
    GT_TRY(check_value("unseen", (int)o->unseen, GPUTUNE_RULE + 1));
    GT_TRY(check_lists(o));
    GT_REFUSE(!(o->time_limit_s >= 0), GPUTUNE_EINVAL, "time_limit_s is %g; expected 0 or more",
              o->time_limit_s);
    GT_REFUSE(!(o->epsilon >= 0 && o->epsilon < 1), GPUTUNE_EINVAL,
              "epsilon is %g; expected 0 or more, and less than 1", o->epsilon);
    GT_REFUSE(!(o->share >= 0 && o->share <= 1), GPUTUNE_EINVAL,
              "share is %g; expected a part of the GPU's time, 0 to 1", o->share);
    return GPUTUNE_OK;
}

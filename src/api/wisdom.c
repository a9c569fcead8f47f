/* Wisdom: winners as text, out of a tuner and into another; and whole databases. */
#include "api/asked.h"
#include "api/tuner.h"

#include "base/file.h"
#include "base/signals.h"
#include "base/versioned.h"
#include "store/store.h"
#include "store/wisdom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a filter asks for; *whole: with code, and with the fastest other trials. */
static gputune_status read_filter(gt_asked *out, bool *whole, gputune *tuner,
                                  const gputune_wisdom_filter *filter)
{
    static const gt_layouts layouts = {"gputune_wisdom_filter",
                                       GPUTUNE_WISDOM_FILTER_VERSION,
                                       {GT_BYTES_THROUGH(gputune_wisdom_filter, sizes),
                                        GT_BYTES_THROUGH(gputune_wisdom_filter, whole)}};
    gputune_wisdom_filter f = GPUTUNE_WISDOM_FILTER_INIT;
    GT_TRY(gt_versioned_read(&f, filter, &layouts));
    if (!f.gpu && !f.any_gpu && !tuner->has_device) {
        return gt_fail(GPUTUNE_EINVAL, "this tuner has no device; name a GPU, or set any_gpu");
    }
    *whole = f.whole;
    return gt_asked_find(out, tuner, f.kernel, f.gpu, f.any_gpu, f.sizes);
}

static int ignore_record(void *user, const gputune_record *record)
{
    (void)user, (void)record;
    return 0;
}

/* Nothing was found of what the filter names: whether it is the name of something. */
static gputune_status check_name(gputune *tuner, const char *kernel)
{
    const gputune_record_filter filter = {
        .version = GPUTUNE_RECORD_FILTER_VERSION, .kernel = kernel, .any_gpu = true};
    return gputune_records(tuner, &filter, ignore_record, NULL);
}

/* A call of the public function of that name. */
static gputune_status export_text(gt_text *out, uint32_t *count, gputune *tuner,
                                  const gputune_wisdom_filter *filter, const char *function)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_SCOPED(gt_asked_free) gt_asked asked = {.tuner = tuner};
    uint32_t found;
    bool whole;
    GT_TRY(gt_call_begin(&call, tuner, function));
    GT_TRY(read_filter(&asked, &whole, tuner, filter));
    GT_TRY(gt_store_export(out, &found, tuner->store, &asked.wanted, whole, NULL));
    if (!found && filter) {
        GT_TRY(check_name(tuner, filter->kernel));
    }
    if (count) {
        *count = found;
    }
    return GPUTUNE_OK;
}

int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                          const gputune_wisdom_filter *filter)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(export_text(&text, count, tuner, filter, __func__));
    return gt_text_take(out, &text);
}

static gputune_status write_text(const char *path, const gt_text *text)
{
    gt_held_signal held;
    gt_signal_hold(&held);
    FILE *file = fopen(path, "wbe");
    bool good = file && fwrite(text->data, 1, text->length, file) == text->length;
    if (file) {
        good = fclose(file) == 0 && good;
    }
    gt_signal_release(&held);
    return good ? GPUTUNE_OK : gt_fail(GPUTUNE_EIO, "cannot write '%s': %s", path, strerror(errno));
}

int gputune_wisdom_save(const char *path, uint32_t *count, gputune *tuner,
                        const gputune_wisdom_filter *filter)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(export_text(&text, count, tuner, filter, __func__));
    return write_text(path, &text);
}

static gputune_status read_options(gputune_wisdom_options *out, const gputune_wisdom_options *given)
{
    static const gt_layouts layouts = {"gputune_wisdom_options",
                                       GPUTUNE_WISDOM_OPTIONS_VERSION,
                                       {GT_BYTES_THROUGH(gputune_wisdom_options, keep)}};
    *out = (gputune_wisdom_options)GPUTUNE_WISDOM_OPTIONS_INIT;
    GT_TRY(gt_versioned_read(out, given, &layouts));
    return (uint32_t)out->trust <= GPUTUNE_TRUST_BOUND
               ? GPUTUNE_OK
               : gt_fail(GPUTUNE_EINVAL,
                         "wisdom options with trust %d, which is no value of its type",
                         (int)out->trust);
}

/* A call of the public function of that name. */
static gputune_status import_text(uint32_t *count, gputune *tuner, const char *text,
                                  const char *from, const gputune_wisdom_options *options,
                                  const char *function)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gputune_wisdom_options o;
    GT_TRY(read_options(&o, options));
    GT_TRY(gt_call_begin(&call, tuner, function));
    gt_wisdom_import import = {.trusted = o.trust == GPUTUNE_TRUST_BOUND,
                               .driver_version = tuner->device.driver_version,
                               .keep = o.keep,
                               .log = &tuner->log,
                               .from = from};
    gputune_status status = gt_store_import(&import, tuner->store, text, NULL);
    gt_plan_table_refresh(tuner->plans);
    if (status == GPUTUNE_OK && count) {
        *count = import.taken;
    }
    return status;
}

int gputune_wisdom_import(uint32_t *count, gputune *tuner, const char *text,
                          const gputune_wisdom_options *options)
{
    GT_TRY(gt_need(__func__, "text", text));
    return import_text(count, tuner, text, "the text", options, __func__);
}

int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                        const gputune_wisdom_options *options)
{
    static const size_t most_bytes = 512 << 20; /* 2 KB a winner */
    GT_FREED char *text = NULL;
    GT_TRY(gt_need(__func__, "path", path));
    GT_TRY(gt_need(__func__, "the tuner", tuner));
    GT_TRY(gt_file_read_most(&text, NULL, path, most_bytes));
    return import_text(count, tuner, text, path, options, __func__);
}

int gputune_merge(gputune_merged *out, gputune *tuner, const char *const *paths, size_t count)
{
    static const gt_layouts layouts = {"gputune_merged",
                                       GPUTUNE_MERGED_VERSION,
                                       {GT_BYTES_THROUGH(gputune_merged, taken_winners)}};
    GT_SCOPED(gt_call_end) gt_call call = {0};
    gt_merged merged;
    GT_TRY(gt_need(__func__, "out", out));
    for (size_t i = 0; i < count; i++) {
        GT_TRY(gt_need(__func__, "paths", paths ? paths[i] : NULL));
    }
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    GT_TRY(gt_store_merge(&merged, tuner->store, paths, count, NULL));
    gt_plan_table_refresh(tuner->plans);
    const gputune_merged known = {GPUTUNE_MERGED_VERSION, (uint64_t)merged.trials,
                                  (uint64_t)merged.winners, (uint64_t)merged.taken_trials,
                                  (uint64_t)merged.taken_winners};
    return gt_versioned_write(out, &known, &layouts);
}

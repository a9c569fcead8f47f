/* Wisdom: winners as text, out of a tuner and into another. */
#include "api/tuner.h"

#include "base/file.h"
#include "store/wisdom.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A filter with the environments of the tuner's GPU. */
typedef struct wanted {
    gt_wisdom_filter filter;
    char host[GT_ENVIRONMENT_MAX];
    const char *environments[2];
} wanted;

static gputune_status make_filter(wanted *out, gputune *tuner, const gputune_wisdom_filter *filter)
{
    const gputune_wisdom_filter standard = GPUTUNE_WISDOM_FILTER_INIT;
    const gputune_wisdom_filter *f = filter ? filter : &standard;
    if (f->version < 1 || f->version > GPUTUNE_WISDOM_FILTER_VERSION) {
        return gt_fail(GPUTUNE_EINVAL, "initialise the filter with GPUTUNE_WISDOM_FILTER_INIT");
    }
    if (!f->gpu && !f->any_gpu && !tuner->has_device) {
        return gt_fail(GPUTUNE_EINVAL, "this tuner has no device; name a GPU, or set any_gpu");
    }
    out->filter = (gt_wisdom_filter){.kernel = f->kernel, .gpu = f->gpu, .sizes = f->sizes};
    if (!f->gpu && !f->any_gpu) {
        GT_TRY(gt_tuner_host_environment(tuner, out->host));
        out->environments[0] = tuner->device.environment;
        out->environments[1] = out->host;
        out->filter.environments = out->environments;
        out->filter.environment_count = 2;
    }
    return GPUTUNE_OK;
}

static gputune_status export_text(gt_text *out, uint32_t *count, gputune *tuner,
                                  const gputune_wisdom_filter *filter)
{
    wanted wanted;
    uint32_t found;
    if (!tuner) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_wisdom_export: the tuner is NULL");
    }
    GT_TRY(make_filter(&wanted, tuner, filter));
    GT_TRY(gt_store_export(out, &found, tuner->store, &wanted.filter, NULL));
    if (count) {
        *count = found;
    }
    return GPUTUNE_OK;
}

int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                          const gputune_wisdom_filter *filter)
{
    gt_text text = {0};
    if (!out) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_wisdom_export: out is NULL");
    }
    gputune_status status = export_text(&text, count, tuner, filter);
    if (status == GPUTUNE_OK) {
        status = gt_text_take(out, &text);
    }
    gt_text_free(&text);
    return status;
}

static gputune_status write_text(const char *path, const gt_text *text)
{
    FILE *file = fopen(path, "wbe");
    bool good = file && fwrite(text->data, 1, text->length, file) == text->length;
    if (file) {
        good = fclose(file) == 0 && good;
    }
    return good ? GPUTUNE_OK : gt_fail(GPUTUNE_EIO, "cannot write '%s': %s", path, strerror(errno));
}

int gputune_wisdom_save(const char *path, uint32_t *count, gputune *tuner,
                        const gputune_wisdom_filter *filter)
{
    gt_text text = {0};
    if (!path) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_wisdom_save: path is NULL");
    }
    gputune_status status = export_text(&text, count, tuner, filter);
    if (status == GPUTUNE_OK) {
        status = write_text(path, &text);
    }
    gt_text_free(&text);
    return status;
}

static gputune_status import_text(uint32_t *count, gputune *tuner, const char *text,
                                  const char *from, const gputune_wisdom_options *options)
{
    const gputune_wisdom_options standard = GPUTUNE_WISDOM_OPTIONS_INIT;
    const gputune_wisdom_options *o = options ? options : &standard;
    if (o->version < 1 || o->version > GPUTUNE_WISDOM_OPTIONS_VERSION ||
        (uint32_t)o->trust > GPUTUNE_TRUST_BOUND) {
        return gt_fail(GPUTUNE_EINVAL, "initialise the options with GPUTUNE_WISDOM_OPTIONS_INIT");
    }
    gt_wisdom_import import = {.trusted = o->trust == GPUTUNE_TRUST_BOUND,
                               .driver_version = tuner->device.driver_version,
                               .keep = o->keep,
                               .log = &tuner->log,
                               .from = from};
    GT_TRY(gt_store_import(&import, tuner->store, text, NULL));
    gt_plan_table_refresh(tuner->plans);
    if (count) {
        *count = import.taken;
    }
    return GPUTUNE_OK;
}

int gputune_wisdom_import(uint32_t *count, gputune *tuner, const char *text,
                          const gputune_wisdom_options *options)
{
    if (!tuner || !text) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_wisdom_import: tuner or text is NULL");
    }
    return import_text(count, tuner, text, "the text", options);
}

int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                        const gputune_wisdom_options *options)
{
    char *text;
    if (!tuner || !path) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_wisdom_load: tuner or path is NULL");
    }
    GT_TRY(gt_file_read(&text, NULL, path));
    int status = import_text(count, tuner, text, path, options);
    free(text);
    return status;
}

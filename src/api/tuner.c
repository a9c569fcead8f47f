#include "api/tuner.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const char *gputune_version(void)
{
    return GPUTUNE_VERSION_STRING;
}

/* --- the farm ----------------------------------------------------------------------------------
 */

static gputune_status start_farm(gt_farm **out, const gputune *tuner, bool measure,
                                 gputune_isolation isolation)
{
    const gt_farm_options options = {.worker = tuner->worker,
                                     .driver = measure ? tuner->driver_name : NULL,
                                     .device_uuid = tuner->device.uuid,
                                     .device_ordinal = tuner->device.ordinal,
                                     .compile_workers = tuner->compile_workers,
                                     .driver_version = tuner->device.driver_version,
                                     .arch = tuner->driver ? tuner->device.arch : NULL,
                                     .isolation = isolation,
                                     .log = tuner->log};
    return gt_farm_open(out, &options);
}

static gputune_status get_farm(void *user, gt_farm **out, bool measure, gputune_isolation isolation)
{
    gputune *tuner = user;
    gt_farm **farm = measure || tuner->farm ? &tuner->farm : &tuner->compile_farm;
    if (measure && !tuner->driver) {
        return gt_fail(GPUTUNE_EUNSUPPORTED, "this tuner was opened without a device");
    }
    if (!*farm) {
        GT_TRY(start_farm(farm, tuner, measure, isolation));
    }
    *out = *farm;
    return GPUTUNE_OK;
}

/* --- opening -----------------------------------------------------------------------------------
 */

static gputune_status choose_driver(gputune *tuner, const gputune_open_options *o)
{
    const char *name = o->driver ? o->driver : getenv("GPUTUNE_DRIVER");
    gputune_status status = gt_driver_open(&tuner->driver, name ? name : "cuda");
    if (status == GPUTUNE_ENODRIVER && !name && o->emulate_without_gpu) {
        name = "emu";
        status = gt_driver_open(&tuner->driver, name);
    }
    GT_TRY(status);
    return gt_strdup(&tuner->driver_name, name ? name : "cuda");
}

static gputune_status choose_device(gputune *tuner, const gputune_open_options *o)
{
    int ordinal;
    if (o->device && strcmp(o->device, "none") == 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(choose_driver(tuner, o));
    GT_TRY(gt_device_find(&ordinal, tuner->driver, o->device));
    return gt_device_query(&tuner->device, tuner->driver, ordinal);
}

/* The tables that an installation brings, or NULL. */
static char *system_database(void)
{
    char *own, *path = NULL;
    if (gt_file_own_folder(&own) != GPUTUNE_OK) {
        return NULL;
    }
    if (gt_path_format(&path, "%s/../share/gputune/gputune.db", own) != GPUTUNE_OK) {
        path = NULL;
    }
    free(own);
    if (path && !gt_file_exists(path)) {
        free(path);
        path = NULL;
    }
    return path;
}

static gputune_status open_parts(gputune *tuner, const gputune_open_options *o)
{
    GT_TRY(choose_device(tuner, o));
    GT_TRY(gt_catalog_open(&tuner->catalog, o->templates, &tuner->log));
    GT_TRY(gt_plan_table_new(&tuner->plans));
    if (o->worker) {
        GT_TRY(gt_strdup(&tuner->worker, o->worker));
    }
    char *system = system_database();
    gputune_status status = gt_store_open(&tuner->store, o->database, system, &tuner->log);
    free(system);
    return status;
}

int gputune_open(gputune **out, const gputune_open_options *options)
{
    const gputune_open_options standard = GPUTUNE_OPEN_OPTIONS_INIT;
    const gputune_open_options *o = options ? options : &standard;
    if (!out || o->version != GPUTUNE_OPEN_OPTIONS_VERSION) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_open: initialise the options with "
                                       "GPUTUNE_OPEN_OPTIONS_INIT");
    }
    gputune *tuner = calloc(1, sizeof *tuner);
    if (!tuner) {
        return gt_fail_memory();
    }
    pthread_mutex_init(&tuner->tuning, NULL);
    tuner->log = (gt_log){o->log, o->user};
    tuner->compile_workers = o->compile_workers;
    tuner->keep_workers = o->keep_workers;
    gputune_status status = open_parts(tuner, o);
    if (status != GPUTUNE_OK) {
        gputune_close(tuner);
        return status;
    }
    tuner->services = (gt_services){.catalog = tuner->catalog,
                                    .store = tuner->store,
                                    .device = &tuner->device,
                                    .log = tuner->log,
                                    .farm = get_farm,
                                    .inputs = gt_inputs_share,
                                    .release = gt_inputs_release,
                                    .user = tuner};
    *out = tuner;
    return GPUTUNE_OK;
}

void gt_tuner_rest(gputune *tuner)
{
    if (tuner->farm && !tuner->keep_workers) {
        tuner->farm->ops->rest(tuner->farm);
    }
}

static void close_farm(gt_farm *farm)
{
    if (farm) {
        farm->ops->close(farm);
    }
}

void gputune_close(gputune *tuner)
{
    if (!tuner) {
        return;
    }
    close_farm(tuner->farm);
    close_farm(tuner->compile_farm);
    gt_plan_table_free(tuner->plans);
    gt_store_close(tuner->store);
    gt_catalog_close(tuner->catalog);
    pthread_mutex_destroy(&tuner->tuning);
    free(tuner->driver_name);
    free(tuner->worker);
    free(tuner);
}

int gputune_add_template(gputune *tuner, const char *path)
{
    if (!tuner || !path) {
        return gt_fail(GPUTUNE_EINVAL, "gputune_add_template: tuner or path is NULL");
    }
    GT_TRY(gt_catalog_add(tuner->catalog, path));
    atomic_fetch_add(&tuner->generation, 1);
    return GPUTUNE_OK;
}

gputune_status gt_tuner_arch(gt_device *out, const gputune *tuner, const char *arch)
{
    if (arch) {
        return gt_device_for_arch(out, arch);
    }
    if (!tuner->driver) {
        return gt_fail(GPUTUNE_EINVAL, "no device is open; name an architecture such as sm_90");
    }
    *out = tuner->device;
    return GPUTUNE_OK;
}

/* A tuner with a scripted farm and a stopped clock, for tests of whole requests. */
#pragma once

#include "gpu/device.h"
#include "support/clock.h"
#include "support/folder.h"
#include "support/scripted_farm.h"
#include "support/test.h"
#include "tuner/tune.h"

static const char template_text[] =
    "// scale: y[i] = a * x[i]\n"
    "#pragma gputune kernel(scale)\n"
    "#pragma gputune problem(n = 4096)\n"
    "#pragma gputune args(out float y[n], in float x[n], float a = 2, size_t n)\n"
    "#pragma gputune tune(BLOCK = %s)\n"
    "#pragma gputune default(BLOCK = 128)\n"
    "#pragma gputune block(BLOCK)\n"
    "#pragma gputune grid(ceil_div(n, BLOCK))\n"
    "#pragma gputune reference(scale_reference, block = 256, grid = ceil_div(n, 256), rtol = "
    "1e-6)\n"
    "__global__ void scale(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = blockIdx.x * (size_t)BLOCK + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i];\n"
    "}\n"
    "__global__ void scale_reference(float *y, const float *x, float a, size_t n) {\n"
    "    size_t i = blockIdx.x * 256ul + threadIdx.x;\n"
    "    if (i < n) y[i] = a * x[i];\n"
    "}\n";

typedef struct world {
    char *folder, path[96];
    gt_catalog *catalog;
    gt_store *store;
    gt_device device;
    gt_services services;
    scripted_farm farm;
    scripted_variant by_block[1025];
    gt_workers workers;
    gt_gpu_right gpu;
    gt_choice choice;
    char config[64];
} world;

static scripted_variant behave(void *user, const gt_launch *launch)
{
    return ((world *)user)->by_block[launch->steps[0].block[0]];
}

static gputune_status give_input(void *user, gt_live_input *out, const gputune_input *input)
{
    return GPUTUNE_OK;
}

static gputune_status wait_for_inputs(void *user, const gputune_options *options)
{
    return GPUTUNE_OK;
}

static inline void write_template(world *w, const char *blocks)
{
    file_write(w->path, template_text, blocks);
}

/* Sets a member of every variant to a value that may depend on `block`. */
#define SET_EACH(w, member, value)                                                                 \
    for (int block = 0; block <= 1024; block++) {                                                  \
        (w)->by_block[block].member = (value);                                                     \
    }

/* Sets the times of each variant's samples and of its first launch. */
#define SET_TIMES(w, value)                                                                        \
    for (int block = 0; block <= 1024; block++) {                                                  \
        (w)->by_block[block].time_ns = (w)->by_block[block].pilot_ns = (value);                    \
    }

/* Writes the template with `count` values of BLOCK: `step`, 2 * `step`, and so on. */
static inline void write_blocks(world *w, int count, int step)
{
    char blocks[2048];
    size_t length = 0;
    for (int i = 1; i <= count; i++) {
        length += (size_t)snprintf(blocks + length, sizeof blocks - length, "%s%d",
                                   i > 1 ? ", " : "", i * step);
        assert_true(length < sizeof blocks);
    }
    write_template(w, blocks);
}

static void set_device(gt_device *device)
{
    ASSERT_OK(gt_device_for_arch(device, "sm_90"));
    (void)snprintf(device->name, sizeof device->name, "Test GPU");
    (void)snprintf(device->uuid, sizeof device->uuid, "GPU-0");
    (void)snprintf(device->origin, sizeof device->origin, "cuda");
    (void)snprintf(device->environment, sizeof device->environment,
                   "0123456789abcdef0123456789abcdef");
}

static inline int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
    clock_stand();
    w->folder = folder_make();
    snprintf(w->path, sizeof w->path, "%s/scale.cu", w->folder);
    write_template(w, "64, 128, 256, 512");
    ASSERT_OK(gt_catalog_open(&w->catalog, NULL, NULL));
    ASSERT_OK(gt_store_open(&w->store, ":memory:", NULL, NULL, false));
    set_device(&w->device);
    SET_EACH(w, time_ns, 1000);
    w->by_block[64].time_ns = 2500;
    w->by_block[256].time_ns = 800;
    w->farm.behave = behave;
    w->farm.user = w;
    scripted_farm_open(&w->farm);
    scripted_workers_open(&w->workers, &w->farm);
    w->services = (gt_services){.catalog = w->catalog,
                                .store = w->store,
                                .workers = &w->workers,
                                .gpu = &w->gpu,
                                .input = give_input,
                                .wait_for_inputs = wait_for_inputs,
                                .user = w};
    *state = w;
    return 0;
}

static inline int close_world(void **state)
{
    world *w = *state;
    gt_choice_free(&w->choice);
    scripted_workers_close(&w->workers);
    scripted_farm_close(&w->farm);
    gt_store_close(w->store);
    gt_catalog_close(w->catalog);
    folder_remove(w->folder);
    free(w);
    return 0;
}

/* Makes every launch take the same time on the host, independently of its time on the device. */
static inline void launches_cost_the_host(world *w)
{
    SET_EACH(w, host_ns, 3000);
    w->farm.noise = 0.01;
}

static inline gt_request *request_for(world *w, const gputune_options *options)
{
    gt_request *request;
    ASSERT_OK(
        gt_request_make(&request, &w->services, &w->device, w->path, GPUTUNE_NO_SIZES, options));
    return request;
}

static inline gt_trial_list trials_of(world *w)
{
    gt_trial_list list;
    gt_request *request = request_for(w, NULL);
    ASSERT_OK(gt_store_trials(&list, w->store, &request->scenario, w->device.driver_version, NULL));
    gt_request_free(request);
    return list;
}

/* Tunes at this size, or at the template's if `n` is 0, and returns the status. Sets w->choice and
 * w->config, which is "" on failure. */
static inline gputune_status tune_at(world *w, int64_t n, const gputune_options *options)
{
    const gputune_size size = {"n", n};
    gt_request *request;
    w->config[0] = '\0';
    gt_choice_free(&w->choice);
    gputune_status status = gt_request_make(&request, &w->services, &w->device, w->path,
                                            (gputune_sizes){n != 0, &size}, options);
    if (status != GPUTUNE_OK) {
        return status;
    }
    status = gt_tune(&w->choice, request);
    if (status == GPUTUNE_OK) {
        GT_FREED char *text = NULL;
        ASSERT_OK(gt_config_text(&text, request->template, &w->choice.config));
        snprintf(w->config, sizeof w->config, "%s", text);
    }
    gt_request_free(request);
    return status;
}

static inline gputune_status tune(world *w, const gputune_options *options)
{
    return tune_at(w, 0, options);
}

static inline void expect_answer(world *w, int64_t n, const gputune_options *options,
                                 gputune_source source, const char *config)
{
    ASSERT_OK(tune_at(w, n, options));
    assert_string_equal(w->config, config);
    assert_string_equal(gputune_source_name(w->choice.source), gputune_source_name(source));
}

/* Like tune(), but must succeed. Returns the chosen configuration. */
static inline const char *tuned(world *w, const gputune_options *options)
{
    ASSERT_OK(tune(w, options));
    return w->config;
}

static inline const char *tuned_for(world *w, gputune_objective objective)
{
    return tuned(w, &OPTIONS(.objective = objective));
}

/* Returns the path of a file in the test's folder, valid until the next call. */
static inline const char *path_in(const world *w, const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return path;
}

static inline int block_of(const char *text)
{
    const char *at = strstr(text, "#define BLOCK ");
    return at ? (int)strtol(at + strlen("#define BLOCK "), NULL, 10) : 0;
}

/* Keeps the first 256 bytes of the last warning. */
static inline void keep_warning(void *user, gputune_log_level level, const char *line)
{
    if (level == GPUTUNE_LOG_WARNING) {
        snprintf(user, 256, "%s", line);
    }
}

static inline uint32_t lines_with(const char *path, const char *text)
{
    char line[256];
    uint32_t count = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        count += strstr(line, text) != NULL;
    }
    fclose(file);
    return count;
}

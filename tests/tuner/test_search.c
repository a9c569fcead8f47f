/* The way of a request with a scripted farm: what wins, what is stored, what is not tried again. */
#include "gpu/device.h"
#include "support/folder.h"
#include "support/scripted_farm.h"
#include "tuner/tune.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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
} world;

static scripted_variant behave(void *user, const gt_launch *launch)
{
    return ((world *)user)->by_block[launch->geometry.block[0]];
}

static gputune_status give_farm(void *user, gt_farm **out, bool measure,
                                gputune_isolation isolation)
{
    (void)measure;
    (void)isolation;
    *out = &((world *)user)->farm.farm;
    return GPUTUNE_OK;
}

static gputune_status give_inputs(void *user, const gt_workload *workload,
                                  const gputune_options *options, gt_measure_setup *setup)
{
    (void)user;
    (void)workload;
    (void)options;
    (void)setup;
    return GPUTUNE_OK;
}

static void write_template(world *w, const char *blocks)
{
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    fprintf(file, template_text, blocks);
    fclose(file);
}

static void set_device(gt_device *device)
{
    assert_int_equal(gt_device_for_arch(device, "sm_90"), GPUTUNE_OK);
    (void)snprintf(device->name, sizeof device->name, "Test GPU");
    (void)snprintf(device->uuid, sizeof device->uuid, "GPU-0");
    (void)snprintf(device->origin, sizeof device->origin, "cuda");
    (void)snprintf(device->environment, sizeof device->environment,
                   "0123456789abcdef0123456789abcdef");
}

static int open_world(void **state)
{
    world *w = calloc(1, sizeof *w);
    setenv("GPUTUNE_TEMPLATES", "templates", 0);
    w->folder = folder_make();
    snprintf(w->path, sizeof w->path, "%s/scale.cu", w->folder);
    write_template(w, "64, 128, 256, 512");
    assert_int_equal(gt_catalog_open(&w->catalog, NULL, NULL), GPUTUNE_OK);
    assert_int_equal(gt_store_open(&w->store, ":memory:", NULL, NULL), GPUTUNE_OK);
    set_device(&w->device);
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i].time_ns = 1000;
    }
    w->by_block[64].time_ns = 2500;
    w->by_block[256].time_ns = 800;
    w->farm.behave = behave;
    w->farm.user = w;
    scripted_farm_open(&w->farm);
    w->services = (gt_services){.catalog = w->catalog,
                                .store = w->store,
                                .device = &w->device,
                                .farm = give_farm,
                                .inputs = give_inputs,
                                .user = w};
    *state = w;
    return 0;
}

static int close_world(void **state)
{
    world *w = *state;
    scripted_farm_close(&w->farm);
    gt_store_close(w->store);
    gt_catalog_close(w->catalog);
    folder_remove(w->folder);
    free(w);
    return 0;
}

/* Tunes and returns the status; the configuration's text in `config` ("" on failure). */
static gputune_status tune(world *w, gt_choice *choice, char *config,
                           const gputune_options *options)
{
    gt_request *request;
    config[0] = '\0';
    gputune_status status = gt_request_make(&request, &w->services, &w->device, w->path,
                                            (gputune_sizes){0, NULL}, options);
    if (status != GPUTUNE_OK) {
        return status;
    }
    status = gt_tune(choice, request);
    if (status == GPUTUNE_OK) {
        char *text;
        assert_int_equal(gt_config_text(&text, request->template, &choice->config), GPUTUNE_OK);
        snprintf(config, 64, "%s", text);
        free(text);
    }
    gt_request_free(request);
    return status;
}

static void test_fastest_wins(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=256");
    assert_int_equal(choice.source, GPUTUNE_SOURCE_MEASURED);
    assert_float_equal(choice.speedup, 1.25, 0.01);
    assert_int_equal(choice.variants, 4);
    gt_choice_free(&choice);
}

static void test_second_call_measures_nothing(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    gt_choice_free(&choice);
    uint32_t samples = w->farm.samples, compiles = w->farm.compiles;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(choice.source, GPUTUNE_SOURCE_CACHED);
    assert_string_equal(config, "BLOCK=256");
    assert_int_equal(w->farm.samples, samples);
    assert_int_equal(w->farm.compiles, compiles);
    assert_float_equal(choice.time_ns, 800, 1);
    assert_float_equal(choice.default_ns, 1000, 1);
    gt_choice_free(&choice);
}

static void test_records_name_their_compiler(void **state)
{
    world *w = *state;
    gt_choice choice;
    gt_request *request;
    gt_winner winner;
    gt_trial_list list;
    char config[64];
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    gt_choice_free(&choice);
    assert_int_equal(
        gt_request_make(&request, &w->services, &w->device, w->path, GPUTUNE_NO_SIZES, NULL),
        GPUTUNE_OK);
    assert_int_equal(
        gt_store_find_winner(&winner, w->store, request->environment, &request->scenario),
        GPUTUNE_OK);
    assert_int_equal(winner.nvrtc_version, 12080);
    assert_int_equal(winner.code.nvrtc_version, 12080);
    gt_winner_free(&winner);
    assert_int_equal(gt_store_trials(&list, w->store, request->environment, &request->scenario,
                                     w->device.driver_version, 0),
                     GPUTUNE_OK);
    assert_int_equal(list.count, 4);
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i].nvrtc_version, 12080);
    }
    gt_trial_list_free(&list);
    gt_request_free(request);
}

static void test_new_value_races_only_what_is_new(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    gt_choice_free(&choice);
    write_template(w, "64, 128, 256, 512, 1024");
    w->by_block[1024].time_ns = 500;
    uint32_t verifies = w->farm.verifies;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=1024");
    assert_int_equal(w->farm.verifies - verifies, 3); /* default, champion, the new one */
    gt_choice_free(&choice);
}

/* WAVES has no say at this size: 4096 elements are fewer blocks than either value allows. */
static void test_equal_launches_are_tried_once(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64], *text = strdup(template_text);
    const char *blocks = strstr(text, "BLOCK = %s)");
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    fprintf(file, "%.*sBLOCK = 128, 256)\n#pragma gputune tune(WAVES = 1000, 2000)\n",
            (int)(blocks - text), text);
    fprintf(file,
            "#pragma gputune default(BLOCK = 128, WAVES = 2000)\n"
            "#pragma gputune block(BLOCK)\n"
            "#pragma gputune grid(min(ceil_div(n, BLOCK), WAVES))\n%s",
            strstr(text, "#pragma gputune reference"));
    fclose(file);
    free(text);
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=256 WAVES=1000");
    assert_int_equal(choice.variants, 4);
    assert_int_equal(w->farm.verifies, 2);
    gt_choice_free(&choice);
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(choice.source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(w->farm.verifies, 2);
    gt_choice_free(&choice);
}

/* Four variants of one source, which all wait for it. */
static void test_the_default_is_verified_first(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64], *text = strdup(template_text), *block = strstr(text, "(size_t)BLOCK");
    FILE *file = fopen(w->path, "w");
    assert_non_null(file);
    assert_non_null(block);
    memcpy(block, "blockDim.x   ", 13);
    fprintf(file, text, "64, 128, 256, 512");
    fclose(file);
    free(text);
    w->farm.first_verified = 99;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(w->farm.first_verified, 0);
    assert_int_equal(w->farm.launches.items[0].geometry.block[0], 128);
    gt_choice_free(&choice);
}

static void test_bad_variants_cost_only_themselves(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->by_block[256].verify = GPUTUNE_ECRASHED;
    w->by_block[512].sample = GPUTUNE_ETIMEOUT;
    w->by_block[64].verify = GPUTUNE_EWRONG;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=128");
    assert_int_equal(choice.failed, 3);
    gt_choice_free(&choice);
}

static void test_a_hang_is_believed_the_second_time(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->by_block[256].verify = GPUTUNE_ETIMEOUT;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=128");
    assert_int_equal(w->farm.patient_verifies, 1);
    assert_int_equal(choice.failed, 1);
    gt_choice_free(&choice);
    write_template(w, "32, 64, 128, 256, 512");
    uint32_t verifies = w->farm.verifies;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(w->farm.patient_verifies, 1);    /* remembered */
    assert_int_equal(w->farm.verifies - verifies, 3); /* default, the tied one, the new one */
    gt_choice_free(&choice);
}

static void test_what_was_held_up_once_races_after_all(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->by_block[256].hangs_once = true;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=256");
    assert_int_equal(choice.failed, 0);
    gt_choice_free(&choice);
}

static void test_wrong_at_the_end_gives_the_next_best(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->by_block[256].recheck = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=512");
    gt_choice_free(&choice);
}

static void test_a_winner_by_time_limit_is_checked_too(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.time_limit_s = 0.05;
    w->farm.round_ns = 30000000;
    w->by_block[256].recheck = GPUTUNE_EWRONG;
    w->by_block[512].time_ns = 900;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=512");
    assert_non_null(strstr(choice.stop_reason, "time was up"));
    gt_choice_free(&choice);
}

static void test_all_wrong_is_said(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i].verify = GPUTUNE_EWRONG;
    }
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_EWRONG);
    assert_non_null(strstr(gt_message(), "no variant works"));
}

static void test_failures_are_remembered(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->by_block[64].verify = GPUTUNE_ECRASHED;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    gt_choice_free(&choice);
    write_template(w, "32, 64, 128, 256, 512");
    uint32_t verifies = w->farm.verifies;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(w->farm.verifies - verifies, 3); /* not the one that crashed */
    gt_choice_free(&choice);
}

static void test_broken_reference_is_the_templates_error(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->farm.prepare = GPUTUNE_ETEMPLATE;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_ETEMPLATE);
}

static void test_no_memory_gives_the_default(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->farm.prepare = GPUTUNE_EDEVMEM;
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_int_equal(choice.source, GPUTUNE_SOURCE_DEFAULT);
    assert_string_equal(config, "BLOCK=128");
    gt_choice_free(&choice);
}

static void test_cached_only_never_measures(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.effort = GPUTUNE_CACHED_ONLY;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    assert_int_equal(choice.source, GPUTUNE_SOURCE_DEFAULT);
    assert_int_equal(w->farm.samples, 0);
    gt_choice_free(&choice);
}

static void test_equal_times_are_a_tie_for_the_default(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    w->farm.noise = 0.01;
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i].time_ns = 1000;
    }
    assert_int_equal(tune(w, &choice, config, NULL), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=128");
    assert_true(choice.tie);
    gt_choice_free(&choice);
}

/* A program that loses its core for a moment doubles a sample by the host's clock. */
static void test_a_stumble_of_the_host_sends_nobody_home(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.objective = GPUTUNE_OBJECTIVE_LAUNCH;
    w->farm.noise = 0.01;
    w->by_block[256].stumble = 3;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=256");
    gt_choice_free(&choice);
}

static void test_cancel_keeps_the_default(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    volatile int cancel = 1;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.cancel = &cancel;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    assert_int_equal(choice.source, GPUTUNE_SOURCE_DEFAULT);
    gt_choice_free(&choice);
}

static void test_energy_is_weighed_among_the_fastest_only(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.objective = GPUTUNE_OBJECTIVE_ENERGY;
    for (int i = 0; i <= 1024; i++) {
        w->by_block[i].energy_nj = 900;
    }
    w->by_block[512].time_ns = 800; /* as fast as 256, and thriftier */
    w->by_block[256].energy_nj = 500;
    w->by_block[512].energy_nj = 400;
    w->by_block[64].energy_nj = 1; /* slow: never weighed */
    w->farm.noise = 0.01;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    assert_string_equal(config, "BLOCK=512");
    assert_true(choice.time_ns > 399 && choice.time_ns < 410);
    assert_true(w->farm.weighings > 0 && w->farm.weighings < w->farm.samples);
    gt_choice_free(&choice);
}

static void test_unknown_names_are_refused_with_the_nearest(void **state)
{
    world *w = *state;
    gt_request *request;
    assert_int_equal(
        gt_request_make(&request, &w->services, &w->device, w->path, GPUTUNE_SIZES({"m", 5}), NULL),
        GPUTUNE_EINVAL);
    assert_int_equal(
        gt_request_make(&request, &w->services, &w->device, "axpi", GPUTUNE_NO_SIZES, NULL),
        GPUTUNE_ENOTFOUND);
    assert_non_null(strstr(gt_message(), "axpy"));
}

/* Also where the stored result would answer without a look at them. */
static void test_inputs_of_another_size_are_refused(void **state)
{
    world *w = *state;
    gt_choice choice;
    char config[64];
    static const float data[4096];
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_input input = {"x", data, sizeof data, true};
    options.inputs = &input;
    options.input_count = 1;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_OK);
    gt_choice_free(&choice);
    input.bytes -= 4;
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_EINVAL);
    assert_non_null(strstr(gt_message(), "'x': expected 16384 bytes"));
    input.buffer = "z";
    assert_int_equal(tune(w, &choice, config, &options), GPUTUNE_EINVAL);
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_fastest_wins),
        IN_WORLD(test_second_call_measures_nothing),
        IN_WORLD(test_records_name_their_compiler),
        IN_WORLD(test_new_value_races_only_what_is_new),
        IN_WORLD(test_equal_launches_are_tried_once),
        IN_WORLD(test_the_default_is_verified_first),
        IN_WORLD(test_bad_variants_cost_only_themselves),
        IN_WORLD(test_a_hang_is_believed_the_second_time),
        IN_WORLD(test_what_was_held_up_once_races_after_all),
        IN_WORLD(test_wrong_at_the_end_gives_the_next_best),
        IN_WORLD(test_a_winner_by_time_limit_is_checked_too),
        IN_WORLD(test_all_wrong_is_said),
        IN_WORLD(test_failures_are_remembered),
        IN_WORLD(test_broken_reference_is_the_templates_error),
        IN_WORLD(test_no_memory_gives_the_default),
        IN_WORLD(test_cached_only_never_measures),
        IN_WORLD(test_equal_times_are_a_tie_for_the_default),
        IN_WORLD(test_a_stumble_of_the_host_sends_nobody_home),
        IN_WORLD(test_cancel_keeps_the_default),
        IN_WORLD(test_energy_is_weighed_among_the_fastest_only),
        IN_WORLD(test_inputs_of_another_size_are_refused),
        IN_WORLD(test_unknown_names_are_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

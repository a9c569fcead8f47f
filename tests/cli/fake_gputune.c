/* Implements gputune.h with canned answers, so the command line prints the same on every machine.
 * The words in GPUTUNE_FAKE change the answers: "nogpu", "noemulator", "nonvrtc", "wrong",
 * "broken", "crash", "busy", "baddb", "empty", "interrupt", "hangup", "part", "bad-default",
 * "race", "limit" (the search stopped at its limit), "restricted" (a second, faster winner of a
 * restricted space), "hostile" (HTML in names and messages), "escapes" (terminal escape sequences
 * in names), "many" (10^5 trials), "equal" (the winner is as fast as the default), "nothing" (there
 * is nothing to launch), "untimed" (the default has no time), "exit" (the process ends with code 3
 * while it tunes), "energy" (the records are energies), "rules" (two rules are stored), "stored"
 * (nothing is tuned). */
#include <gputune_tools.h>

#include "base/status.h"
#include "base/text.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gputune {
    bool has_device, emulated;
    char added[256];
};
struct gputune_plan {
    gputune_info info;
    char configuration[64], reason[64];
};

static const char default_configuration[] = "VEC=1 BLOCK=256 UNROLL=1";
static const char best_configuration[] = "VEC=4 BLOCK=128 UNROLL=2";

static bool fake(const char *word)
{
    const char *words = getenv("GPUTUNE_FAKE");
    return words && strstr(words, word);
}

const char *gputune_version(void)
{
    return GPUTUNE_VERSION_STRING;
}

const char *gputune_objective_name(gputune_objective objective)
{
    static const char *const names[] = {"default", "kernel", "launch", "latency", "energy", "rate"};
    return names[objective];
}

const char *gputune_strategy_name(gputune_strategy strategy)
{
    static const char *const names[] = {"auto", "exhaustive", "random", "model", "local"};
    return names[strategy];
}

int gputune_misses(const char *path, int (*each)(void *user, const gputune_miss *miss), void *user)
{
    gputune_miss miss = {.size = sizeof(gputune_miss),
                         .count = 3,
                         .kernel = "axpy",
                         .sizes = "n=4096",
                         .objective = GPUTUNE_OBJECTIVE_KERNEL,
                         .alignment = "16",
                         .inputs = "seed=1",
                         .only = "",
                         .gpu = "GPU",
                         .environment = "e"};
    return strstr(path, "absent") ? gt_fail(GPUTUNE_ENOTFOUND, "cannot open %s", path)
                                  : each(user, &miss);
}

int gputune_wisdom_export(char **out, uint32_t *count, gputune *tuner,
                          const gputune_record_filter *filter, bool whole)
{
    *count = 1;
    *out = strdup("wisdom\n");
    return *out ? 0 : GPUTUNE_ENOMEM;
}

int gputune_wisdom_load(uint32_t *count, gputune *tuner, const char *path,
                        const gputune_wisdom_options *options)
{
    *count = 1;
    return strstr(path, "absent") ? gt_fail(GPUTUNE_ENOTFOUND, "cannot open %s", path) : 0;
}

int gputune_merge(gputune_merged *out, gputune *tuner, const char *const *paths, size_t count)
{
    return gt_fail(GPUTUNE_EUNSUPPORTED, "canned answers cannot be merged");
}

int gputune_open(gputune **out, const gputune_open_options *options)
{
    const char *device = options->device, *driver = options->driver;
    bool none = device && strcmp(device, "none") == 0;
    bool emulated = (driver && strncmp(driver, "emu", 3) == 0) ||
                    (fake("nogpu") && options->emulate_without_gpu && !fake("noemulator"));
    if (!none && !emulated && fake("nogpu")) {
        return gt_fail(GPUTUNE_ENODRIVER, "no CUDA driver was found; searched libcuda.so.1");
    }
    if (fake("baddb") && options->log) {
        options->log(options->user, GPUTUNE_LOG_WARNING,
                     "the database 'x.db' is read-only: results are kept in memory only");
    }
    gputune *tuner = calloc(1, sizeof *tuner);
    if (!tuner) {
        return gt_fail_memory();
    }
    tuner->has_device = !none;
    tuner->emulated = emulated;
    *out = tuner;
    return 0;
}

void gputune_free(void *memory)
{
    free(memory);
}

void gputune_close(gputune *tuner)
{
    free(tuner);
}

static void fill_device(gputune_device *out, bool emulated)
{
    *out = (gputune_device){.size = sizeof(gputune_device),
                            .uuid = "GPU-00000000-0000-0000-0000-000000000001",
                            .arch = "sm_90",
                            .environment = "cc90-sm132",
                            .compute_capability = 90,
                            .sm_count = 132,
                            .memory_bytes = INT64_C(150000000000),
                            .l2_bytes = 62914560,
                            .shared_per_sm_bytes = 233472,
                            .shared_optin_bytes = 232448,
                            .memory_clock_khz = 3201000,
                            .sm_clock_khz = 1980000,
                            .bus_width_bits = 6144,
                            .max_cluster = 16,
                            .max_parameter_bytes = 32764,
                            .driver_version = 13000,
                            .nvrtc_version = 13000,
                            .peak_bytes_per_s = 4.9e12,
                            .emulated = emulated};
    snprintf(out->name, sizeof out->name, "%s", emulated ? "emulated Test 9000" : "Test 9000");
}

int gputune_tuner_device(gputune_device *out, gputune *tuner)
{
    if (!tuner->has_device) {
        return gt_fail(GPUTUNE_EUNSUPPORTED, "this tuner has no device");
    }
    fill_device(out, tuner->emulated);
    return 0;
}

int gputune_devices(const char *driver, int (*each)(void *user, const gputune_device *device),
                    void *user)
{
    bool emulated = driver && strncmp(driver, "emu", 3) == 0;
    if (fake("nogpu") && !emulated) {
        return gt_fail(GPUTUNE_ENODRIVER, "no CUDA driver was found; searched libcuda.so.1");
    }
    gputune_device device;
    fill_device(&device, emulated);
    return each(user, &device);
}

int gputune_device_count(int *out, const char *driver)
{
    *out = 1;
    return 0;
}

int gputune_add_template(gputune *tuner, const char *path)
{
    if (strstr(path, "broken")) {
        return gt_fail(GPUTUNE_ETEMPLATE, "%s:3:9: unknown word 'tunee'; expected tune", path);
    }
    snprintf(tuner->added, sizeof tuner->added, "%s", path);
    return 0;
}

int gputune_kernels(gputune *tuner, const char *kernel,
                    int (*each)(void *user, const gputune_kernel *kernel), void *user)
{
    const int status = kernel && strchr(kernel, '/') ? gputune_add_template(tuner, kernel) : 0;
    if (status < 0) {
        return status;
    }
    const gputune_kernel kernels[] = {
        {sizeof(gputune_kernel), "axpy", "templates/axpy.cu", "axpy: y[i] += a * x[i]",
         "n=67108864", "VEC=1,2,4 BLOCK=64,128,256 UNROLL=1,2", GPUTUNE_OBJECTIVE_KERNEL, false,
         false},
        {sizeof(gputune_kernel), "scale", "templates/scale.cu", "scale: x[i] *= a, of any type",
         "n=1000 T=float", "BLOCK=64,128", GPUTUNE_OBJECTIVE_LAUNCH, false, false},
        {sizeof(gputune_kernel), "mine", tuner->added, "a template of one's own", "n=4096",
         "BLOCK=64,128", GPUTUNE_OBJECTIVE_KERNEL, false, false},
    };
    size_t count = tuner->added[0] ? 3 : 2;
    bool found = !kernel;
    int answer = 0;
    for (size_t i = 0; i < count && !answer; i++) {
        const gputune_kernel *one = &kernels[i];
        if (!kernel || strcmp(one->name, kernel) == 0 || strcmp(one->path, kernel) == 0) {
            found = true;
            answer = each(user, one);
        }
    }
    return answer || found ? answer : gt_fail(GPUTUNE_ENOTFOUND, "no kernel '%s'", kernel);
}

static double number_of(const gputune_size *size)
{
    return strtod(strchr(size->name, '=') + 1, NULL);
}

static double time_of(gputune_sizes sizes)
{
    double elements = 1 << 20;
    for (size_t i = 0; i < sizes.count; i++) {
        if (number_of(&sizes.items[i]) > 0) {
            elements = number_of(&sizes.items[i]);
        }
    }
    return 1000 + elements * 3 / 1024;
}

static void report_progress(const gputune_options *options, double time_ns)
{
    gputune_progress at = {.variants = 18,
                           .compiled = 18,
                           .verified = 17,
                           .failed = 1,
                           .racing = 3,
                           .round = 6,
                           .best_ns = time_ns,
                           .default_ns = time_ns * 1.25,
                           .best = best_configuration,
                           .elapsed_s = 6,
                           .limit_s = 10,
                           .phase = "race",
                           .objective = options->objective};
    if (options->progress) {
        options->progress(options->user, &at);
    }
}

/* Error messages of tunings in which every variant failed. */
static const struct {
    const char *word;
    gputune_status status;
    const char *message;
} verdicts[] = {
    {"wrong", GPUTUNE_EWRONG,
     "no variant works; 18 of 18 failed like this: y[17] is 2, expected 3"},
    {"broken", GPUTUNE_ECOMPILE, "no variant works; 18 of 18 failed like this: expected a ';'"},
    {"crash", GPUTUNE_ECRASHED, "every variant crashed"},
};

int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                const gputune_options *options)
{
    if (fake("nonvrtc")) {
        return gt_fail(GPUTUNE_ENOCOMPILER, "NVRTC was not found; searched libnvrtc.so.13");
    }
    if (sizes.count && number_of(&sizes.items[0]) == 13) {
        return gt_fail(GPUTUNE_EDEVMEM,
                       "%s needs 9 GB of device memory, 8 GB are free; choose a "
                       "smaller size",
                       kernel);
    }
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        if (fake(verdicts[i].word)) {
            return gt_fail(verdicts[i].status, "%s: %s", kernel, verdicts[i].message);
        }
    }
    double time_ns = time_of(sizes);
    report_progress(options, time_ns);
    if (fake("exit")) {
        exit(3);
    }
    if (fake("interrupt") || fake("hangup")) {
        raise(fake("hangup") ? SIGHUP : SIGINT);
    }
    gputune_plan *plan = calloc(1, sizeof *plan);
    if (!plan) {
        return gt_fail_memory();
    }
    bool fails = fake("busy") || fake("nothing");
    double speedup = fake("equal") ? 1.001 : fake("untimed") ? 0 : 1.25;
    if (fake("busy") && options->log) {
        options->log(options->user, GPUTUNE_LOG_WARNING, "axpy: not tuned: the GPU is taken");
    }
    plan->info = (gputune_info){
        .size = sizeof(gputune_info),
        .kernel = strcmp(kernel, "scale") ? "axpy" : "scale",
        .configuration = fails ? default_configuration : best_configuration,
        .default_configuration = default_configuration,
        .source = fails            ? GPUTUNE_SOURCE_DEFAULT
                  : options->force ? GPUTUNE_SOURCE_MEASURED
                                   : GPUTUNE_SOURCE_CACHED,
        .objective = options->objective ? options->objective : GPUTUNE_OBJECTIVE_KERNEL,
        .variants = fake("stored") ? 0 : 18,
        .failed = fails ? 18 : 1,
        .stop_reason = fails ? "every variant failed" : "no other variant is as fast"};
    if (fake("part")) {
        plan->info.stop_reason = "the time limit was reached";
    }
    if (!fails) {
        plan->info.time_ns = time_ns;
        plan->info.default_ns = time_ns * speedup;
        plan->info.speedup = speedup;
        plan->info.speedup_low = fmax(0, speedup - 0.01);
        plan->info.speedup_high = speedup + 0.01;
        plan->info.registers = 32;
        plan->info.modelled = tuner->emulated;
    }
    if (fake("limit")) {
        snprintf(plan->reason, sizeof plan->reason, "limit of %.0f s", options->time_limit_s);
        plan->info.stop_reason = plan->reason;
    }
    *out = plan;
    return 0;
}

int gputune_plan_info(gputune_info *out, const gputune_plan *plan)
{
    *out = plan->info;
    return 0;
}

void gputune_plan_release(gputune_plan *plan)
{
    free(plan);
}

int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                           gputune_sizes sizes, const char *arch, const gputune_options *options)
{
    static const gputune_axis_value values[] = {
        {"VEC", "vector", "1", "", true},
        {"VEC", "vector", "4", "", false},
        {"CLUSTER", "cluster", "1", "", true},
        {"CLUSTER", "cluster", "2", "compute capability 9.0 or higher only", false},
    };
    static const gputune_exclusion exclusions[] = {
        {"compute capability 9.0 or higher only", 2, GPUTUNE_EXACT}};
    bool old = arch && strcmp(arch, "sm_80") == 0;
    gputune_space *space = calloc(1, sizeof *space);
    if (!space) {
        return gt_fail_memory();
    }
    *space = (gputune_space){.size = sizeof(gputune_space),
                             .combinations = 4,
                             .valid = old ? 2 : 4,
                             .sources = 2,
                             .values = values,
                             .value_count = old ? 4 : 3,
                             .exclusions = exclusions,
                             .exclusion_count = old};
    *out = space;
    return 0;
}

int gputune_add_source(gputune *tuner, const char *path, const char *text,
                       const gputune_include *includes)
{
    return 0;
}

int gputune_draft_template(char **out, const char *path, const char *text, const char *kernel,
                           const char *const *arguments)
{
    *out = strdup(text);
    return *out ? 0 : gt_fail_memory();
}

int gputune_emit(char **out, size_t *bytes, gputune *tuner, const char *kernel, gputune_sizes sizes,
                 const char *configuration, const char *arch, gputune_form form)
{
    static const char *const forms[] = {"source", "ptx", "cubin"};
    if (configuration && strstr(configuration, "BLOK")) {
        return gt_fail(GPUTUNE_ENOTFOUND, "unknown axis 'BLOK'; did you mean 'BLOCK'?");
    }
    char text[256];
    int length = snprintf(text, sizeof text, "// %s of %s for %s\n", forms[form],
                          configuration ? configuration : "the default", arch ? arch : "this GPU");
    *out = strdup(text);
    *bytes = (size_t)length;
    return *out ? 0 : gt_fail_memory();
}

int gputune_emit_rule(char **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                      const char *const *archs, size_t arch_count, int runtime_api)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_printf(&text, "/* the rule for %s, %s API", kernel, runtime_api ? "runtime" : "driver");
    for (size_t i = 0; i < arch_count; i++) {
        gt_text_printf(&text, ", %s", archs[i]);
    }
    gt_text_append(&text, " */\n");
    return gt_text_take(out, &text);
}

static gputune_record base_record(const char *sizes)
{
    return (gputune_record){.size = sizeof(gputune_record),
                            .kernel = "axpy",
                            .sizes = sizes,
                            .objective = GPUTUNE_OBJECTIVE_KERNEL,
                            .gpu = "Test 9000",
                            .environment = "cc90-sm132",
                            .origin = "cuda",
                            .status = "ok",
                            .message = "",
                            .driver_version = 13000,
                            .nvrtc_version = 13020,
                            .arch = "sm_90a",
                            .sm_count = 132,
                            .sm_clock_khz = 1980000,
                            .memory_clock_khz = 3201000,
                            .registers = 32,
                            .occupancy = 0.75,
                            .compile_ns = 2.5e7,
                            .bytes = 12.0 * 67108864,
                            .flops = 2.0 * 67108864,
                            .copy_bytes_per_s = 4.238e12,
                            .stop_reason = "no other variant is as fast",
                            .created = "2026-01-02T03:04:05Z",
                            .scenario = "5ce9a210000000000000000000000001",
                            .identity = "1de70000000000000000000000000001",
                            .alignment = "16",
                            .inputs = "seed=1",
                            .default_status = "",
                            .grids = "",
                            .blocks = ""};
}

static void set_times(gputune_record *record, double median_ns)
{
    record->median_ns = median_ns;
    record->mean_ns = median_ns * 1.001;
    record->stddev_ns = median_ns * 0.004;
    record->low_ns = median_ns * 0.999;
    record->high_ns = median_ns * 1.001;
    record->min_ns = median_ns * 0.99;
    record->samples = 25;
}

static gputune_record winner_record(void)
{
    gputune_record record = base_record("n=67108864");
    set_times(&record, 198100);
    record.configuration = best_configuration;
    record.default_configuration = default_configuration;
    record.is_winner = record.tie = true;
    record.default_ns = 238400;
    record.speedup = 1.2034;
    record.speedup_low = 1.1991;
    record.speedup_high = 1.2074;
    record.variants = 18;
    record.tuning_s = 12.5;
    record.failed = 1;
    if (fake("bad-default")) {
        record.default_status = "wrong";
        record.default_ns = record.speedup = record.speedup_low = record.speedup_high = 0;
    }
    if (fake("part")) {
        record.unreferenced = record.unfinished = true;
        record.stop_reason = "the time limit was reached";
        record.only = "UNROLL=1,2,4 VEC=4";
    }
    return record;
}

static gputune_record restricted_winner(void)
{
    gputune_record record = base_record("n=67108864");
    set_times(&record, 190000);
    record.configuration = "VEC=4 BLOCK=256 UNROLL=4";
    record.default_configuration = "VEC=1 BLOCK=256 UNROLL=4";
    record.is_winner = true;
    record.only = "UNROLL=4";
    record.stop_reason = "limit of 3 s";
    return record;
}

static int many_records(int (*each)(void *user, const gputune_record *record), void *user)
{
    int answer = 0;
    for (int i = 0; i < 100000 && !answer; i++) {
        char configuration[96], created[32];
        int order = i * 7919 % 100000;
        snprintf(created, sizeof created, "2026-01-02T03:%02d:%02dZ", order / 6000,
                 order / 100 % 60);
        snprintf(configuration, sizeof configuration,
                 "TILE_X=%d TILE_Y=%d UNROLL=%d STAGING=%s PAD=%d", 1 << i % 10, 1 << i / 10 % 10,
                 i / 100 % 10 + 1, i / 1000 % 2 ? "shared" : "registers", i / 2000);
        gputune_record record = base_record("n=67108864");
        record.configuration = configuration;
        record.is_winner = record.is_default = i == 0;
        record.order = order + 1;
        record.created = created;
        if (i % 50 == 49) {
            record.status = "launch";
            record.message = "too many resources requested for launch";
        } else {
            set_times(&record,
                      198100 * (1 + i % 10 * 0.3) * (1 + i / 10 % 10 * 0.1) * (1 + i * 1e-6));
            record.status = i % 9 ? "eliminated" : "ok";
        }
        answer = each(user, &record);
    }
    return answer;
}

static int all_records(int (*each)(void *user, const gputune_record *record), void *user, bool all)
{
    gputune_record winner = winner_record(), other = restricted_winner(),
                   lost = base_record("n=67108864"), broken = base_record("n=67108864");
    set_times(&lost, 238400);
    lost.configuration = default_configuration;
    lost.is_default = true;
    lost.order = 1;
    winner.order = 2;
    broken.order = 3;
    lost.created = "2026-01-02T03:04:02Z";
    lost.status = "eliminated";
    lost.message = "20.3% slower than the best";
    lost.eliminated_round = 5;
    broken.configuration = "VEC=2 BLOCK=64 UNROLL=2";
    broken.status = fake("broken") ? "compile" : fake("crash") ? "crashed" : "wrong";
    broken.message = "y[17] is 2, expected 3";
    if (fake("hostile")) {
        winner.kernel = lost.kernel = broken.kernel =
            "</script><script>fetch('//x.example')</script>";
        winner.gpu = lost.gpu = broken.gpu = "<img src=x onerror=alert(1)>";
        broken.message = "<!--<script> ]]> \"'&amp;\xe2\x80\xa8 ``` | --> </style></title>";
        broken.configuration = "VEC=<b>2</b> BLOCK=javascript:alert(1)";
    }
    if (fake("escapes")) {
        winner.kernel = lost.kernel = broken.kernel = "ax\033]0;title\007py\nforged";
        winner.gpu = lost.gpu = broken.gpu = "\033[2JGPU\302\2331m\177";
        winner.inputs = lost.inputs = broken.inputs = "tag=\r\033[A";
        broken.message = "\033[31mred\b\b";
        broken.configuration = "VEC=2\033[0m";
    }
    if (fake("energy")) {
        winner.objective = lost.objective = broken.objective = GPUTUNE_OBJECTIVE_ENERGY;
        winner.is_start = true;
    }
    if (fake("bad-default")) {
        lost.status = "wrong";
        lost.message = broken.message;
        lost.eliminated_round = 0;
        set_times(&lost, 0);
        lost.samples = 0;
    }
    bool fails = fake("wrong") || fake("broken") || fake("crash");
    int answer = fake("restricted") ? each(user, &other) : 0;
    answer = answer || fails ? answer : each(user, &winner);
    if (all && !answer && !fails) {
        answer = each(user, &lost);
    }
    return all && !answer ? each(user, &broken) : answer;
}

int gputune_records(gputune *tuner, const gputune_record_filter *filter,
                    int (*each)(void *user, const gputune_record *record), void *user)
{
    if (fake("baddb")) {
        return gt_fail(GPUTUNE_EDATABASE, "'x.db' is not a gputune database; move it away");
    }
    if (fake("many")) {
        return many_records(each, user);
    }
    if (fake("empty") || (filter->kernel && strcmp(filter->kernel, "axpy") != 0)) {
        return 0;
    }
    return all_records(each, user, filter->all_trials || filter->failures);
}

int gputune_forget(gputune *tuner, const gputune_record_filter *filter,
                   const gputune_forget_options *options,
                   int (*each)(void *user, const gputune_record *record), void *user)
{
    return gputune_records(tuner, filter, each, user);
}

static const char rule_text[] = "region n=64:16384 T=float\n"
                                "loss mean=1.021 p90=1.064 worst=1.19 sizes=212\n"
                                "variant VEC=1 BLOCK=256 UNROLL=1\n"
                                "variant VEC=4 BLOCK=256 UNROLL=1\n"
                                "if n % 4 == 0\n  use 1\nelse\n  use 0\n";

int gputune_rules(gputune *tuner, const gputune_record_filter *filter,
                  int (*each)(void *user, const gputune_rule *rule), void *user)
{
    gputune_rule rule = {.size = sizeof rule,
                         .kernel = "axpy",
                         .gpu = "NVIDIA H200",
                         .environment = "0123456789abcdef0123456789abcdef",
                         .objective = GPUTUNE_OBJECTIVE_KERNEL,
                         .cache = GPUTUNE_CACHE_COLD,
                         .alignment = "16",
                         .inputs = "seed=1",
                         .text = rule_text,
                         .created = "2026-01-31T12:00:00Z",
                         .driver_version = 13000};
    if (!fake("rules") || (filter->kernel && strcmp(filter->kernel, "axpy") != 0)) {
        return 0;
    }
    int answer = each(user, &rule);
    rule.objective = GPUTUNE_OBJECTIVE_LAUNCH;
    rule.text = "region n=1:9 T=float\nloss mean=1 p90=1 worst=1 sizes=9\n"
                "variant VEC=1 BLOCK=64 UNROLL=1\nuse 0\n";
    return answer ? answer : each(user, &rule);
}

int gputune_make_rule(char **out, gputune *tuner, const char *kernel, const gputune_range *ranges,
                      size_t count, uint32_t most_codes, const gputune_options *options)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s %s=%lld:%lld, %u codes\n", kernel, ranges[i].name, (long long)ranges[i].least,
               (long long)ranges[i].most, most_codes);
    }
    return fake("rules") ? gt_strdup(out, rule_text)
                         : gt_fail(GPUTUNE_ETIMEOUT, "%s: the time limit of 1 s passed", kernel);
}

int gputune_check_database(gputune *tuner)
{
    return fake("baddb") ? gt_fail(GPUTUNE_EDATABASE, "the database 'x.db' cannot be written: full")
                         : 0;
}

int gputune_diagnose(const gputune_open_options *options,
                     int (*each)(void *user, const gputune_diagnosis *diagnosis), void *user)
{
    static const gputune_diagnosis found[] = {
        {sizeof(gputune_diagnosis), "driver", GPUTUNE_VERDICT_OK, "cuda, CUDA 13.0", ""},
        {sizeof(gputune_diagnosis), "other users", GPUTUNE_VERDICT_WARNING,
         "1 other process (PID 17)", "tune while nothing else uses the GPU"},
        {sizeof(gputune_diagnosis), "database integrity", GPUTUNE_VERDICT_FAILURE,
         "damaged: row 7 missing", "move the file away"},
        {sizeof(gputune_diagnosis), "NVRTC", GPUTUNE_VERDICT_FAILURE, "no NVRTC", "install it"}};
    size_t count = fake("nonvrtc") ? 4 : fake("baddb") ? 3 : 2;
    int answer = 0;
    for (size_t i = 0; i < count && !answer; i++) {
        answer = each(user, &found[i]);
    }
    return answer;
}

int gputune_check(gputune *tuner, const char *kernel, gputune_sizes sizes,
                  const gputune_options *options,
                  int (*each)(void *user, const gputune_finding *finding), void *user)
{
    gputune_finding race = {
        .size = sizeof(gputune_finding),
        .kernel = kernel,
        .configuration = "VEC=4 BLOCK=64",
        .sizes = "n=1048563",
        .kind = "race",
        .file = "templates/axpy.cu",
        .line = 23,
        .other_line = 21,
        .count = 12,
        .where = "byte 4 of shared memory",
        .thread = "block (0,0,0) thread (32,0,0)",
        .other_thread = "block (0,0,0) thread (1,0,0)",
        .message = "is read without synchronisation with another thread that wrote it"};
    int answer = 0;
    for (uint32_t i = 0; i < (options->max_variants ? options->max_variants : 120) && !answer;
         i++) {
        gputune_finding checked = {.size = sizeof(gputune_finding),
                                   .kernel = kernel,
                                   .configuration = "VEC=1",
                                   .sizes = "n=1048576",
                                   .kind = "checked",
                                   .file = "templates/axpy.cu",
                                   .where = "",
                                   .thread = "",
                                   .other_thread = "",
                                   .message = ""};
        if (fake("race") && i < 2) {
            answer = each(user, &race);
        }
        answer = answer ? answer : each(user, &checked);
    }
    return answer;
}

int gputune_run(gputune *tuner, const char *kernel, gputune_sizes sizes,
                const char *const *configurations, size_t count, const gputune_options *options,
                int (*each)(void *user, const gputune_record *record), void *user)
{
    double time_ns = time_of(sizes);
    int answer = 0;
    for (size_t i = 0; i < count && !answer; i++) {
        gputune_record record = base_record("n=1048576");
        record.objective = options->objective ? options->objective : GPUTUNE_OBJECTIVE_KERNEL;
        record.configuration = configurations[i][0] ? configurations[i] : default_configuration;
        record.modelled = tuner->emulated;
        record.bytes = 12 << 20;
        record.flops = 2 << 20;
        record.grid[0] = 512;
        record.grid[1] = record.grid[2] = record.block[2] = 1;
        record.block[0] = 32;
        record.block[1] = 8;
        record.grids = "512";
        record.blocks = "32x8";
        if (fake("wrong") && i == 1) {
            record.status = "wrong";
            record.message = "y[17] is 2, expected 3";
        } else {
            set_times(&record, time_ns * (1 + 0.1 * (double)i));
            record.speedup = i ? 1 / 1.1 : 0;
            record.speedup_low = i ? 0.90 : 0;
            record.speedup_high = i ? 0.92 : 0;
        }
        answer = each(user, &record);
    }
    return answer;
}

int gputune_compile(gputune *tuner, const char *kernel, gputune_sizes sizes, const char *arch,
                    const gputune_options *options,
                    int (*each)(void *user, const gputune_compiled *compiled), void *user)
{
    if (fake("nonvrtc")) {
        return gt_fail(GPUTUNE_ENOCOMPILER, "NVRTC was not found; searched libnvrtc.so.13");
    }
    const gputune_compiled variants[] = {
        {1, kernel, default_configuration, arch ? arch : "sm_90", "ok", "", "", 16, 0, 0, 2.1e7},
        {1, kernel, best_configuration, arch ? arch : "sm_90", "ok", "", "", 32, 8, 1024, 2.25e7},
        {1, kernel, "VEC=8 BLOCK=64 UNROLL=2", arch ? arch : "sm_90", "compile",
         "axpy.cu(14): error: expected a ';'", "axpy.cu(14): error: expected a ';'\n1 error", 0, 0,
         0, 1e7},
    };
    if (fake("broken")) {
        return each(user, &variants[2]) ? GPUTUNE_ECANCELED
                                        : gt_fail(GPUTUNE_ECOMPILE, "no variant compiles");
    }
    int answer = 0;
    for (size_t i = 0; i < 3 && !answer; i++) {
        answer = each(user, &variants[i]);
    }
    return answer;
}

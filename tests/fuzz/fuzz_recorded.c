/* Recorded spaces: read from a file, and what is read is searched a little. */
#include "fuzz/fuzz.h"

#include "replay/read.h"
#include "replay/replay.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char cache[] =
    "{\"tune_params_keys\": [\"B\", \"M\"],\n"
    "\"tune_params\": {\"B\": [32, 8, 16], \"M\": [\"row\", \"column\"]},\n"
    "\"cache\": {\n"
    "\"16,row\": {\"B\": 16, \"M\": \"row\", \"time\": 0.5, \"compile_time\": 1500, "
    "\"benchmark_time\": 200, \"times\": [0.4, 0.6], \"framework_time\": 10},\n"
    "\"8,row\": {\"B\": 8, \"M\": \"row\", \"time\": \"CompilationFailedConfig\"},\n"
    "\"32,column\": {\"B\": 32, \"M\": \"column\", \"time\": 2}}}\n";

static const char t4[] =
    "{\"results\": [\n"
    "{\"configuration\": {\"B\": 16, \"K\": true}, \"invalidity\": \"correct\", \"times\": "
    "{\"compilation\": 100, \"runtimes\": [3, 4], \"validation\": 1}, \"measurements\": "
    "[{\"name\": \"time\", \"value\": 7.5, \"unit\": \"us\"}], \"objectives\": [\"time\"]},\n"
    "{\"configuration\": {\"K\": false, \"B\": 8}, \"invalidity\": \"timeout\"},\n"
    "{\"configuration\": {\"B\": 4, \"K\": true}, \"invalidity\": \"constraints\"}]}\n";

const char *const fuzz_seeds[] = {cache, t4, NULL};
const char *const fuzz_words[] = {
    "\"tune_params_keys\": ",
    "\"tune_params\": ",
    "\"cache\": ",
    "\"results\": ",
    "\"time\": ",
    "\"times\": ",
    "\"compile_time\": ",
    "\"configuration\"",
    "\"invalidity\": ",
    "\"correct\"",
    "\"measurements\"",
    "\"runtimes\": ",
    "\"value\": ",
    "\"unit\": ",
    "\"ns\"",
    "\"benchmark\": ",
    "1e308",
    "-1",
    "1e-320",
    "null",
    "true",
    "[]",
    "{}",
    "\\u0000",
    "\\",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\n",
    "\"B\": ",
    "\"M\": ",
    NULL,
};

/* What was read can be searched, and the optimum is found where all is tried. */
static void search(const gt_recorded *recorded)
{
    double best_ns[64];
    FUZZ_REQUIRE(recorded->ok && recorded->ok <= recorded->entries.count);
    FUZZ_REQUIRE(recorded->best_ns > 0 && isfinite(recorded->worst_ns));
    for (uint32_t workers = 0; workers <= 2; workers += 2) {
        const gt_replay_settings settings = {.kind = GPUTUNE_STRATEGY_AUTO,
                                             .workers = workers,
                                             .evaluations = 64,
                                             .reach = {0.05, 0.02}};
        gt_replay_result result = {.best_ns = best_ns};
        FUZZ_REQUIRE(gt_replay(&result, recorded, &settings) == GPUTUNE_OK);
        FUZZ_REQUIRE(recorded->entries.count > 64 || best_ns[63] == recorded->best_ns);
        FUZZ_REQUIRE(result.reached_s[1] >= result.reached_s[0] && result.reached_s[0] >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static int file = -1;
    static char path[64];
    gt_recorded recorded;
    if (file < 0) {
        file = memfd_create("recorded", MFD_CLOEXEC);
        FUZZ_REQUIRE(file >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    FUZZ_REQUIRE(ftruncate(file, 0) == 0);
    FUZZ_REQUIRE(pwrite(file, data, bytes, 0) == (ssize_t)bytes);
    const gt_log log = {0};
    if (gt_recorded_read(&recorded, path, &log, NULL) == GPUTUNE_OK) {
        search(&recorded);
        gt_recorded_free(&recorded);
    } else {
        FUZZ_REQUIRE(strncmp(gputune_error(), path, strlen(path)) == 0);
    }
    return 0;
}

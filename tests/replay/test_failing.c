/* Memory that is short, and files that cannot be read, while a recorded space is replayed: nothing
 * is left behind, and the next call gives everything. */
#include "replay/score.h"

#include "base/file.h"
#include "support/each_failure.h"
#include "support/folder.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

static const char kernel_tuner[] =
    "{\"device_name\": \"X\",\n\"tune_params_keys\": [\"B\", \"M\", \"ONE\"],\n"
    "\"tune_params\": {\"B\": [32, 8, 16], \"M\": [\"row\", \"column\"], \"ONE\": [1]},\n"
    "\"cache\": {\n"
    "\"16,row,1\": {\"B\": 16, \"M\": \"row\", \"ONE\": 1, \"time\": 0.5, \"compile_time\": 1500,"
    " \"benchmark_time\": 200, \"times\": [0.4, 0.6], \"framework_time\": 10},\n"
    "\"8,row,1\": {\"B\": 8, \"M\": \"row\", \"ONE\": 1, \"time\": \"CompilationFailedConfig\"},\n"
    "\"32,column,1\": {\"B\": 32, \"M\": \"column\", \"ONE\": 1, \"time\": 2}}}\n";

static const char t4[] =
    "{\"results\": [\n"
    "{\"configuration\": {\"B\": 16, \"K\": true}, \"invalidity\": \"correct\", \"times\": "
    "{\"compilation\": 100, \"runtimes\": [3, 4], \"validation\": 1}, \"measurements\": "
    "[{\"name\": \"time\", \"value\": 7.5, \"unit\": \"us\"}], \"objectives\": [\"time\"]},\n"
    "{\"configuration\": {\"K\": false, \"B\": 8}, \"invalidity\": \"timeout\"},\n"
    "{\"configuration\": {\"B\": 4, \"K\": true}, \"invalidity\": \"constraints\"}]}";

typedef struct world {
    char *path;
    uint32_t seen;
} world;

static int take_score(void *user, const replayed *one)
{
    world *w = user;
    w->seen++;
    assert_true(one->optimum_ns > 0);
    return 0;
}

static gputune_status replay(void *user)
{
    static const uint32_t evaluations[] = {2};
    world *w = user;
    replay_options options = {0};
    options.evaluations = evaluations;
    options.evaluation_count = 1;
    options.seeds = 2;
    options.workers = 2;
    w->seen = 0;
    gputune_status status = replay_score(w->path, &options, take_score, w);
    assert_true(status != GPUTUNE_OK || w->seen == 1);
    return status;
}

TEST(recorded_spaces)
{
    char *folder = folder_make();
    world own = {0}, *w = &own;
    ASSERT_OK(gt_path_format(&w->path, "%s/space", folder));
    static const char *const texts[] = {kernel_tuner, t4};
    static const char *const calls[] = {"open", "read"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        gzFile gz = gzopen(w->path, i ? "wb" : "wT"); /* packed, and plain */
        assert_true(gz && gzwrite(gz, texts[i], (unsigned)strlen(texts[i])) > 0);
        assert_int_equal(gzclose(gz), Z_OK);
        each_allocation(1, replay, NULL, w);
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
            (void)each_failure(calls[c], 1, replay, NULL, w);
        }
    }
    free(w->path);
    folder_remove(folder);
}

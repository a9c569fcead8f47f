/* Tests reading recorded spaces: formats, tolerated errors, and messages about other errors. */
#include "replay/read.h"

#include "support/folder.h"
#include "support/test.h"

#include <zlib.h>

#define HEAD                                                                                       \
    "{\"device_name\": \"X\",\n\"tune_params_keys\": [\"B\", \"M\", \"ONE\"],\n"                   \
    "\"tune_params\": {\"B\": [32, 8, 16], \"M\": [\"row\", \"column\"], \"ONE\": [1]},\n"         \
    "\"cache\": {\n"
#define ENTRY(b, m, time) "{\"B\": " b ", \"M\": \"" m "\", \"ONE\": 1, \"time\": " time "}"

static char warned[256];

static void keep_warning(void *user, gputune_log_level level, const char *line)
{
    snprintf(warned, sizeof warned, "%s", line);
}

/* Writes `text` to a file and reads the file. If `cut` is not negative, compresses the file and
 * removes its last `cut` bytes. */
static gputune_status read_text(gt_recorded *out, const char *text, int cut)
{
    char *folder = folder_make(), path[512], packed[512];
    gt_log log = {keep_warning, NULL};
    snprintf(path, sizeof path, "%s/space.json", folder);
    snprintf(packed, sizeof packed, "%s/space.json.gz", folder);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    gzFile gz = gzopen(packed, "wb");
    gzwrite(gz, text, (unsigned)strlen(text));
    gzclose(gz);
    if (cut > 0) {
        char bytes[4096];
        file = fopen(packed, "rb");
        size_t count = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        file = fopen(packed, "wb");
        fwrite(bytes, 1, count - (size_t)cut, file);
        fclose(file);
    }
    warned[0] = '\0';
    gputune_status status = gt_recorded_read(out, cut >= 0 ? packed : path, &log, NULL);
    folder_remove(folder);
    return status;
}

/* Checks the message of a failed read. `expected` omits the path of the folder. */
static void refused(const char *text, const char *expected)
{
    gt_recorded recorded;
    assert_int_equal(read_text(&recorded, text, -1), GPUTUNE_ERECORDED);
    const char *name = strstr(gputune_error(), "space.json");
    assert_non_null(name);
    assert_string_equal(name, expected);
}

static double time_at(const gt_recorded *recorded, uint16_t first, uint16_t second)
{
    const gt_recorded_entry *entry = gt_recorded_at(recorded, &(gt_point){{first, second}});
    assert_non_null(entry);
    return entry->tried.outcome == GT_TRIED_OK ? entry->tried.time_ns
                                               : -(double)entry->tried.outcome;
}

static const char cache[] = HEAD
    "\"16,row,1\": {\"B\": 16, \"M\": \"row\", \"ONE\": 1, \"time\": 0.5, \"compile_time\": "
    "1500, \"benchmark_time\": 200, \"times\": [0.4, 0.6], \"framework_time\": 10},\n"
    "\"8,row,1\": " ENTRY("8", "row",
                          "\"CompilationFailedConfig\"") ",\n"
                                                         "\"32,column,1\": " ENTRY("32", "column",
                                                                                   "2") "}\n}\n";

TEST(cache_file_is_read)
{
    for (int packed = -1; packed <= 0; packed++) {
        gt_recorded recorded;
        ASSERT_OK(read_text(&recorded, cache, packed));
        assert_int_equal(recorded.axis_count, 2); /* axes with one value are left out */
        assert_int_equal(recorded.axes[0].choices, 3);
        assert_true(recorded.axes[0].values[1] == 16); /* values are sorted */
        assert_null(recorded.axes[1].values);
        assert_true(time_at(&recorded, 1, 1) == 0.5e6);
        assert_true(time_at(&recorded, 0, 1) == -(double)GT_TRIED_FAILED);
        const gt_recorded_entry *entry = gt_recorded_at(&recorded, &(gt_point){{1, 1}});
        assert_true(entry->tried.compile_s == 1.5 && entry->tried.measure_s == 0.2 &&
                    entry->launch_s == 0.1 && entry->worker_s == 0.01);
        assert_int_equal(recorded.entries.count, 3);
        gt_recorded_free(&recorded);
    }
}

TEST(t4_results_are_read)
{
    static const char text[] =
        "{\"results\": [\n"
        "{\"configuration\": {\"B\": 16, \"K\": true}, \"invalidity\": \"correct\", \"times\": "
        "{\"compilation\": 100, \"runtimes\": [3, 4], \"validation\": 1}, \"measurements\": "
        "[{\"name\": \"time\", \"value\": 7.5, \"unit\": \"us\"}], \"objectives\": [\"time\"]},\n"
        "{\"configuration\": {\"K\": false, \"B\": 8}, \"invalidity\": \"timeout\"},\n"
        "{\"configuration\": {\"B\": 4, \"K\": true}, \"invalidity\": \"constraints\"}\n"
        "]}";
    GT_SCOPED(gt_recorded_free) gt_recorded recorded;
    ASSERT_OK(read_text(&recorded, text, -1));
    assert_int_equal(recorded.entries.count,
                     2); /* points that constraints exclude are not part of the space */
    assert_int_equal(recorded.axes[0].choices, 2);
    assert_true(time_at(&recorded, 1, 1) == 7500);
    assert_true(time_at(&recorded, 0, 0) == -(double)GT_TRIED_FAILED);
    const gt_recorded_entry *entry = gt_recorded_at(&recorded, &(gt_point){{1, 1}});
    assert_true(fabs(entry->tried.measure_s - 0.007) < 1e-12 && entry->tried.compile_s == 0.1);
}

TEST(truncated_tail_is_tolerated)
{
    size_t from = (size_t)(strstr(cache, "\"32,column") - cache);
    for (size_t length = from; length < sizeof cache - 1; length++) {
        char text[sizeof cache];
        memcpy(text, cache, length);
        text[length] = '\0';
        gt_recorded recorded;
        ASSERT_OK(read_text(&recorded, text, -1));
        bool whole = length >= (size_t)(strstr(cache, "2}}") - cache) + 2;
        bool begun = !whole && length > from;
        assert_int_equal(recorded.entries.count, whole ? 3 : 2);
        assert_int_equal(strstr(warned, "ends inside an entry; left out") != NULL, begun);
        gt_recorded_free(&recorded);
    }
}

TEST(bad_entries_are_named)
{
    refused(HEAD "\"8,row,1\": {\"B\": 8, \"ONE\": 1, \"time\": 1}}}",
            "space.json:5: entry '8,row,1': the value of 'M' is missing; expected one for every "
            "parameter");
    refused(HEAD "\"8,row,1\": {\"B\": 8, \"M\": \"row\", \"ONE\": 1}}}",
            "space.json:5: entry '8,row,1': there is no 'time'; expected a time or a failure's "
            "name");
    refused(HEAD "\"8,row,1\": " ENTRY("8", "row", "\"soon\"") "}}",
            "space.json:5: entry '8,row,1': 'time' is \"soon\"; expected a number, or a failure's "
            "name such as RuntimeFailedConfig");
    refused(HEAD "\"8,row,1\": " ENTRY("8", "row", "-1") "}}",
            "space.json:5: entry '8,row,1': 'time' is -1; expected a positive time");
    refused(HEAD "\"8,row,1\": " ENTRY("8", "row", "1e308") "}}",
            "space.json:5: entry '8,row,1': 'time' is 1e+308; expected a time that is finite in "
            "nanoseconds");
    refused(HEAD "\"8,row,1\": " ENTRY("8", "row", "NaN") "}}",
            "space.json:5: found 'NaN'; expected a value");
    refused(HEAD "\"9,row,1\": " ENTRY("9", "row", "1") "}}",
            "space.json:5: the value of 'B' is not among those that tune_params lists");
    refused(HEAD "\"a\": " ENTRY("8", "row", "1") ",\n\"b\": " ENTRY("8", "row", "2") "}}",
            "space.json: line 6: the configuration of line 5 with another result; expected each "
            "configuration once");
    refused(HEAD "\"8,row,1\": " ENTRY("8", "row", "\"InvalidConfig\"") "}}",
            "space.json: none of 1 configurations has a measured time; expected at least one");
    refused("{\"results\": [{\"configuration\": {\"B\": 1}, \"invalidity\": \"correct\",\n"
            "\"measurements\": [{\"name\": \"time\", \"value\": \"RuntimeFailedConfig\"}]}]}",
            "space.json:1: 'invalidity' is correct, and 'time' is a failure's name; expected one "
            "of both");
    refused("{\"results\": [{\"configuration\": {\"B\": 1}, \"invalidity\": \"correct\",\n"
            "\"measurements\": [{\"name\": \"time\", \"value\": 1}], "
            "\"times\": {\"runtimes\": [3, -4]}}]}",
            "space.json:1: 'runtimes' has -4; expected milliseconds");
}

TEST(other_files_are_refused)
{
    refused("hello", "space.json:1: no JSON object; expected a cache file of Kernel Tuner or T4 "
                     "results");
    refused("{\"a\": 1,\n\"b\": 2}", "space.json:2: neither 'cache' nor 'results' up to here; "
                                     "expected a cache file of Kernel Tuner or T4 results");
    refused("{\"cache\": {\"1\": {\"time\": 1}}}",
            "space.json: there is no 'tune_params_keys'; expected the parameters' names");
    gt_recorded recorded;
    assert_int_equal(gt_recorded_read(&recorded, "no/such/file.json", NULL, NULL),
                     GPUTUNE_ENOTFOUND);
    assert_string_equal(gputune_error(),
                        "cannot open no/such/file.json: No such file or directory");
}

/* Reading a FIFO without a writer or a device might never end. */
TEST(folders_and_pipes_are_refused)
{
    char *folder = folder_make(), fifo[512];
    gt_recorded recorded;
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const char *const paths[] = {fifo, "/dev/zero", folder};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        ASSERT_FAILS(gt_recorded_read(&recorded, paths[i], NULL, NULL), GPUTUNE_EIO, paths[i]);
        assert_non_null(strstr(gputune_error(), "expected a regular file"));
    }
    folder_remove(folder);
}

TEST(cut_gzip_is_refused)
{
    gt_recorded recorded;
    for (int cut = 1; cut < 120; cut += 17) {
        ASSERT_FAILS(read_text(&recorded, cache, cut), GPUTUNE_ERECORDED,
                     "the gzip data is cut short");
    }
}

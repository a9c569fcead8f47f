/* Tests that results that were measured elsewhere are verified before they are launched, unless the
 * caller trusts them. */
#include "base/hash.h"
#include "world.h"

#include <sys/resource.h>

static gputune_options few(gputune_effort effort)
{
    gputune_options options = few_variants();
    options.effort = effort;
    return options;
}

static gputune_info request_plan(gputune *tuner, size_t n, gputune_effort effort)
{
    const gputune_options options = few(effort);
    gputune_plan *plan;
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", n}), &options));
    gputune_info info = info_of(plan);
    static char configuration[128], reason[256];
    snprintf(configuration, sizeof configuration, "%s", info.configuration);
    snprintf(reason, sizeof reason, "%s", info.stop_reason);
    info.configuration = configuration;
    info.stop_reason = reason;
    gputune_plan_release(plan);
    return info;
}

static char *measured(void)
{
    gputune *tuner = tuner_open(":memory:");
    char *text;
    uint32_t count;
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_MEASURE).source, GPUTUNE_SOURCE_MEASURED);
    OK(gputune_wisdom_export(&text, &count, tuner, NULL, false));
    assert_int_equal(count, 1);
    gputune_close(tuner);
    return text;
}

static gputune *tuner_with(const char *database, const char *text, gputune_trust trust, bool keep)
{
    gputune *tuner = tuner_open(database);
    gputune_wisdom_options options = GPUTUNE_WISDOM_OPTIONS_INIT;
    uint32_t count = 0;
    options.trust = trust;
    options.keep = keep;
    OK(gputune_wisdom_import(&count, tuner, text, &options));
    assert_int_equal(count, 1);
    return tuner;
}

TEST(import_is_proved_once_and_then_stored)
{
    GT_FREED char *text = measured();
    gputune *tuner = tuner_with(world.database, text, GPUTUNE_TRUST_NOTHING, false);
    assert_int_equal(request_plan(tuner, 3600, GPUTUNE_CACHED_ONLY).source, GPUTUNE_SOURCE_DEFAULT);
    const gputune_info info = request_plan(tuner, 4000, GPUTUNE_MEASURE);
    assert_int_equal(info.source, GPUTUNE_SOURCE_CACHED);
    assert_true(info.time_ns > 0 && info.default_ns > 0);
    gputune_close(tuner);
    tuner = tuner_open(world.database);
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_MEASURE).source, GPUTUNE_SOURCE_CACHED);
    assert_int_equal(request_plan(tuner, 3600, GPUTUNE_CACHED_ONLY).source, GPUTUNE_SOURCE_NEAREST);
    gputune_close(tuner);
    unlink(world.database);
}

TEST(trusted_import_counts_as_proved_at_once)
{
    GT_FREED char *text = measured();
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with(":memory:", text, GPUTUNE_TRUST_BOUND, false);
    assert_int_equal(request_plan(tuner, 3600, GPUTUNE_CACHED_ONLY).source, GPUTUNE_SOURCE_NEAREST);
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_MEASURE).source, GPUTUNE_SOURCE_CACHED);
}

TEST(imports_are_stored_if_requested)
{
    GT_FREED char *text = measured();
    gputune_close(tuner_with(world.database, text, GPUTUNE_TRUST_BOUND, false));
    gputune *tuner = tuner_open(world.database);
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_CACHED_ONLY).source, GPUTUNE_SOURCE_DEFAULT);
    gputune_close(tuner);
    gputune_close(tuner_with(world.database, text, GPUTUNE_TRUST_BOUND, true));
    tuner = tuner_open(world.database);
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_CACHED_ONLY).source, GPUTUNE_SOURCE_CACHED);
    gputune_close(tuner);
    unlink(world.database);
}

/* Makes wisdom with a wrong winner and valid hashes, as an attacker could. */
TEST(wrong_import_is_never_launched)
{
    static const char kernel[] = "tests/poisoned/wrong_result.cu";
    static const char *const good[] = {"BAD=0", "BLOCK=64"};
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan;
    char *text, hex[33];
    uint32_t count;
    gputune_options options = OPTIONS(.only = good, .only_count = 2);
    OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", 4096}), &options));
    gputune_plan_release(plan);
    OK(gputune_wisdom_export(&text, &count, tuner, NULL, false));
    assert_int_equal(count, 1);
    gputune_close(tuner);
    for (char *at = text; (at = strstr(at, "BAD=0 BLOCK")) != NULL; at++) {
        at[4] = '1';
    }
    char *body = strchr(strstr(text, "entry "), '\n') + 1;
    gt_hash_hex(hex, gt_hash_bytes(body, strlen(body)));
    memcpy(body - 33, hex, 32);
    for (int trust = 0; trust < 2; trust++) {
        tuner = tuner_with(":memory:", text, (gputune_trust)trust, false);
        OK(tune_kernel(&plan, tuner, kernel, GPUTUNE_SIZES({"n", 4096}), &options));
        assert_non_null(strstr(info_of(plan).configuration, "BAD=0"));
        gputune_plan_release(plan);
        gputune_close(tuner);
    }
    free(text);
}

/* Writes the text with blank lines after its first line. The file is as long as one with ten
 * thousand winners. */
static void write_long(const char *path, const char *text)
{
    const char *entries = strchr(text, '\n');
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite(text, 1, (size_t)(entries - text), file);
    for (int i = 0; i < 20 << 20; i++) {
        putc('\n', file);
    }
    fputs(entries, file);
    assert_int_equal(fclose(file), 0);
}

TEST(wisdom_is_saved_to_and_loaded_from_files)
{
    char path[128], *text = measured();
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with(":memory:", text, GPUTUNE_TRUST_BOUND, false);
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/wisdom", world.folder);
    OK(gputune_wisdom_save(&count, tuner, path, NULL, false));
    assert_int_equal(count, 1);
    OK(gputune_wisdom_load(&count, tuner, path, NULL));
    assert_int_equal(count, 1);
    struct rlimit limit, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    none = (struct rlimit){0, limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(gputune_wisdom_save(&count, tuner, path, NULL, false), GPUTUNE_EIO);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    OK(gputune_wisdom_load(&count, tuner, path, NULL)); /* the failed save has kept the file */
    assert_int_equal(count, 1);
    write_long(path, text);
    OK(gputune_wisdom_load(&count, tuner, path, NULL));
    assert_int_equal(count, 1);
    unlink(path);
    assert_int_equal(gputune_wisdom_load(&count, tuner, path, NULL), GPUTUNE_ENOTFOUND);
    assert_int_equal(gputune_wisdom_import(&count, tuner, "no wisdom", NULL), GPUTUNE_ERECORDED);
    assert_int_equal(gputune_wisdom_import(&count, NULL, text, NULL), GPUTUNE_EINVAL);
    free(text);
}

typedef struct seen {
    unsigned count, unproved;
    char created[32];
} seen;

static int note(void *user, const gputune_record *record)
{
    seen *s = user;
    s->count++;
    s->unproved += record->unproved;
    snprintf(s->created, sizeof s->created, "%s", record->created);
    return 0;
}

static seen winners(gputune *tuner, const char *kernel)
{
    seen found = {0, 0, ""};
    OK(gputune_records(tuner, &FILTER(.kernel = kernel), note, &found));
    return found;
}

TEST(imports_keep_their_date_and_can_be_passed_on)
{
    char *text = measured(), *again = NULL;
    char *date = strstr(text, "created=\"") + strlen("created=\"");
    memcpy(date, "2001", 4); /* measured long ago */
    char *body = strchr(strstr(text, "entry "), '\n') + 1, sum[GT_HASH_HEX];
    gt_hash_hex(sum, gt_hash_bytes(body, strlen(body)));
    memcpy(strstr(text, "entry ") + strlen("entry "), sum, strlen(sum));
    GT_SCOPED(tuner_end) gputune *tuner = tuner_with(":memory:", text, GPUTUNE_TRUST_NOTHING, true);
    seen found = winners(tuner, "axpy");
    assert_int_equal(found.count, 1);
    assert_int_equal(found.unproved, 1);
    assert_memory_equal(found.created, "2001", 4);
    uint32_t count = 0;
    OK(gputune_wisdom_export(&again, &count, tuner, NULL, false));
    assert_int_equal(count, 1);
    assert_non_null(strstr(again, "created=\"2001"));
    assert_int_equal(request_plan(tuner, 4000, GPUTUNE_MEASURE).source, GPUTUNE_SOURCE_CACHED);
    found = winners(tuner, "axpy");
    assert_int_equal(found.unproved, 0);
    assert_memory_equal(found.created, "2001", 4);
    gputune_free(again);
    gputune_free(text);
}

TESTS_WITHIN(open_h200, world_close)

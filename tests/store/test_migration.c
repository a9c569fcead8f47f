/* Databases of earlier schemas, kept as SQL in fixtures/, are brought up to date. What stands there
 * of the second schema is what it made of the first. */
#include "store_support.h"

static void put_old_database(world *w, int schema)
{
    for (int part = 1; part <= schema; part++) {
        char path[64], text[32768];
        snprintf(path, sizeof path, "tests/store/fixtures/schema_%d.sql", part);
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        size_t bytes = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[bytes] = '\0';
        run_sql(w->path, text);
    }
}

static void finished_winner_is_kept(gt_store *store)
{
    gt_scenario scenario = scenario_at(1024);
    gt_winner found;
    ASSERT_OK(find_first(&found, store, &scenario));
    const gt_terms wanted = terms_of(GPUTUNE_MEASURE);
    assert_true(gt_answers(&found.terms, &wanted));
    assert_string_equal(found.config, "VEC=4");
    assert_string_equal(found.only, "");
    assert_string_equal(found.code.image.data, "the winner's code");
    assert_string_equal(found.fallback.image.data, "the default's code");
    assert_true(found.median_ns == 10 && found.default_ns == 20);
    gt_winner_free(&found);
}

/* It answers nobody who would measure. */
static void unfinished_winner_is_not_final(gt_store *store)
{
    gt_scenario scenario = scenario_at(2048);
    gt_winner found;
    ASSERT_OK(find_first(&found, store, &scenario));
    assert_false(found.terms.final);
    assert_string_equal(found.config, "VEC=4");
    assert_int_equal(found.fallback.source.high, 0);
    gt_winner_free(&found);
}

static int count_record(void *user, const gputune_record *record)
{
    int *count = user;
    assert_string_equal(record->gpu, "Test GPU");
    assert_true(record->copy_bytes_per_s == 1e12 && !record->unreferenced);
    ++*count;
    return 0;
}

static void all_is_there(gt_store *store)
{
    const gt_records_filter all = {.all_trials = true};
    int count = 0;
    finished_winner_is_kept(store);
    unfinished_winner_is_not_final(store);
    assert_int_equal(gt_store_records(store, &all, count_record, &count), 0);
    assert_int_equal(count, 8);
}

static void check_schema(world *w, int schema)
{
    put_old_database(w, schema);
    for (int turn = 0; turn < 2; turn++) {
        gt_store *store = open_store(w);
        all_is_there(store);
        put_size(store, 4096, 40);
        assert_true(time_at(store, 4096) == 40);
        gt_store_close(store);
        run_sql(w->path, "DELETE FROM winner WHERE problem LIKE 'n=4096%';"
                         "DELETE FROM trial WHERE scenario > 3");
    }
    assert_int_equal(w->warnings, 0);
}

TEST_OF(first_schema, world *w, open_world, close_world)
{
    check_schema(w, 1);
}

TEST_OF(second_schema, world *w, open_world, close_world)
{
    check_schema(w, 2);
}

/* Who only reads sees all of it, and changes nothing. */
static void check_only_read(world *w, int schema)
{
    struct stat before, after;
    gt_store *store;
    put_old_database(w, schema);
    assert_int_equal(stat(w->path, &before), 0);
    ASSERT_OK(gt_store_open(&store, w->path, NULL, &w->log, true));
    all_is_there(store);
    gt_store_close(store);
    assert_int_equal(stat(w->path, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_int_equal(before.st_size, after.st_size);
}

TEST_OF(first_schema_only_read, world *w, open_world, close_world)
{
    check_only_read(w, 1);
}

TEST_OF(second_schema_only_read, world *w, open_world, close_world)
{
    check_only_read(w, 2);
}

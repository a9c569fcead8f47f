/* Tests that a file with a changed schema is not used, because a view, trigger or expression in the
 * schema could run forever. */
#include "store_support.h"

#include "store/database.h"
#include "store/schema.h"

#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
#define WRITE   "PRAGMA writable_schema = 1; "

/* Changes that somebody may make to a database file. */
static const struct {
    const char *what, *sql;
} changes[] = {
    {"a view in place of a table", "ALTER TABLE winner RENAME TO w; CREATE VIEW winner AS " ENDLESS
                                   "SELECT w.* FROM w, c WHERE x < 0"},
    {"another view", "CREATE VIEW more AS " ENDLESS "SELECT x FROM c"},
    {"a trigger", "CREATE TRIGGER more AFTER INSERT ON trial BEGIN "
                  "DELETE FROM trial WHERE id IN (SELECT a.id FROM trial a, trial b); END"},
    {"an index on an expression", "CREATE INDEX more ON trial (hex(zeroblob(100)))"},
    {"a partial index", "CREATE INDEX more ON trial (config) WHERE length(config) > 1"},
    {"a generated column", "ALTER TABLE trial ADD COLUMN more TEXT AS (hex(zeroblob(100)))"},
    {"a CHECK", "ALTER TABLE trial ADD COLUMN more INTEGER DEFAULT 1 CHECK (more < 2)"},
    {"another type", WRITE "UPDATE sqlite_schema SET sql = replace(sql, 'median REAL', "
                           "'median ANY') WHERE name = 'trial'"},
    {"a default that is an expression",
     WRITE "UPDATE sqlite_schema SET sql = replace(sql, 'DEFAULT x''''', "
           "'DEFAULT (zeroblob(9))') WHERE name = 'compiled'"},
    {"a virtual table", WRITE "INSERT INTO sqlite_schema VALUES ('table', 'more', 'more', 0, "
                              "'CREATE VIRTUAL TABLE more USING fts5(x)')"},
    {"another index under a known name",
     "DROP INDEX winner_code; CREATE INDEX winner_code ON winner (hex(code_source))"},
    {"a further table", "CREATE TABLE more (x TEXT)"},
    {"a column of no version", "ALTER TABLE trial ADD COLUMN more INTEGER"},
    {"a table that only looks like statistics",
     WRITE "INSERT INTO sqlite_schema VALUES ('table', 'sqlite_stat9', 'sqlite_stat9', 2, "
           "'CREATE TABLE sqlite_stat9 (x CHECK (length(x) < 9))')"},
};
enum { CHANGES = sizeof changes / sizeof *changes };

static void make_changed(world *w, const char *sql)
{
    unlink(w->path);
    put_into(w, w->path, 1024, 10);
    run_sql(w->path, sql);
    w->warnings = 0;
}

static void goes_on_in_memory(world *w, const char *what)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 0);
    put_size(store, 2048, 20);
    assert_true(time_at(store, 2048) == 20);
    if (w->warnings != 1 ||
        !strstr(w->warning, "cannot be used (it was made by another version of gputune: ") ||
        !strstr(w->warning, "move it away, or set GPUTUNE_DB to another file")) {
        fail_msg("%s: %s", what, w->warning);
    }
}

static void cannot_be_read(world *w, const char *what)
{
    gt_store *store;
    gt_store_facts facts;
    if (gt_store_open(&store, w->path, NULL, &w->log, true) != GPUTUNE_EDATABASE) {
        fail_msg("%s is read", what);
    }
    ASSERT_OK(gt_store_inspect(&facts, w->path));
    assert_non_null(strstr(facts.damage, "this version has no"));
}

static void is_no_layer(world *w, const char *what)
{
    char own[160];
    const char *const paths[] = {w->path};
    gputune_merged merged;
    snprintf(own, sizeof own, "%s/own.db", w->folder);
    w->warnings = 0;
    GT_SCOPED(close_store) gt_store *store = open_over(w, own, w->path);
    assert_true(time_at(store, 1024) == 0);
    if (w->warnings != 1 || gt_store_merge(&merged, store, paths, 1) != GPUTUNE_EDATABASE) {
        fail_msg("%s is merged, or not told of", what);
    }
}

TEST_OF(changed_schemas_are_not_used, world *w, open_world, close_world)
{
    for (int i = 0; i < CHANGES; i++) {
        make_changed(w, changes[i].sql);
        goes_on_in_memory(w, changes[i].what);
        cannot_be_read(w, changes[i].what);
        is_no_layer(w, changes[i].what);
    }
}

/* SQLite checks each statement against the current schema, which may have changed since the file
 * was opened. */
TEST_OF(a_schema_that_changes_later_ends_too, world *w, open_world, close_world)
{
    for (int i = 0; i < CHANGES; i++) {
        make_changed(w, "SELECT 1");
        GT_SCOPED(close_store) gt_store *store = open_store(w);
        assert_true(time_at(store, 1024) == 10);
        run_sql(w->path, changes[i].sql);
        (void)time_at(store, 1024);
        put_size(store, 2048, 20);
        assert_true(time_at(store, 2048) == 20);
    }
}

TEST_OF(statistics_and_order_do_not_matter, world *w, open_world, close_world)
{
    make_changed(w, "ANALYZE; VACUUM");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
    put_size(store, 2048, 20);
    ASSERT_OK(gt_store_check(store, true));
}

/* A newer version may have added columns and tables, but nothing that runs code. */
TEST_OF(newer_schemas_are_read_if_they_are_plain, world *w, open_world, close_world)
{
    make_changed(w, "ALTER TABLE trial ADD COLUMN more INTEGER NOT NULL DEFAULT 0; "
                    "ALTER TABLE winner ADD COLUMN more TEXT NOT NULL DEFAULT ''; "
                    "CREATE TABLE more (x TEXT, y INTEGER); PRAGMA user_version = 999");
    gt_store *store;
    ASSERT_OK(gt_store_open(&store, w->path, NULL, &w->log, true));
    assert_true(time_at(store, 1024) == 10);
    gt_store_close(store);
    for (int i = 0; i < CHANGES; i++) {
        bool is_plain = strstr(changes[i].what, "further") || strstr(changes[i].what, "no version");
        make_changed(w, changes[i].sql);
        run_sql(w->path, "PRAGMA user_version = 999");
        gputune_status status = gt_store_open(&store, w->path, NULL, &w->log, true);
        if ((status == GPUTUNE_OK) != is_plain) {
            fail_msg("%s, of a newer version: %d", changes[i].what, status);
        }
        if (status == GPUTUNE_OK) {
            gt_store_close(store);
        }
    }
}

/* A value that is larger than any code can be is not read, but the other rows are. */
TEST_OF(huge_values_are_not_read, world *w, open_world, close_world)
{
    char own[160];
    const char *const paths[] = {w->path};
    gputune_merged merged;
    make_changed(w, "UPDATE cubin SET image = zeroblob(100000000) WHERE id = 1");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_true(time_at(store, 1024) == 10);
    assert_false(has_code(store, 2));
    gt_store_close(store);
    snprintf(own, sizeof own, "%s/own.db", w->folder);
    store = open_over(w, own, NULL);
    ASSERT_FAILS(gt_store_merge(&merged, store, paths, 1), GPUTUNE_EDATABASE, "too big");
}

static const char endless[] = ENDLESS "SELECT x FROM c WHERE x < 0";

static int run_endless(gt_patience limit)
{
    GT_SCOPED(gt_database_close) gt_database *database = NULL;
    gt_obstacle obstacle;
    ASSERT_OK(gt_database_open(&database, ":memory:", GT_DATABASE_MEMORY, NULL, &obstacle));
    database->limit = limit;
    return sqlite3_exec(database->handle, endless, NULL, NULL, NULL) & 0xff;
}

TEST_WITHIN(statements_end_with_the_time_or_a_cancel, open_world, close_world)
{
    int canceled = 1;
    assert_int_equal(run_endless(gt_patience_for(0.05, NULL)), SQLITE_INTERRUPT);
    assert_int_equal(run_endless(gt_patience_for(INFINITY, &canceled)), SQLITE_INTERRUPT);
}

static gputune_status look_endlessly(gt_database *database, void *context)
{
    int code = sqlite3_exec(database->handle, endless, NULL, NULL, NULL);
    return gt_database_failed(database, code);
}

TEST_OF(a_lookup_that_takes_too_long_is_reported, world *w, open_world, close_world)
{
    const gt_patience brief = gt_patience_for(0.05, NULL);
    make_changed(w, "SELECT 1");
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    assert_int_equal(gt_store_read_all(store, look_endlessly, NULL, &brief), GPUTUNE_EBUSY);
    ASSERT_FAILS(gt_store_check(store, false), GPUTUNE_EDATABASE, "time limit");
    assert_true(time_at(store, 1024) == 10);
    ASSERT_OK(gt_store_check(store, true));
    assert_int_equal(w->warnings, 0);
}

/* Never ends if the database is a file. Succeeds at once if it is in memory. */
static gputune_status write_slowly(gt_database *database, void *context)
{
    return *sqlite3_db_filename(database->handle, "main") ? look_endlessly(database, context)
                                                          : GPUTUNE_OK;
}

TEST_OF(a_write_that_takes_too_long_is_not_a_lock, world *w, open_world, close_world)
{
    const gt_patience brief = gt_patience_for(0.05, NULL);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    ASSERT_OK(gt_store_write(store, write_slowly, NULL, &brief));
    assert_int_equal(w->warnings, 1);
    if (strstr(w->warning, "locked") || !strstr(w->warning, "time limit")) {
        fail_msg("%s", w->warning);
    }
}

static int64_t images_with(gt_database *database, const char *content)
{
    char sql[96];
    int64_t count = -1;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM cubin WHERE content = x'%s'", content);
    assert_int_equal(gt_schema_integer(&count, database->handle, sql), SQLITE_OK);
    return count;
}

/* Deleting an image of this size would exceed the time limit of a call. */
TEST_OF(a_huge_image_is_not_deleted, world *w, open_world, close_world)
{
    GT_SCOPED(gt_database_close) gt_database *database = NULL;
    gt_obstacle obstacle;
    make_changed(w, "INSERT INTO cubin (content, image) VALUES (x'00', zeroblob(70000000)), "
                    "(x'01', zeroblob(1000))");
    ASSERT_OK(gt_database_open(&database, w->path, GT_DATABASE_WRITE, NULL, &obstacle));
    ASSERT_OK(gt_execute(database, GT_SQL_DROP_IMAGES, ""));
    assert_int_equal(images_with(database, "00"), 1);
    assert_int_equal(images_with(database, "01"), 0);
}

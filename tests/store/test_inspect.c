/* Tests what gt_store_inspect() reports about a database file. */
#include "store/store.h"
#include "store_support.h"
#include "support/folder.h"

#include <time.h>

static gt_store_facts inspect(const char *path)
{
    gt_store_facts facts;
    ASSERT_OK(gt_store_inspect(&facts, path));
    assert_string_equal(facts.path, path);
    return facts;
}

TEST_OF(a_database_that_cannot_be_created, world *w, open_world, close_world)
{
    char path[128];
    snprintf(path, sizeof path, "%s/missing/gputune.db", w->folder);
    assert_non_null(strstr(inspect(path).unwritable, "/missing: No such file or directory"));
    const gt_store_facts facts = inspect("/gputune-test-of-no-file.db");
    assert_int_equal(facts.unwritable[0] == '\0', access("/", W_OK) == 0);
}

static void *unlock_soon(void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    sqlite3_close(user);
    return NULL;
}

/* A process that tunes locks the database only for a moment. */
TEST_OF(a_locked_database, world *w, open_world, close_world)
{
    pthread_t thread;
    put_into(w, w->path, 1024, 10);
    sqlite3 *other = lock_database(w->path);
    gt_store_facts facts = inspect(w->path);
    assert_string_equal(facts.unwritable, "another process has locked it");
    assert_false(facts.is_read);
    assert_string_equal(facts.damage, "");
    assert_int_equal(pthread_create(&thread, NULL, unlock_soon, other), 0);
    facts = inspect(w->path);
    assert_string_equal(facts.unwritable, "");
    assert_int_equal(facts.winners, 1);
    assert_int_equal(facts.schema, GT_SCHEMA_VERSION);
    pthread_join(thread, NULL);
}

/* Overwrites the beginnings of several pages in the middle of the file. */
TEST_OF(a_damaged_database, world *w, open_world, close_world)
{
    gt_store *store = open_store(w);
    for (int i = 1; i < 40; i++) {
        put_size(store, 1024 * i, i);
    }
    gt_store_close(store);
    FILE *file = fopen(w->path, "r+");
    assert_non_null(file);
    for (long page = 4; page < 12; page++) {
        assert_int_equal(fseek(file, page * 4096, SEEK_SET), 0);
        fputs("damage", file);
    }
    fclose(file);
    gt_store_facts facts = inspect(w->path);
    assert_true(facts.damage[0] != '\0');
}

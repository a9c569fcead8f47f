/* Tests that gputune does not launch code that other users may have written. */
#include "store_support.h"

#include "base/file.h"
#include "base/network.h"
#include "store/database.h"

enum { NOBODY = 65534 };

/* Checks whether a newly opened store trusts the stored winner and its code. */
static void expect_trust(world *w, bool trusted, const char *why)
{
    gt_scenario scenario = scenario_at(1024);
    w->warnings = 0;
    gt_store *store = open_store(w);
    GT_SCOPED(gt_winner_free) gt_winner winner = first_winner(store, &scenario);
    assert_string_equal(winner.config, "VEC=4");
    assert_int_equal(winner.terms.proved, trusted);
    assert_int_equal(winner.code.image.bytes > 0, trusted);
    assert_int_equal(has_code(store, 2), trusted);
    gt_store_close(store);
    assert_int_equal(w->warnings, trusted ? 0 : 1);
    assert_true(trusted || strstr(w->warning, why));
}

static void make_database(world *w)
{
    put_into(w, w->path, 1024, 100);
    assert_null(gt_distrust(w->path));
}

TEST_OF(writable_database_is_not_trusted, world *w, open_world, close_world)
{
    static const mode_t modes[] = {0620, 0602, 0666};
    make_database(w);
    expect_trust(w, true, "");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(w->path, modes[i]), 0);
        expect_trust(w, false, "other users may write it");
    }
    assert_int_equal(chmod(w->path, 0644), 0); /* other users may read but not write */
    expect_trust(w, true, "");
}

TEST_OF(database_in_writable_folder_is_not_trusted, world *w, open_world, close_world)
{
    char folder[96];
    make_database(w);
    snprintf(folder, sizeof folder, "%s/deep", w->folder);
    assert_int_equal(chmod(folder, 0777), 0);
    expect_trust(w, false, "other users may write its folder");
    assert_int_equal(chmod(folder, 01777), 0); /* others may create a journal, as in /tmp */
    expect_trust(w, false, "other users may write its folder");
    assert_int_equal(chmod(folder, 0700), 0);
    expect_trust(w, true, "");
}

TEST_OF(a_link_is_trusted_like_its_target, world *w, open_world, close_world)
{
    char folder[96], target[128];
    make_database(w);
    snprintf(folder, sizeof folder, "%s/open", w->folder);
    snprintf(target, sizeof target, "%s/gputune.db", folder);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chmod(folder, 01777), 0);
    assert_int_equal(rename(w->path, target), 0);
    assert_int_equal(symlink(target, w->path), 0);
    expect_trust(w, false, "other users may write its folder");
}

static void put_number(FILE *file, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        fputc((int)(value >> shift & 0xff), file);
    }
}

/* Writes a journal that restores the database. See SQLite's "Rollback Journal Format". */
static void write_journal(const char *path, const unsigned char *before, size_t bytes)
{
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    enum { SECTOR = 512, HEADER = 28, STEP = 200 };
    static const char padding[SECTOR - HEADER];
    size_t page_bytes = (size_t)before[16] << 8 | before[17];
    uint32_t pages = (uint32_t)(bytes / page_bytes);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(magic, sizeof magic, 1, file);
    const uint32_t header[] = {pages, 0, pages, SECTOR, (uint32_t)page_bytes};
    for (size_t i = 0; i < sizeof header / sizeof *header; i++) {
        put_number(file, header[i]);
    }
    fwrite(padding, sizeof padding, 1, file);
    for (uint32_t page = 0; page < pages; page++) {
        const unsigned char *data = before + page * page_bytes;
        uint32_t sum = 0;
        for (size_t i = page_bytes - STEP; (int64_t)i > 0; i -= STEP) {
            sum += data[i];
        }
        put_number(file, page + 1);
        fwrite(data, page_bytes, 1, file);
        put_number(file, sum);
    }
    assert_int_equal(fclose(file), 0);
}

static gputune_status find_at(world *w, int64_t n)
{
    gt_scenario scenario = scenario_at(n);
    gt_winner winner;
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    gputune_status status = find_first(&winner, store, &scenario);
    if (status == GPUTUNE_OK) {
        gt_winner_free(&winner);
    }
    return status;
}

/* Makes a database with sizes 1024 and 2048, and a journal that would remove 2048. */
static void make_journal(world *w, char path[128])
{
    make_database(w);
    char *before;
    size_t bytes;
    ASSERT_OK(gt_file_read(&before, &bytes, w->path));
    put_into(w, w->path, 2048, 100);
    snprintf(path, 128, "%s-journal", w->path);
    write_journal(path, (unsigned char *)before, bytes);
    free(before);
    assert_int_equal(chmod(path, 0600), 0);
}

TEST_OF(the_own_journal_is_played_back, world *w, open_world, close_world)
{
    char journal[128];
    make_journal(w, journal);
    ASSERT_OK(find_at(w, 1024));
    assert_int_equal(find_at(w, 2048), GPUTUNE_ENOTFOUND);
    assert_int_not_equal(access(journal, F_OK), 0);
}

static void expect_not_played_back(world *w, const char *journal)
{
    w->warnings = 0;
    gt_store *store = open_store(w);
    put_size(store, 4096, 100); /* kept in memory */
    gt_store_close(store);
    assert_int_not_equal(w->warnings, 0);
    assert_non_null(strstr(w->warning, "its journal belongs to another user"));
    assert_non_null(strstr(w->warning, w->path));
    assert_int_not_equal(find_at(w, 2048), GPUTUNE_OK);
    assert_int_equal(unlink(journal), 0);
    ASSERT_OK(find_at(w, 2048));
}

TEST_OF(writable_journal_is_not_played_back, world *w, open_world, close_world)
{
    char journal[128];
    make_journal(w, journal);
    assert_int_equal(chmod(journal, 0666), 0);
    expect_not_played_back(w, journal);
}

TEST_OF(journal_link_is_not_played_back, world *w, open_world, close_world)
{
    char journal[128], other[128];
    make_journal(w, journal);
    snprintf(other, sizeof other, "%s/other", w->folder);
    assert_int_equal(link(journal, other), 0);
    expect_not_played_back(w, journal);
}

TEST_OF(journal_of_another_user_is_not_played_back, world *w, open_world, close_world)
{
    char journal[128];
    if (geteuid() != 0) {
        skip(); /* only root can create files of another user */
    }
    make_journal(w, journal);
    assert_int_equal(chown(journal, NOBODY, NOBODY), 0);
    expect_not_played_back(w, journal);
}

/* SQLite may interpret this name as a URI, which selects a database in memory. */
TEST_OF(a_name_is_no_uri, world *w, open_world, close_world)
{
    static const char name[] = "file:x?mode=memory";
    GT_FREED char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(w->folder), 0);
    snprintf(w->path, sizeof w->path, "%s", name);
    gt_store *store = open_store(w);
    assert_int_equal(chdir("/"), 0);
    put_size(store, 1024, 10); /* the file is created in the folder in which the store was opened */
    gt_store_close(store);
    assert_int_equal(chdir(w->folder), 0);
    ASSERT_OK(find_at(w, 1024));
    assert_int_equal(access(name, F_OK), 0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(chdir(before), 0);
}

TEST_OF(database_of_another_user_is_not_trusted, world *w, open_world, close_world)
{
    make_database(w);
    if (geteuid() != 0) {
        skip(); /* only root can create files of another user */
    }
    assert_int_equal(chown(w->path, NOBODY, NOBODY), 0);
    expect_trust(w, false, "it belongs to another user");
}

TEST_OF(new_files_are_private, world *w, open_world, close_world)
{
    struct stat facts;
    mode_t before = umask(0);
    make_database(w);
    umask(before);
    assert_int_equal(stat(w->path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

TEST_WITHIN(network_file_systems_are_known, open_world, close_world)
{
    assert_string_equal(gt_network_name(0x6969), "NFS");
    assert_string_equal(gt_network_name(0xff534d42), "CIFS");
    assert_null(gt_network_name(0xef53)); /* ext4 */
    assert_null(gt_network_of("/nonexistent"));
}

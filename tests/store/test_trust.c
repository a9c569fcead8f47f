/* Code that others may have written is not launched. */
#include "store_support.h"

#include "store/trust.h"

enum { NOBODY = 65534 };

/* What a store opened now makes of the stored winner. */
static void expect_trust(world *w, bool trusted, const char *why)
{
    const int64_t n = 1024;
    char problem[32];
    gt_scenario scenario = scenario_at(&n, problem);
    gt_winner winner;
    gt_code code;
    w->warnings = 0;
    gt_store *store = open_store(w);
    assert_int_equal(find_first(&winner, store, ENVIRONMENT, &scenario), GPUTUNE_OK);
    assert_string_equal(winner.config, "VEC=4");
    assert_int_equal(winner.terms.proved, trusted);
    assert_int_equal(winner.code.image.bytes > 0, trusted);
    gt_winner_free(&winner);
    gputune_status status =
        gt_store_find_cubin(&code, store, hash_of(1002), "sm_90", false, 0, NULL);
    assert_int_equal(status, trusted ? GPUTUNE_OK : GPUTUNE_ENOTFOUND);
    if (status == GPUTUNE_OK) {
        gt_code_free(&code);
    }
    gt_store_close(store);
    assert_int_equal(w->warnings, trusted ? 0 : 1);
    assert_true(trusted || strstr(w->warning, why));
}

static void make_database(world *w)
{
    gt_store *store = open_store(w);
    put_size(store, 1024, 100);
    gt_store_close(store);
    assert_null(gt_distrust(w->path));
}

static void what_others_may_write_is_not_trusted(void **state)
{
    static const mode_t modes[] = {0620, 0602, 0666};
    world *w = *state;
    make_database(w);
    expect_trust(w, true, "");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(w->path, modes[i]), 0);
        expect_trust(w, false, "other users may write it");
    }
    assert_int_equal(chmod(w->path, 0644), 0); /* reading changes nothing */
    expect_trust(w, true, "");
}

static void nor_is_what_others_may_replace(void **state)
{
    world *w = *state;
    char folder[96];
    make_database(w);
    snprintf(folder, sizeof folder, "%s/deep", w->folder);
    assert_int_equal(chmod(folder, 0777), 0);
    expect_trust(w, false, "other users may write its folder");
    assert_int_equal(chmod(folder, 01777), 0); /* as /tmp is: the file is its owner's */
    expect_trust(w, true, "");
    assert_int_equal(chmod(folder, 0700), 0);
}

static void nor_is_what_another_user_owns(void **state)
{
    world *w = *state;
    make_database(w);
    if (geteuid() != 0) {
        skip(); /* only root can make a file of another user's */
    }
    assert_int_equal(chown(w->path, NOBODY, NOBODY), 0);
    expect_trust(w, false, "it belongs to another user");
}

static void new_files_are_private(void **state)
{
    world *w = *state;
    struct stat facts;
    mode_t before = umask(0);
    make_database(w);
    umask(before);
    assert_int_equal(stat(w->path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
}

static void network_file_systems_are_known(void **state)
{
    (void)state;
    assert_string_equal(gt_network_name(0x6969), "NFS");
    assert_string_equal(gt_network_name(0xff534d42), "CIFS");
    assert_null(gt_network_name(0xef53)); /* ext4 */
    assert_null(gt_network_of("/nonexistent"));
}

#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(what_others_may_write_is_not_trusted), IN_WORLD(nor_is_what_others_may_replace),
        IN_WORLD(nor_is_what_another_user_owns),        IN_WORLD(new_files_are_private),
        IN_WORLD(network_file_systems_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

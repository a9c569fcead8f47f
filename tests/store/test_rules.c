/* Tests that rules are stored, found, listed, exported, merged and deleted like winners. */
#include "store_support.h"

#define TEXT                                                                                       \
    "region n=64:16384 T=half\nvariant VEC=4\nvariant VEC=8\nif n % 8 == 0\n  use 1\nelse\n"       \
    "  use 0\n"

static char *hex_of(uint64_t source)
{
    static _Thread_local char hex[GT_HASH_HEX];
    return (char *)gt_hash_hex(hex, hash_of(source));
}

/* Stores a rule with a single variant, whose code is code 2. */
static gputune_status put(gt_store *store, const gt_scenario *scenario, const char *text,
                          bool proved)
{
    const gt_site site = {.scenario = *scenario, .gpu = "H200", .arch = "sm_90"};
    const gt_stored_rule rule = {.text = (char *)text,
                                 .sources = hex_of(1002),
                                 .driver_version = 13000,
                                 .nvrtc_version = 13000,
                                 .proved = proved};
    const gt_code code = code_of(2, "the rule's code");
    const gt_rule_outcome outcome = {.site = &site, .rule = &rule, .codes = &code, .code_count = 1};
    return gt_store_put_rule(store, &outcome, NULL);
}

static void put_rule(gt_store *store)
{
    const gt_scenario scenario = scenario_at(100);
    ASSERT_OK(put(store, &scenario, TEXT, true));
}

/* Expects the rule for n = 777 to have this text, or to be missing if `text` is NULL. */
static void expect_rule(gt_store *store, const char *text)
{
    gt_stored_rule rule;
    const gt_scenario scenario = scenario_at(777);
    gputune_status status = gt_store_find_rule(&rule, store, &scenario, NULL);
    assert_int_equal(status, text ? GPUTUNE_OK : GPUTUNE_ENOTFOUND);
    if (text) {
        assert_string_equal(rule.text, text);
        assert_string_equal(rule.sources, hex_of(1002));
        assert_true(rule.created[0]);
        gt_stored_rule_free(&rule);
    }
}

static size_t count_rules(gt_store *store, const char *kernel)
{
    GT_SCOPED(gt_listed_rules_free) gt_listed_rules rules = {0};
    const gt_wanted wanted = ONE_KERNEL(kernel);
    ASSERT_OK(gt_store_rules(&rules, store, &wanted));
    for (size_t i = 0; i < rules.count; i++) {
        assert_string_equal(rules.items[i].site.scenario.problem, "n=64:16384 T=half");
        assert_string_equal(rules.items[i].rule.text, TEXT);
    }
    return rules.count;
}

TEST_WITH_STORE(rule_answers_every_size_of_its_scenario)
{
    gt_scenario other = scenario_at(777);
    gt_stored_rule rule;
    expect_rule(store, NULL);
    put_rule(store);
    expect_rule(store, TEXT);
    assert_int_equal(count_rules(store, "axpy"), 1);
    assert_int_equal(count_rules(store, "gemm"), 0);
    assert_true(has_code(store, 2));
    other.fixed = "T=float";
    assert_int_equal(gt_store_find_rule(&rule, store, &other, NULL), GPUTUNE_ENOTFOUND);
    other = scenario_at(777);
    other.environment = "ffff2233445566778899aabbccddeeff";
    assert_int_equal(gt_store_find_rule(&rule, store, &other, NULL), GPUTUNE_ENOTFOUND);
    other = scenario_at(777);
    other.identity = (gt_hash){3, 4}; /* an edited template */
    assert_int_equal(gt_store_find_rule(&rule, store, &other, NULL), GPUTUNE_ENOTFOUND);
}

TEST_WITH_STORE(rule_is_no_winner_and_no_record)
{
    const gt_scenario scenario = scenario_at(100);
    gt_winner winner;
    put_rule(store);
    assert_int_equal(find_first(&winner, store, &scenario), GPUTUNE_ENOTFOUND);
    assert_int_equal(gt_store_find_nearest(&winner, store, &scenario, NULL, 0, NULL),
                     GPUTUNE_ENOTFOUND);
}

static void flip(world *w, const char *sql)
{
    sqlite3 *handle;
    assert_int_equal(sqlite3_open(w->path, &handle), SQLITE_OK);
    assert_int_equal(sqlite3_exec(handle, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(handle);
}

TEST_OF(changed_rule_counts_as_missing, world *w, open_world, close_world)
{
    static const char *const changes[] = {"UPDATE rule SET text = replace(text, 'use 1', 'use 0')",
                                          "UPDATE rule SET sources = replace(sources, 'a', 'b')",
                                          "UPDATE rule SET proved = 0",
                                          "UPDATE gpu SET environment = 'x'"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        GT_SCOPED(close_store) gt_store *store = open_store(w);
        put_rule(store);
        expect_rule(store, TEXT);
        flip(w, changes[i]);
        expect_rule(store, NULL);
        assert_int_equal(count_rules(store, "axpy"), 0);
    }
}

TEST_OF(rule_of_a_file_that_others_may_write_counts_as_missing, world *w, open_world, close_world)
{
    {
        GT_SCOPED(close_store) gt_store *store = open_store(w);
        put_rule(store);
    }
    assert_int_equal(chmod(w->path, 0666), 0);
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    expect_rule(store, NULL);
}

static int note_record(void *user, const gputune_record *record)
{
    assert_string_equal(record->status, "rule");
    assert_string_equal(record->sizes, "n=64:16384 T=half");
    ++*(int *)user;
    return 0;
}

static int forget(gt_store *store, gputune_forget_options what, const char *sizes)
{
    gt_records_filter filter = {.wanted = ONE_KERNEL("axpy")};
    int seen = 0;
    filter.wanted.sizes = sizes;
    ASSERT_OK(gt_store_forget(store, &filter, &what, note_record, &seen, NULL));
    return seen;
}

TEST_WITH_STORE(forget_deletes_rules_and_their_code)
{
    put_rule(store);
    assert_int_equal(forget(store, (gputune_forget_options){.dry_run = true}, NULL), 1);
    assert_int_equal(forget(store, (gputune_forget_options){.dry_run = false}, "n=64"), 0);
    expect_rule(store, TEXT);
    assert_int_equal(forget(store, (gputune_forget_options){.dry_run = false}, NULL), 1);
    expect_rule(store, NULL);
    assert_false(has_code(store, 2));
}

static int ignore(void *user, const gputune_record *record)
{
    return 0;
}

TEST_WITH_STORE(code_that_a_rule_uses_stays)
{
    const gputune_forget_options what = {.size = sizeof what};
    gt_records_filter filter = {.wanted = ONE_KERNEL("axpy")};
    put_size(store, 1024, 100); /* put_size() also stores the codes 1 and 2 */
    put_rule(store);
    filter.wanted.sizes = "n=1024";
    ASSERT_OK(gt_store_forget(store, &filter, &what, ignore, NULL, NULL));
    assert_false(has_code(store, 1));
    assert_true(has_code(store, 2));
}

TEST_OF(merge_takes_rules_over, world *w, open_world, close_world)
{
    char path[128];
    const char *const paths[] = {path};
    gputune_merged merged;
    snprintf(path, sizeof path, "%s/deep/other.db", w->folder);
    {
        GT_SCOPED(close_store) gt_store *other = open_over(w, path, NULL);
        put_rule(other);
    }
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    ASSERT_OK(gt_store_merge(&merged, store, paths, 1));
    assert_int_equal(merged.rules, 1);
    assert_int_equal(merged.taken_rules, 1);
    expect_rule(store, TEXT);
    assert_true(has_code(store, 2));
    ASSERT_OK(gt_store_merge(&merged, store, paths, 1));
    assert_int_equal(merged.taken_rules, 0);
}

TEST_WITH_STORE(exported_rule_is_proved_only_if_trusted_and_of_the_same_driver)
{
    put_size(store, 1024, 100);
    put_rule(store);
    GT_FREED char *text = exported(store, 2, true);
    for (int trusted = 0; trusted < 2; trusted++) {
        for (int driver = 13000; driver < 13002; driver++) {
            GT_SCOPED(close_store) gt_store *other = open_over(w, ":memory:", NULL);
            gt_wisdom_import with = {.driver_version = driver,
                                     .trusted = trusted,
                                     .keep = true,
                                     .log = &w->log,
                                     .from = "the text"};
            gt_stored_rule rule;
            const gt_scenario scenario = scenario_at(9);
            ASSERT_OK(gt_store_import(&with, other, text, NULL));
            assert_int_equal(with.taken, 2);
            expect_rule(other, TEXT);
            ASSERT_OK(gt_store_find_rule(&rule, other, &scenario, NULL));
            assert_int_equal(rule.proved, trusted && driver == 13000);
            gt_stored_rule_free(&rule);
            with.trusted = false;
            ASSERT_OK(gt_store_import(&with, other, text, NULL));
            ASSERT_OK(gt_store_find_rule(&rule, other, &scenario, NULL));
            assert_int_equal(rule.proved, trusted && driver == 13000);
            gt_stored_rule_free(&rule);
        }
    }
}

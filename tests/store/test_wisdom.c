/* Tests exporting winners as text and importing them into another store. */
#include "store_support.h"

static gt_wisdom_import import_of(const world *w)
{
    return (gt_wisdom_import){.driver_version = 13000, .log = &w->log, .from = "the text"};
}

static void import(gt_wisdom_import *with, gt_store *store, const char *text)
{
    ASSERT_OK(gt_store_import(with, store, text, NULL));
}

static gt_store *other_store(world *w)
{
    return open_over(w, ":memory:", NULL);
}

static char *text_of_two_sizes(world *w)
{
    GT_SCOPED(close_store) gt_store *store = open_store(w);
    put_size(store, 1024, 100);
    put_size(store, 4096, 300);
    return exported(store, 2, false);
}

/* Returns a copy with the line ends of DOS. */
static char *with_returns(const char *text)
{
    gt_text out = {0};
    char *copy;
    for (; *text; text++) {
        gt_text_printf(&out, "%s%c", *text == '\n' ? "\r" : "", *text);
    }
    ASSERT_OK(gt_text_take(&copy, &out));
    return copy;
}

TEST_OF(winner_is_the_same_in_the_other_store, world *w, open_world, close_world)
{
    GT_FREED char *text = text_of_two_sizes(w), *returns = with_returns(text);
    setenv("XDG_CACHE_HOME", w->folder, 1);
    for (int trusted = 0; trusted < 2; trusted++) {
        for (int keep = 0; keep < 3; keep++) { /* 1: in the user's file; 2: a read-only store */
            GT_SCOPED(close_store) gt_store *store = NULL;
            const bool only_read = keep == 2;
            ASSERT_OK(gt_store_open(&store, only_read ? NULL : ":memory:", NULL, NULL, only_read));
            gt_wisdom_import with = import_of(w);
            gt_scenario scenario = scenario_at(4096);
            with.trusted = trusted;
            with.keep = keep;
            import(&with, store, trusted ? returns : text);
            assert_int_equal(with.taken, 2);
            GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
            assert_string_equal(found.config, "VEC=4");
            assert_string_equal(found.fallback_config, "VEC=1");
            assert_string_equal(found.stop_reason, "no other variant is as fast");
            assert_true(found.median_ns == 300);
            assert_true(found.default_ns == 600 && found.verdict.speedup_low == 1.9 &&
                        found.verdict.tie);
            assert_true(gt_hash_equal(found.code.source, hash_of(1002)) && !found.code.image.data);
            assert_int_equal(found.terms.effort, GPUTUNE_MEASURE);
            assert_true(found.terms.final);
            assert_int_equal(found.terms.proved, trusted);
        }
    }
}

/* The store that exported the winner had not verified it. Trusting the text does not make the
 * winner verified. */
TEST_OF(unproved_winner_stays_unproved, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *from = open_store(w), *to = other_store(w);
    gt_scenario scenario = scenario_at(4096);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    gt_wisdom_import with = import_of(w);
    terms.proved = false;
    ASSERT_OK(put_under(from, &scenario, 300, &terms, false, NULL));
    GT_FREED char *text = exported(from, 1, false);
    with.trusted = with.keep = true;
    import(&with, to, text);
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(to, &scenario);
    assert_false(found.terms.proved);
}

/* A kernel without sizes or without axes has an empty problem or configuration. */
TEST_OF(kernel_without_sizes_and_axes_is_imported, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *from = open_store(w), *to = other_store(w);
    gt_scenario scenario = scenario_at(1024);
    const gt_trial trial = trial_of(1, "", 100);
    const gt_winner winner = {.config = (char *)"",
                              .default_config = (char *)"",
                              .trial = trial.hash,
                              .default_trial = trial.hash,
                              .terms = terms_of(GPUTUNE_MEASURE)};
    gt_wisdom_import with = import_of(w);
    scenario.problem = scenario.fixed = "";
    const gt_site site = {.scenario = scenario};
    const gt_outcome outcome = {
        .site = &site, .trials = &trial, .trial_count = 1, .winner = &winner};
    ASSERT_OK(gt_store_put_winner(from, &outcome, NULL));
    GT_FREED char *text = exported(from, 1, false);
    import(&with, to, text);
    assert_int_equal(with.taken, 1);
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(to, &scenario);
    assert_string_equal(found.config, "");
    assert_true(found.median_ns == 100);
}

/* Stores the trial of put_size()'s winner with another status. */
static void put_status(gt_store *store, uint64_t number, gt_trial_status status)
{
    const gt_scenario scenario = scenario_at(1024);
    gt_trial trial = trial_of(number, number == 1 ? "VEC=1" : "VEC=4", 0);
    trial.status = status;
    trial.time = (gt_summary){0};
    ASSERT_OK(gt_store_put_trials(store, &scenario, &trial, 1, NULL));
}

TEST_OF(winner_of_a_default_without_times_is_imported, world *w, open_world, close_world)
{
    static const gt_trial_status statuses[] = {GT_TRIAL_SLOW, GT_TRIAL_UNPROVED, GT_TRIAL_PROVED};
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        GT_SCOPED(close_store) gt_store *from = other_store(w), *to = other_store(w);
        gt_wisdom_import with = import_of(w);
        put_size(from, 1024, 100);
        put_status(from, 1, statuses[i]);
        GT_FREED char *text = exported(from, 1, false);
        import(&with, to, text);
        assert_int_equal(with.taken, 1);
        assert_true(time_at(to, 1024) == 100);
    }
}

/* An imported trial replaces a trial that was verified or compiled here, but not measured. */
TEST_OF(unfinished_trial_is_replaced, world *w, open_world, close_world)
{
    static const gt_trial_status statuses[] = {GT_TRIAL_SLOW, GT_TRIAL_UNPROVED, GT_TRIAL_PROVED};
    GT_FREED char *text = text_of_two_sizes(w);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        GT_SCOPED(close_store) gt_store *store = other_store(w);
        gt_wisdom_import with = import_of(w);
        with.keep = true;
        put_status(store, 2, statuses[i]);
        import(&with, store, text);
        assert_true(time_at(store, 1024) == 100);
    }
}

/* The imported winner failed here, so the winner found here stays. */
TEST_OF(winner_that_failed_here_replaces_none, world *w, open_world, close_world)
{
    GT_FREED char *text = text_of_two_sizes(w);
    GT_SCOPED(close_store) gt_store *store = other_store(w);
    const gt_scenario scenario = scenario_at(1024);
    const gt_trial trial = trial_of(5, "VEC=2", 150);
    const gt_winner winner = {.config = (char *)"VEC=2",
                              .default_config = (char *)"VEC=1",
                              .trial = trial.hash,
                              .terms = {.space = hash_of(77), .effort = GPUTUNE_MEASURE}};
    const gt_site site = {.scenario = scenario};
    const gt_outcome outcome = {
        .site = &site, .trials = &trial, .trial_count = 1, .winner = &winner};
    gt_wisdom_import with = import_of(w);
    with.keep = true;
    ASSERT_OK(gt_store_put_winner(store, &outcome, NULL));
    put_status(store, 2, GT_TRIAL_HUNG);
    import(&with, store, text);
    assert_true(time_at(store, 1024) == 150);
}

TEST_OF(other_driver_is_not_trusted, world *w, open_world, close_world)
{
    GT_FREED char *text = text_of_two_sizes(w);
    GT_SCOPED(close_store) gt_store *store = other_store(w);
    gt_wisdom_import with = import_of(w);
    gt_scenario scenario = scenario_at(1024);
    with.trusted = true;
    with.driver_version = 13010;
    import(&with, store, text);
    GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
    assert_false(found.terms.proved);
}

TEST_OF(own_results_stand_above, world *w, open_world, close_world)
{
    GT_FREED char *text = text_of_two_sizes(w);
    GT_SCOPED(close_store) gt_store *store = other_store(w);
    gt_wisdom_import with = import_of(w);
    gt_scenario scenario = scenario_at(1024);
    gt_terms terms = terms_of(GPUTUNE_MEASURE);
    with.trusted = true;
    for (int i = 0; i < 4; i++) {
        with.keep = i % 2;
        terms.driver_version = 13000 + 10 * (i / 2);
        ASSERT_OK(put_under(store, &scenario, 7, &terms, true, NULL));
        import(&with, store, text);
        GT_SCOPED(gt_winner_free) gt_winner found = first_winner(store, &scenario);
        assert_true(found.median_ns == 7 && found.terms.driver_version == terms.driver_version);
    }
}

/* Changes one byte at a time. A changed entry must never be mistaken for a different entry. */
TEST_OF(edited_entry_is_left_out_with_one_warning, world *w, open_world, close_world)
{
    GT_FREED char *text = text_of_two_sizes(w);
    size_t length = strlen(text), begin = strlen("# gputune wisdom 1\n");
    for (size_t at = begin; at < length; at += 7) {
        GT_SCOPED(close_store) gt_store *store = other_store(w);
        gt_wisdom_import with = import_of(w);
        char before = text[at];
        w->warnings = 0;
        text[at] = before == 'x' ? 'y' : 'x';
        import(&with, store, text);
        assert_true(with.taken <= 1);
        assert_true(w->warnings <= 1);
        text[at] = before;
    }
    text[length - 9] = '\0'; /* cut off */
    GT_SCOPED(close_store) gt_store *store = other_store(w);
    gt_wisdom_import with = import_of(w);
    w->warnings = 0;
    import(&with, store, text);
    assert_int_equal(with.taken, 1);
    assert_int_equal(with.left_out, 1);
    assert_int_equal(w->warnings, 1);
    assert_non_null(strstr(w->warning, "the text: 1 entry is left out: it was edited"));
    text[begin + 50] ^= 1;
    import(&with, store, text);
    assert_non_null(
        strstr(w->warning, "the text: 2 entries are left out; the first: it was edited"));
}

static char *text_with_body(const char *body)
{
    char hex[GT_HASH_HEX], *text = malloc(4096);
    gt_hash sum = gt_hash_bytes(body, strlen(body));
    assert_non_null(text);
    snprintf(text, 4096, "# gputune wisdom 1\nentry %s\n%s", gt_hash_hex(hex, sum), body);
    return text;
}

TEST_OF(unsound_entries_are_left_out, world *w, open_world, close_world)
{
    static const char *const bodies[] = {
        "",
        "place\n",
        "place g.environment=\"e\nwinner\n",
        "place g.environment\n",
        "place g.environment=7\n",
        "place s.objective=\"x\"\n",
        "place s.objective=99999999999999\n",
        "place s.objective=nan\n",
        "winner space=xyz\n",
        "trial samples=-1\n",
        "unknown a=1\nplace b=\"c\" d=e\n",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        GT_FREED char *text = text_with_body(bodies[i]);
        GT_SCOPED(close_store) gt_store *store = other_store(w);
        gt_wisdom_import with = import_of(w);
        import(&with, store, text);
        assert_int_equal(with.taken, 0);
        assert_int_equal(with.left_out, 1);
    }
}

/* Replaces a value in the first entry and makes the hash valid. Returns NULL if the entry does not
 * contain the value. */
static char *text_with(const char *text, const char *value, const char *other)
{
    const char *body = strchr(strstr(text, "\nentry ") + 1, '\n') + 1;
    const char *end = strstr(body, "entry "), *at = strstr(body, value);
    char changed[4096];
    if (!at || (end && at > end)) {
        return NULL;
    }
    snprintf(changed, sizeof changed, "%.*s%s%.*s", (int)(at - body), body, other,
             (int)(end ? end - at - (ptrdiff_t)strlen(value) : 4000), at + strlen(value));
    return text_with_body(changed);
}

TEST_OF(values_are_held_against_their_kind, world *w, open_world, close_world)
{
    static const struct {
        const char *value, *other;
        bool taken;
    } cases[] = {{" variants=3", " variants=3", true},
                 {" variants=3", " variants=0", true},
                 {" variants=3", " variants=4294967295", true},
                 {" variants=3", " variants=4294967296", false},
                 {" variants=3", " variants=-1", false},
                 {" driver_version=13000", " driver_version=2147483647", true},
                 {" driver_version=13000", " driver_version=2147483648", false},
                 {" driver_version=13000", " driver_version=-2147483649", false},
                 {" driver_version=13000", " driver_version=", false},
                 {" driver_version=13000", " driver_version=1x", false},
                 {" speedup=2", " speedup=1e400", false},
                 {"Z\"\ntrial", "\\\"\"\ntrial", true},
                 {"Z\"\ntrial", "\\\"\ntrial", false}};
    GT_FREED char *text = text_of_two_sizes(w);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GT_FREED char *changed = text_with(text, cases[i].value, cases[i].other);
        if (!changed) {
            fail_msg("no%s in\n%s", cases[i].value, text);
        }
        GT_SCOPED(close_store) gt_store *store = other_store(w);
        gt_wisdom_import with = import_of(w);
        import(&with, store, changed);
        if (with.taken != cases[i].taken || with.left_out != !cases[i].taken) {
            fail_msg("%s: taken %u, left out %u", cases[i].other, with.taken, with.left_out);
        }
    }
}

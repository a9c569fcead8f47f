/* Tests which trials of other sizes and GPUs are found as hints for a search, and in which
 * order. */
#include "store_support.h"

#define OTHER_GPU "ffeeddccbbaa99887766554433221100"
#define EMULATED  "0123456789abcdef0123456789abcdef"

static gt_device device_of(const char *name, const char *origin)
{
    gt_device device = {.emulated = strncmp(origin, "emu:", 4) == 0};
    snprintf(device.name, sizeof device.name, "%s", name);
    snprintf(device.origin, sizeof device.origin, "%s", origin);
    return device;
}

static void register_gpu(gt_store *store, const char *environment, const char *name,
                         const char *origin)
{
    gt_device device = device_of(name, origin);
    put_gpu(store, environment, &device, NULL, 0);
}

/* Opens the user's file with three GPUs, two real and one emulated. */
static gt_store *open_with_gpus(world *w)
{
    gt_store *store = open_store(w);
    register_gpu(store, ENVIRONMENT, "A", "cuda");
    register_gpu(store, OTHER_GPU, "B", "cuda");
    register_gpu(store, EMULATED, "emulated A", "emu:a:model1");
    return store;
}

static void put(gt_store *store, const char *environment, const gt_scenario *scenario,
                const gt_trial *trials, size_t count)
{
    gt_scenario there = *scenario;
    there.environment = environment;
    ASSERT_OK(gt_store_put_trials(store, &there, trials, count, NULL));
}

static void put_one(gt_store *store, const char *environment, const gt_scenario *scenario,
                    const char *config, double time_ns)
{
    const gt_trial trial = trial_of(1, config, time_ns);
    put(store, environment, scenario, &trial, 1);
}

static gt_related_list find_on(gt_store *store, const gt_device *device, int64_t n)
{
    gt_scenario scenario = scenario_at(n);
    gt_related_list list;
    ASSERT_OK(gt_store_related_trials(&list, store, device, &scenario, NULL));
    return list;
}

static gt_related_list find(gt_store *store, int64_t n)
{
    gt_device device = device_of("A", "cuda");
    return find_on(store, &device, n);
}

/* Checks the list's configurations, in order, and frees the list. */
static void expect(gt_related_list list, const char *const *configs, size_t count)
{
    assert_int_equal(list.count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(list.items[i].config, configs[i]);
    }
    gt_related_list_free(&list);
}

TEST_OF(nothing_is_known, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    expect(find(store, 1000), NULL, 0);
}

TEST_OF(own_trials_are_not_elsewhere, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    put_size(store, 1000, 50);
    expect(find(store, 1000), NULL, 0);
    expect(find(store, 2000), (const char *[]){"VEC=4", "VEC=1"}, 2); /* VEC=8 crashed */
}

/* Slow variants are hints, too: a search at another size need not look near them. */
TEST_OF(related_trials_include_slow_first_launches, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    gt_scenario nearby = scenario_at(500);
    gt_trial two[2] = {trial_of(1, "V=1", 10), trial_of(2, "V=2", 50)};
    two[1].status = GT_TRIAL_UNPROVED;
    put(store, ENVIRONMENT, &nearby, two, 2);
    expect(find(store, 1000), (const char *[]){"V=1", "V=2"}, 2);
}

TEST_OF(the_nearest_come_first, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    int64_t own = 1000;
    gt_scenario nearby = scenario_at(1100), away = scenario_at(9000);
    gt_scenario energy = scenario_at(own), other = scenario_at(own);
    energy.objective = GPUTUNE_OBJECTIVE_ENERGY;
    other.fixed = "T=float";
    put_one(store, OTHER_GPU, &energy, "V=6", 10);
    put_one(store, OTHER_GPU, &nearby, "V=7", 1);
    put_one(store, ENVIRONMENT, &other, "V=5", 1);
    put_one(store, ENVIRONMENT, &away, "V=4", 10);
    const gt_trial two[2] = {trial_of(1, "V=3", 30), trial_of(2, "V=2", 20)};
    put(store, ENVIRONMENT, &nearby, two, 2);
    put_one(store, ENVIRONMENT, &energy, "V=1", 100);
    gt_related_list list = find(store, own);
    const uint32_t groups[] = {0, 1, 1, 2, 3, 4, 5};
    for (size_t i = 0; i < list.count; i++) {
        assert_int_equal(list.items[i].group, groups[i]);
    }
    assert_true(list.items[1].time_ns == 20);
    assert_true(list.items[1].compile_ns == 2e7);
    expect(list, (const char *[]){"V=1", "V=2", "V=3", "V=4", "V=5", "V=6", "V=7"}, 7);
}

TEST_OF(another_kernel_is_not_related, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    int64_t n = 500;
    gt_scenario named = scenario_at(n), changed = scenario_at(n);
    named.kernel = "dot";
    changed.identity = (gt_hash){3, 4};
    put_one(store, ENVIRONMENT, &named, "V=1", 10);
    put_one(store, ENVIRONMENT, &changed, "V=2", 10);
    expect(find(store, 1000), NULL, 0);
}

TEST_OF(modelled_times_are_no_hint_for_a_real_gpu, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    gt_scenario scenario = scenario_at(500);
    put_one(store, EMULATED, &scenario, "V=1", 10);
    put_one(store, "no GPU of that name", &scenario, "V=2", 10);
    expect(find(store, 1000), NULL, 0);
    gt_device emulated = device_of("emulated A", "emu:a:model1");
    GT_SCOPED(gt_related_list_free) gt_related_list list = find_on(store, &emulated, 1000);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[0].config, "V=1");
}

TEST_OF(related_trials_leave_out_unsampled_and_damaged, world *w, open_world, close_world)
{
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    gt_scenario scenario = scenario_at(500);
    gt_trial trials[4] = {trial_of(1, "V=1", 10), trial_of(2, "V=2", 20), trial_of(3, "V=3", 0),
                          trial_of(4, "V=4", 40)};
    trials[1].status = GT_TRIAL_ELIMINATED;
    trials[2].time = (gt_summary){0};
    put(store, ENVIRONMENT, &scenario, trials, 4);
    gt_store_close(store);
    run_sql(w->path, "UPDATE trial SET median = 1 WHERE config = 'V=4'");
    store = open_store(w);
    expect(find(store, 1000), (const char *[]){"V=1", "V=2"}, 2);
}

/* The winner, the fastest trials and some other trials of each scenario are returned. The more
 * distant a scenario is, the fewer of its trials are returned. */
TEST_OF(very_many_trials_are_chosen_from, world *w, open_world, close_world)
{
    enum { EACH = 400, SCENARIOS = 6 };
    GT_SCOPED(close_store) gt_store *store = open_with_gpus(w);
    static gt_trial trials[EACH];
    static char configs[EACH][16];
    for (int i = 0; i < EACH; i++) {
        snprintf(configs[i], sizeof configs[i], "V=%d", i);
        trials[i] = trial_of((uint64_t)i + 10, configs[i], 100 + i);
    }
    for (int64_t k = 1; k <= SCENARIOS; k++) {
        int64_t n = 1000 * k;
        gt_scenario scenario = scenario_at(n);
        put(store, ENVIRONMENT, &scenario, trials, EACH);
        put_size(store, n, 50); /* VEC=4 wins */
    }
    GT_SCOPED(gt_related_list_free) gt_related_list list = find(store, 500);
    enum { MOST = 1 + GT_RELATED_FASTEST + GT_RELATED_OF_ONE }; /* for each scenario */
    assert_in_range(list.count, GT_RELATED_MAX - MOST, GT_RELATED_MAX);
    size_t nearest = 0;
    while (list.items[nearest].group == 0) {
        nearest++;
    }
    assert_in_range(nearest, GT_RELATED_OF_ONE, MOST);
    assert_string_equal(list.items[0].config, "VEC=4");
    for (int i = 1; i < GT_RELATED_FASTEST - 1; i++) {
        assert_true(list.items[i + 1].time_ns == 100 + i - 1);
    }
    assert_true(list.items[nearest - 1].time_ns > 300);
}

/* If both databases have a scenario on a GPU, only the user's trials are returned. */
TEST_OF(all_layers_are_read, world *w, open_world, close_world)
{
    char system[128];
    gt_scenario scenario = scenario_at(500), far = scenario_at(100);
    snprintf(system, sizeof system, "%s/system.db", w->folder);
    gt_store *store;
    ASSERT_OK(gt_store_open(&store, system, NULL, &w->log, false));
    register_gpu(store, ENVIRONMENT, "A", "cuda");
    register_gpu(store, OTHER_GPU, "B", "cuda");
    put_one(store, ENVIRONMENT, &scenario, "V=2", 10);
    put_one(store, OTHER_GPU, &scenario, "V=3", 10);
    gt_store_close(store);
    gt_store_close(open_with_gpus(w));
    ASSERT_OK(gt_store_open(&store, w->path, system, &w->log, false));
    expect(find(store, 1000), (const char *[]){"V=2", "V=3"}, 2);
    put_one(store, ENVIRONMENT, &far, "V=4", 10);
    put_one(store, ENVIRONMENT, &scenario, "V=5", 10);
    expect(find(store, 1000), (const char *[]){"V=5", "V=4", "V=3"}, 3);
    gt_store_close(store);
}

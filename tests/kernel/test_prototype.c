/* Compares the launches of prototypes with those of gt_launch_bind(), for shipped templates at
 * random configurations and sizes. */
#include "kernel_support.h"

#include "base/random.h"
#include "kernel/bind/prototype.h"

static void open_file(setup *out, const char *name)
{
    GT_FREED char *path = NULL, *text = NULL;
    ASSERT_OK(gt_format(&path, "templates/%s.cu", name));
    ASSERT_OK(gt_file_read(&text, NULL, path));
    setup_open(out, text, "sm_90");
}

static gt_problem other_sizes(const setup *b, gt_random *random)
{
    gt_problem other = b->problem;
    for (uint32_t i = 0; i < b->template->problem_count; i++) {
        const int64_t unit = INT64_C(1) << gt_random_below(random, 8);
        if (b->template->problem[i].kind == GT_PROBLEM_SIZE) {
            other.values[i].number =
                unit *
                (int64_t)(1 + gt_random_below(random, UINT64_C(1) << gt_random_below(random, 14)));
        }
    }
    return other;
}

static void expect_same_bytes(const setup *b, const gt_launch *launch, const gt_workload *workload,
                              const uint64_t *bytes)
{
    for (uint32_t i = 0; i < b->template->argument_count; i++) {
        const uint32_t index = workload->arguments[i].index;
        assert_int_equal(bytes[i],
                         workload->arguments[i].is_buffer ? workload->buffers[index].bytes : 0);
        if (launch->parameters[i].clear_bytes) {
            assert_int_equal(launch->parameters[i].clear_bytes, bytes[i]);
        }
    }
    for (uint32_t i = b->template->argument_count; i < b->template->parameter_count; i++) {
        assert_int_equal(launch->parameters[i].scratch_bytes, bytes[i]);
    }
}

/* Checks that the prototype computes the right launch at other sizes. Returns 1 if `config` is
 * valid at these sizes. */
static size_t compare_at(const setup *b, const gt_prototype *prototype, const gt_config *config,
                         const gt_problem *problem)
{
    static gt_workload workload;
    static gt_launch launch;
    gt_space *space;
    gt_prototype_sizes sizes;
    bool found = gt_prototype_launch(&sizes, prototype, problem);
    if (gt_workload_bind(&workload, b->template, problem, &b->device, 0, NULL, 0) < 0) {
        assert_false(found);
        return 0;
    }
    ASSERT_OK(gt_space_open(&space, b->template, problem, &workload, &b->device, NULL, 0));
    bool valid = !gt_space_excludes(space, config);
    gt_space_free(space);
    assert_int_equal(found, valid);
    if (found) {
        ASSERT_OK(gt_launch_bind(&launch, b->template, problem, config, &b->device));
        for (uint32_t i = 0; i < launch.step_count; i++) {
            assert_memory_equal(sizes.grids[i], launch.steps[i].grid, sizeof sizes.grids[i]);
        }
        expect_same_bytes(b, &launch, &workload, sizes.bytes);
        assert_memory_equal(sizes.maps, launch.maps, launch.map_count * sizeof *launch.maps);
        for (uint32_t i = 0; i < launch.parameter_count; i++) {
            const gt_parameter *one = &launch.parameters[i];
            assert_true(one->kind != GT_PARAMETER_VALUE ||
                        (uint64_t)sizes.values[one->map] == one->scratch_bytes);
        }
    }
    return found;
}

static size_t compare(const char *name)
{
    enum { CONFIGS = 20, SIZES = 50 };
    GT_SCOPED(setup_close) setup b = {0};
    gt_random random = {17};
    gt_config config;
    size_t compared = 0;
    open_file(&b, name);
    for (int c = 0; c < CONFIGS && gt_space_draw(b.space, &random, &config); c++) {
        GT_FREED gt_prototype *prototype = NULL;
        ASSERT_OK(gt_prototype_make(&prototype, b.template, &b.problem, &config, &b.device));
        for (int i = 0; i < SIZES; i++) {
            const gt_problem other = other_sizes(&b, &random);
            compared += compare_at(&b, prototype, &config, &other);
        }
    }
    return compared;
}

TEST(launches_are_those_of_the_template)
{
    static const char *const names[] = {"axpy",   "dot",  "gemm", "gemm_bf16", "gemv",
                                        "reduce", "scan", "copy", "transpose"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t compared = compare(names[i]);
        print_message("%s: %zu launches\n", names[i], compared);
        assert_true(compared >= 10);
    }
}

TEST(other_launches_have_no_prototype)
{
    static const char *const clauses[] = {
        "grid(1) block(64)", /* the first three have a prototype */
        "launch(k, block = 64, grid = 1, args = (y, x, 2 * 7))",
        "launch(k, block = 64, grid = 1, args = (y, x, n / 2))",
        "grid(1) block(min(256, n))",
        "grid(1) block(64) shared(4 * n)",
        "grid(1) block(64) cooperative()",
        "grid(1) block(64) l2_persist(A = 50 : x)"};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        GT_FREED gt_prototype *prototype = NULL;
        gt_text_printf(&text,
                       "#pragma gputune kernel(k) problem(n = 4096) args(out float y[n], "
                       "in float x[n], int n)\n"
                       "#pragma gputune %s\n"
                       "__global__ void k(float *y, const float *x, int n) {}\n",
                       clauses[i]);
        SETUP(b, gt_text_string(&text), "sm_90");
        const gt_config config = gt_config_default(b.template);
        assert_int_equal(gt_prototype_make(&prototype, b.template, &b.problem, &config, &b.device),
                         i < 3 ? GPUTUNE_OK : GPUTUNE_EUNSUPPORTED);
    }
}

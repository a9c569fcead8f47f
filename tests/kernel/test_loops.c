/* Tests loops of launches: for(), end(), swap(), when, and computed arguments. */
#include "kernel_support.h"

#include "kernel/template/axis_kind.h"

#define P "#pragma gputune "
#define HEAD                                                                                       \
    P "kernel(both) problem(n = 1000) tune(B = 64, 128) tune(T = 1, 2)\n" P                        \
      "args(inout float y[n], in float x[n], int n) scratch(float part[n])\n"
#define FUNCTIONS                                                                                  \
    "__global__ void work(float *to, const float *from, int n) { to[0] = T + B; }\n"               \
    "__global__ void at(float *y, int i, unsigned long long j, unsigned char k) { y[0] = T; }\n"   \
    "__global__ void real(float *y, float i) {}\n"                                                 \
    "template <typename N> __global__ void some(float *y, N i) {}\n"

/* Returns "STEP:GRID(VALUES)" for each launch. A buffer is shown as the number of its parameter. */
static const char *trace(const gt_launch *launch)
{
    static char text[2048];
    gt_iteration run;
    const gt_launch_view view = gt_launch_view_of(launch);
    size_t length = 0;
    text[0] = '\0';
    gt_iteration_begin(&run);
    while (gt_launch_next(&run, &view)) {
        const gt_kernel_step *step = &launch->steps[run.step];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%u:%u(",
                                   length ? " " : "", run.step, run.grid[0]);
        for (uint32_t i = 0; i < step->parameter_count; i++) {
            const gt_parameter *parameter = &launch->parameters[step->parameters[i]];
            bool value = parameter->kind == GT_PARAMETER_VALUE;
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", i ? "," : "",
                                       value ? (long long)run.values[parameter->map]
                                             : (long long)run.places[step->parameters[i]]);
        }
        length += (size_t)snprintf(text + length, sizeof text - length, ")");
    }
    assert_int_equal(run.error, GT_SEQUENCE_FINE);
    return text;
}

static void assert_trace(const char *pipeline, const char *config, const char *expected)
{
    char all[2048];
    (void)snprintf(all, sizeof all, HEAD "%s" FUNCTIONS, pipeline);
    SETUP(b, all, "sm_90");
    const gt_launch launch = launch_of(&b, config);
    assert_string_equal(trace(&launch), expected);
}

#define WORK     "launch(work, block = B, grid = 1, args = (y, x, n))"
#define AT(rest) "launch(at, block = B, " rest ")"

TEST(test_counters_are_in_grids_and_arguments)
{
    assert_trace(P
                 "for(i = 0; i < 3; ++i)\n" P AT("grid = 8 - i * T, args = (y, i, i + 10, B)") "\n",
                 "B=128 T=2", "0:8(0,0,10,128) 0:6(0,1,11,128) 0:4(0,2,12,128)");
    assert_trace(P "for(k = 2; k <= 4; k <<= 1) for(j = k >> 1; j > 0; j /= 2)\n" P AT(
                     "grid = 1, args = (y, j, k, 0)") "\n",
                 "", "0:1(0,1,2,0) 0:1(0,2,4,0) 0:1(0,1,4,0)");
    assert_trace(P "for(i = 2; i; i--)\n" P AT("grid = i, args = (y, i, 0, 0)") "\n" P
                                                                                "end(i)\n" P WORK
                                                                                "\n",
                 "", "0:2(0,2,0,0) 0:1(0,1,0,0) 1:1(0,1,2)");
    assert_trace(P "for(i = 0; i < 2; i += T) " AT(
                     "grid = 1, args = (y, i, 0, 0)") " end(i)\n" P
                                                      "for(i = 9; i < 10; i = i + 1) " AT(
                                                          "grid = 1, args = (y, i, 0, 0)") "\n",
                 "T=2", "0:1(0,0,0,0) 1:1(0,9,0,0)");
}

TEST(test_conditions_and_repetitions)
{
    assert_trace(
        P "for(i = 0; i < 4; ++i)\n" P AT("grid = 1, args = (y, i, 0, 0), when = i % T == 1") "\n",
        "T=2", "0:1(0,1,0,0) 0:1(0,3,0,0)");
    assert_trace(P WORK "\n" P
                        "launch(work, block = B, grid = 2, args = (y, x, n), when = T > 1)\n",
                 "T=1", "0:1(0,1,2)");
    gt_iteration run;
    SETUP(b,
          HEAD P "for(i = 1; i < 3; ++i)\n" P
                 "launch(work, block = 32 * i, grid = 1, times = i, args = (y, x, n))\n" FUNCTIONS,
          "sm_90");
    const gt_launch launch = launch_of(&b, "");
    const gt_launch_view view = gt_launch_view_of(&launch);
    assert_int_equal(gt_launch_kernels(&launch), 3);
    assert_int_equal(launch.steps[0].block[0], 64); /* the largest block */
    gt_iteration_begin(&run);
    assert_true(gt_launch_next(&run, &view));
    assert_int_equal(run.block[0], 32);
    assert_true(gt_launch_next(&run, &view));
    assert_int_equal(run.times, 2);
    assert_false(gt_launch_next(&run, &view));
}

TEST(test_buffers_change_places)
{
    assert_trace(P "for(t = 0; t < 3; ++t)\n" P
                   "launch(work, block = B, grid = 1, args = (part, y, n)) swap(y, part)\n",
                 "", "0:1(3,0,2) 0:1(0,3,2) 0:1(3,0,2)");
}

/* A vector axis of one buffer also applies to buffers that are swapped with it. */
TEST(test_swapped_buffers_are_aligned_alike)
{
    GT_SCOPED(template_end)
    gt_template *template = parse(
        P "kernel(k) problem(n = 64) args(inout float a[n], inout float b[n], out float c[n])\n" P
          "vector(VEC = 1, 4 : a) for(t = 0; t < 3; ++t)\n" P
          "launch(f, block = 32, grid = VEC, args = (a, b)) swap(a, b)\n"
          "__global__ void f(float *a, float *b) { VEC; }\n");
    assert_int_equal(template->axes[0].buffers, 3);
}

TEST(test_shapes_are_shown)
{
    char text[GT_SHAPES_TEXT];
    SETUP(b,
          HEAD P "for(i = 0; i < n - 1; ++i)\n" P
                 "launch(work, block = 64, grid = (n - i, 2), args = (y, x, n))\n" P WORK
                 "\n" FUNCTIONS,
          "sm_90");
    const gt_launch launch = launch_of(&b, "");
    gt_launch_grids(text, &launch);
    assert_string_equal(text, "1000x2..2x2 (999 times) + 1 (999 times)");
    gt_launch_blocks(text, &launch);
    assert_string_equal(text, "64 + 64");
}

TEST(test_clusters)
{
    GT_SCOPED(setup_close) setup b = {0};
    gt_iteration run;
    setup_open(
        &b,
        HEAD P
        "for(i = 1; i < 4; ++i)\n" P
        "launch(work, block = 64, grid = 3 * i, cluster = 2 * T, args = (y, x, n))\n" FUNCTIONS,
        "sm_90");
    const gt_launch launch = launch_of(&b, "T=2");
    const gt_launch_view view = gt_launch_view_of(&launch);
    gt_iteration_begin(&run);
    for (uint32_t grid = 4; grid <= 12; grid += 4) {
        assert_true(gt_launch_next(&run, &view));
        assert_int_equal(run.grid[0], grid);
    }
}

/* Fills the stack with nonzero bytes, to reveal uninitialised variables in later calls. */
static void __attribute__((noinline)) fill_stack(void)
{
    volatile char below[1 << 17];
    for (size_t i = 0; i < sizeof below; i++) {
        below[i] = 0x55;
    }
}

static void assert_count(const char *pipeline, size_t expected)
{
    char all[2048];
    (void)snprintf(all, sizeof all, HEAD "%s" FUNCTIONS, pipeline);
    SETUP(b, all, "sm_90");
    fill_stack();
    assert_int_equal(count_valid(b.space), expected);
}

/* Each launch must respect the device's limits, and the number of launches is limited. */
TEST(test_limits)
{
    assert_count(P "for(i = 0; i < 3; ++i) " AT("grid = 3 - i * T, args = (y, i, 0, 0)") "\n", 2);
    assert_count(P "for(i = 0; i < 3; ++i) launch(work, block = B * (i + 1) * 4, grid = 1, "
                   "args = (y, x, n))\n",
                 2);
    assert_count(P "for(i = 0; i < 3; i += T - 1) " WORK "\n", 2);         /* never ends */
    assert_count(P "for(i = 0; i < T << 15; ++i) " WORK " " WORK "\n", 2); /* too many launches */
    assert_count(P "for(i = 0; i < 2; ++i) launch(work, block = B, grid = 2, args = (y, x, n), "
                   "times = T << 15)\n",
                 2);
    assert_count(P "for(i = T; i < 2; ++i) " WORK "\n", 2);
    assert_count(P "for(i = 0; i < 3 / (T - 1); ++i) " WORK "\n", 2);
    assert_count(P "for(i = 0; i < 3; ++i) " AT("grid = 1, args = (y, i, 0, i + 127 * T)") "\n", 2);
    assert_count(P "for(i = 0; i < 3; ++i) " AT("grid = 1, args = (y, i, i - T + 1, 0)") "\n", 2);
    assert_count(P AT("grid = 1, args = (y, 0, 0, 128 * T)") "\n", 2);
    assert_count(P AT("grid = 1, args = (y, 0, 1 - T, 1 / (B - 64))") "\n", 1);
}

TEST(test_identities)
{
    static const char *const pipelines[] = {
        P "for(i = 0; i < 3; ++i) " WORK " end(i) " WORK "\n",
        P "for(i = 0; i < 3; ++i) " WORK " " WORK " end(i)\n",
        P "for(i = 0; i < 4; ++i) " WORK " " WORK " end(i)\n",
        P "for(i = 0; i < 3; ++i) " WORK " swap(y, part) " WORK " end(i)\n",
        P "for(i = 0; i < 3; ++i) " WORK " " WORK " swap(y, part) end(i)\n",
        P "for(i = 0; i < 3; ++i) " WORK " " WORK " end(i) swap(y, part)\n"};
    enum { COUNT = sizeof pipelines / sizeof *pipelines };
    gt_hash hashes[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char all[2048];
        (void)snprintf(all, sizeof all, HEAD P "require(B > T)\n%s" FUNCTIONS, pipelines[i]);
        hashes[i] = identity_of(all);
        for (int k = 0; k < i; k++) {
            assert_false(gt_hash_equal(hashes[i], hashes[k]));
        }
    }
}

TEST(test_launches_that_differ_have_other_hashes)
{
    SETUP(b, HEAD P "for(i = 0; i < 2 * T; ++i) " WORK "\n" FUNCTIONS, "sm_90");
    const gt_launch one = launch_of(&b, "T=1"), other = launch_of(&b, "T=2");
    assert_false(gt_hash_equal(gt_launch_hash(&one), gt_launch_hash(&other)));
}

TEST(test_swapped_buffers_have_equal_bytes)
{
    gt_launch launch;
    SETUP(b,
          P "kernel(k) problem(n = 64) args(inout float y[n]) scratch(float part[2 * n])\n" P
            "for(t = 0; t < 2; ++t) launch(f, block = 32, grid = 2) swap(y, part)\n"
            "__global__ void f(float *y, float *part) {}\n",
          "sm_90");
    const gt_config standard = gt_config_default(b.template);
    assert_int_equal(gt_launch_bind(&launch, b.template, &b.problem, &standard, &b.device),
                     GPUTUNE_EINVAL);
    assert_string_equal(
        gt_message(),
        "swap(y, part): the buffers have 256 and 512 bytes at these sizes; expected equal sizes");
}

static const char *const mistakes[][2] = {
    {P "for(i = 0; i < 3) " WORK "\n",
     "a.cu:3:33: the pragma ends here; expected ';', as in for(i = 0; i < n; ++i)"},
    {P "for(i = 0; i < 3; k++) " WORK "\n",
     "a.cu:3:35: found 'k'; expected the counter's next value, as in ++i, i += 2 or i /= 2"},
    {P "for(i = 0; i < 3; i ^= 1) " WORK "\n",
     "a.cu:3:37: found '^='; expected ++, --, = or an assignment such as +=, *= or >>="},
    {P "for(B = 0; B < 3; ++B) " WORK "\n",
     "a.cu:3:21: 'B' is declared twice; expected another name (first on line 1)"},
    {P "for(i = 0; i < 3; ++i) for(i = 0; i < 2; ++i) " WORK "\n",
     "a.cu:3:44: 'i' counts the loop around this one; expected another name"},
    {P "for(a = 0; a < 3; ++a) for(b = 0; b < 2; ++b) for(c = 0; c < 2; ++c)\n" P
       "for(d = 0; d < 1; ++d) " WORK "\n",
     "a.cu:4:17: more than 3 nested loops; expected fewer"},
    {P "for(i = 0; i < 3; ++i) for(j = 0; j < 3; ++j) " WORK " end(i)\n",
     "a.cu:3:119: end(i) in for(j); expected end(j)"},
    {P WORK " end(i)\n", "a.cu:3:73: end(i) without a for(i); expected one before it"},
    {P WORK " for(i = 0; i < 3; ++i)\n",
     "a.cu:3:69: for(i) without a launch(); expected one after it"},
    {P "block(1) grid(1) for(i = 0; i < 3; ++i)\n",
     "a.cu:3:34: a loop without launch(); expected launch(KERNEL, …) in it"},
    {P WORK " " AT("grid = i, args = (y, 0, 0, 0)") "\n",
     "a.cu:3:98: unknown name 'i'; expected a tunable, a problem value or a device property"},
    {P "for(i = 0; i < 3; ++i) " AT("grid = 1, shared = i, args = (y, 0, 0, 0)") "\n",
     "a.cu:3:81: 'i' is a loop's counter; expected a tunable, a problem value or a device property "
     "here"},
    {P "for(i = 0; i < 3; ++i) launch(real, block = B, grid = 1, args = (y, i))\n",
     "a.cu:3:85: 'real' takes 'i' as float; expected an integer type such as int, the type of 'i'"},
    {P "launch(at, block = B, grid = 1, args = (y, x + n, 0, 0))\n",
     "a.cu:3:64: 'at' takes 'i' as int; expected a pointer, the type of '+ n'"},
    {P WORK " swap(y)\n", "a.cu:3:75: the pragma ends here; expected ',', as in swap(next, now)"},
    {P WORK " swap(y, x)\n",
     "a.cu:3:77: 'x' is not a buffer that kernels may write; expected an inout or scratch buffer"},
    {P WORK " swap(y, y)\n", "a.cu:3:77: a buffer swapped with itself; expected another one"},
    {P "scratch(int count[n]) " WORK " swap(y, count)\n",
     "a.cu:3:99: a buffer of int swapped with one of float; expected equal types"},
    {P
     "require(grid_x < 9) for(i = 0; i < 3; ++i)\n" P AT("grid = i + 1, args = (y, 0, 0, 0)") "\n",
     "a.cu:3:25: 'grid_x < 9' uses the grid or block of the first launch(), which changes in its "
     "loop; expected problem values and tunables"},
};

TEST(test_mistakes)
{
    EXPECT_MISTAKES("a.cu", HEAD "%s" FUNCTIONS, mistakes);
}

/* `x + e` is the address of element e of a buffer or scratch buffer. */
TEST(test_addresses_of_elements)
{
    SETUP(b,
          HEAD P
          "for(i = 1; i < 3; ++i)\n" P
          "launch(work, block = B, grid = 1, args = (part + i * T, x + n - 1, n))\n" FUNCTIONS,
          "sm_90");
    const gt_launch launch = launch_of(&b, "T=2");
    assert_string_equal(trace(&launch), "0:1(8,3996,2) 0:1(16,3996,2)");
    assert_int_equal(launch.parameters[launch.steps[0].parameters[0]].base, 4);
    assert_int_equal(launch.parameters[launch.steps[0].parameters[1]].base, 2);
}

/* Tests plans whose kernel reads a texture: several buffers, several streams, and a graph that
 * outlives plan and tuner. Runs on a GPU with GPUTUNE_TEST_DRIVER=cuda. */
#include "world.h"

enum { N = 64 };

/* y[j][i] is the texel to the right of (i, j), with wrap-around. */
static const char template_text[] =
    "#pragma gputune kernel(turn)\n"
    "#pragma gputune problem(n = 64)\n"
    "#pragma gputune args(out float y[n][n], in float image[n][n], int n)\n"
    "#pragma gputune texture(image, address = wrap, coordinates = normalized)\n"
    "#pragma gputune block(64)\n"
    "#pragma gputune grid(n)\n"
    "__global__ void turn(float *y, cudaTextureObject_t image, int n)\n"
    "{ int i = threadIdx.x, j = blockIdx.x;\n"
    "  if (i < n) y[j * n + i] = tex2D<float>(image, (i + 1.5f) / n, (j + 0.5f) / n); }\n";

/* y[k][j][i] is row[k][i] plus a value of x: the mean of texels i and i + 1 in row j of layer k +
 * 1, or of the last layer if there is none. Texels beyond the edge are zero. A row has 65 elements,
 * which is not a multiple of 32 bytes. */
enum { LAYERS = 3, ROWS = 5, WIDTH = 65, ALL = LAYERS * ROWS * WIDTH };
static const char layered_text[] =
    "#pragma gputune kernel(lift)\n"
    "#pragma gputune problem(d = 3, h = 5, w = 65)\n"
    "#pragma gputune args(out float y[d][h][w], in float x[d][h][w], in float row[d][w], int w)\n"
    "#pragma gputune texture(x, memory = layered, filter = linear, address = border)\n"
    "#pragma gputune texture(row, memory = layered)\n"
    "#pragma gputune block(128) grid(h, d)\n"
    "__global__ void lift(float *y, cudaTextureObject_t x, cudaTextureObject_t row, int w)\n"
    "{ int i = threadIdx.x, j = blockIdx.x, k = blockIdx.y;\n"
    "  if (i < w) y[(k * gridDim.x + j) * w + i] =\n"
    "    tex2DLayered<float>(x, i + 1, j + 0.5f, k + 1) + tex1DLayered<float>(row, i + 0.5f, k); "
    "}\n";

static CUdeviceptr image_of(float first)
{
    float values[N * N];
    for (int i = 0; i < N * N; i++) {
        values[i] = first + (float)i;
    }
    return buffer_of(values, sizeof values);
}

static gputune_plan *layered_plan_of(gputune *tuner)
{
    OK(gputune_add_source(tuner, "lift.cu", layered_text, NULL));
    return plan_untuned(tuner, "lift", GPUTUNE_SIZES({"w", WIDTH}));
}

static int launch_lift(gputune_plan *plan, CUstream stream, CUdeviceptr y, CUdeviceptr x)
{
    int w = WIDTH;
    return gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &x, &x, &w));
}

static void write_image(CUdeviceptr x, float first)
{
    float values[ALL];
    for (int i = 0; i < ALL; i++) {
        values[i] = first + (float)i;
    }
    CU(MemcpyHtoD(x, values, sizeof values));
}

static void expect_lifted(CUdeviceptr y, float first)
{
    float values[ALL];
    CU(MemcpyDtoH(values, y, sizeof values));
    for (int at = 0; at < ALL; at++) {
        int i = at % WIDTH, j = at / WIDTH % ROWS, k = at / WIDTH / ROWS;
        int up = k + 1 < LAYERS ? k + 1 : k, texel = (up * ROWS + j) * WIDTH + i;
        float here = first + (float)texel, beside = i + 1 < WIDTH ? here + 1 : 0;
        assert_float_equal(values[at], (here + beside) / 2 + first + (float)(k * WIDTH + i), 0);
    }
}

static gputune_plan *plan_of(gputune *tuner)
{
    OK(gputune_add_source(tuner, "turn.cu", template_text, NULL));
    return plan_untuned(tuner, "turn", GPUTUNE_SIZES({"n", N}));
}

static int launch(gputune_plan *plan, CUstream stream, CUdeviceptr y, CUdeviceptr image)
{
    int n = N;
    return gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &image, &n));
}

static void expect_turned(CUdeviceptr y, float first)
{
    float values[N * N];
    CU(MemcpyDtoH(values, y, sizeof values));
    for (int i = 0; i < N * N; i++) {
        int from = i % N == N - 1 ? i - N + 1 : i + 1;
        assert_float_equal(values[i], first + (float)from, 0);
    }
}

TEST_WITH_TUNER(each_buffer_is_read_by_its_launches, ":memory:")
{
    GT_SCOPED(plan_end) gputune_plan *plan = plan_of(tuner);
    CUstream streams[2] = {stream_new(), stream_new()};
    CUdeviceptr images[2] = {image_of(0), image_of(5000)}, results[2] = {image_of(0), image_of(0)};
    for (int round = 0; round < 4; round++) {
        OK(launch(plan, streams[round / 2], results[round % 2], images[round % 2]));
        CU(StreamSynchronize(streams[round / 2]));
        expect_turned(results[round % 2], round % 2 ? 5000 : 0);
    }
    assert_int_equal(launch(plan, NULL, results[0], images[0] + 256), GPUTUNE_EINVAL);
}

TEST(a_graph_keeps_its_texture)
{
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan = plan_of(tuner);
    CUstream stream = stream_new();
    CUdeviceptr image = image_of(7), y = image_of(0);
    CU(StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch(plan, stream, y, image));
    CUgraphExec exec = capture_end(stream);
    gputune_plan_release(plan);
    gputune_close(tuner);
    CU(GraphLaunch(exec, stream));
    CU(StreamSynchronize(stream));
    expect_turned(y, 7);
    CU(GraphExecDestroy(exec));
}

/* A launch reads the layers as they are in the buffer when the launch begins, even in a graph that
 * is replayed after plan and tuner are closed. */
TEST(layers_are_copied_by_each_launch)
{
    gputune *tuner = tuner_open(":memory:");
    gputune_plan *plan = layered_plan_of(tuner);
    CUstream streams[2] = {stream_new(), stream_new()};
    static const float zeros[ALL];
    CUdeviceptr x[2] = {buffer_of(zeros, sizeof zeros), buffer_of(zeros, sizeof zeros)},
                y[2] = {buffer_of(zeros, sizeof zeros), buffer_of(zeros, sizeof zeros)};
    for (int round = 0; round < 4; round++) {
        const float first = (float)(100 * round);
        write_image(x[round % 2], first);
        OK(launch_lift(plan, streams[round / 2], y[round % 2], x[round % 2]));
        CU(StreamSynchronize(streams[round / 2]));
        expect_lifted(y[round % 2], first);
    }
    CU(StreamBeginCapture(streams[0], CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(launch_lift(plan, streams[0], y[0], x[0]));
    CUgraphExec exec = capture_end(streams[0]);
    gputune_plan_release(plan);
    gputune_close(tuner);
    for (int round = 0; round < 2; round++) {
        const float first = (float)(round * 5000);
        write_image(x[0], first);
        CU(GraphLaunch(exec, streams[0]));
        CU(StreamSynchronize(streams[0]));
        expect_lifted(y[0], first);
    }
    CU(GraphExecDestroy(exec));
}

TESTS_WITHIN(open_device, world_close)

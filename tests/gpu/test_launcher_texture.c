/* Tests creating, keeping and destroying the texture objects of a launch. */
#include "launcher_support.h"

#include "emulator/driver_abi.h"

static bool with_pass; /* true if a parameter block is the first argument */

/* kernel(texture, count) */
static gt_launch make_texture_launch(gt_texture texture, gt_pass pass)
{
    gt_launch launch = make_launch(pass);
    for (uint32_t i = 0; i < launch.parameter_count; i++) {
        if (launch.parameters[i].kind == GT_PARAMETER_BUFFER) {
            launch.parameters[i].kind = GT_PARAMETER_TEXTURE;
        }
    }
    with_pass = pass != GT_PASS_NONE;
    launch.texture_count = 1;
    launch.textures[0] = texture;
    return launch;
}

static const gt_texture rows = {.format = CU_AD_FORMAT_FLOAT,
                                .channels = 2,
                                .filter = CU_TR_FILTER_MODE_LINEAR,
                                .address = CU_TR_ADDRESS_MODE_BORDER,
                                .flags = CU_TRSF_NORMALIZED_COORDINATES,
                                .height = 30,
                                .width = 50,
                                .pitch_bytes = 512};
static const gt_texture line = {.format = CU_AD_FORMAT_SIGNED_INT32,
                                .channels = 1,
                                .address = CU_TR_ADDRESS_MODE_CLAMP,
                                .flags = CU_TRSF_READ_AS_INTEGER,
                                .width = 100,
                                .pitch_bytes = 400};

static const gt_texture layers = {.format = CU_AD_FORMAT_FLOAT,
                                  .channels = 2,
                                  .address = CU_TR_ADDRESS_MODE_CLAMP,
                                  .memory = GT_TEXTURE_LAYERED,
                                  .height = 30,
                                  .depth = 5,
                                  .width = 50,
                                  .row_bytes = 400,
                                  .pitch_bytes = 408};

static const CUdeviceptr here = 0x10000, there = 0x20000;

static void launch_at(gt_launcher *launcher, int stream, const CUdeviceptr *address)
{
    const void *const plain[] = {address, &count}, *const with_block[] = {block, address, &count};
    if (gt_launcher_launch(launcher, fake_stream(stream), with_pass ? with_block : plain) < 0) {
        fail_msg("%s", gt_message());
    }
}

TEST_WITHIN(test_rows_are_described, setup, NULL)
{
    const gt_launch launch = make_texture_launch(rows, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    launch_at(launcher, 1, &here);
    assert_int_equal(fake.resource.resType, CU_RESOURCE_TYPE_PITCH2D);
    assert_int_equal(fake.resource.res.pitch2D.devPtr, here);
    assert_int_equal(fake.resource.res.pitch2D.format, CU_AD_FORMAT_FLOAT);
    assert_int_equal(fake.resource.res.pitch2D.numChannels, 2);
    assert_int_equal(fake.resource.res.pitch2D.width, 50);
    assert_int_equal(fake.resource.res.pitch2D.height, 30);
    assert_int_equal(fake.resource.res.pitch2D.pitchInBytes, 512);
    assert_int_equal(fake.texture.filterMode, CU_TR_FILTER_MODE_LINEAR);
    assert_int_equal(fake.texture.addressMode[0], CU_TR_ADDRESS_MODE_BORDER);
    assert_int_equal(fake.texture.addressMode[1], CU_TR_ADDRESS_MODE_BORDER);
    assert_int_equal(fake.texture.flags, CU_TRSF_NORMALIZED_COORDINATES);
    assert_int_equal(fake_find("LaunchKernelEx", 0)->parameters[0],
                     fake_find("TexObjectCreate", 0)->object);
}

TEST_WITHIN(test_linear_memory_is_described, setup, NULL)
{
    const gt_launch launch = make_texture_launch(line, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    launch_at(launcher, 1, &here);
    assert_int_equal(fake.resource.resType, CU_RESOURCE_TYPE_LINEAR);
    assert_int_equal(fake.resource.res.linear.devPtr, here);
    assert_int_equal(fake.resource.res.linear.sizeInBytes, 400);
}

/* Each stream has its own array. Each launch first fills the array from the buffer, which may have
 * any address. */
TEST_WITHIN(test_arrays_are_filled_before_each_launch, setup, NULL)
{
    static const CUdeviceptr anywhere = 0x10004;
    const gt_launch launch = make_texture_launch(layers, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    launch_at(launcher, 1, &here);
    assert_int_equal(fake.array.Width, 50);
    assert_int_equal(fake.array.Height, 30);
    assert_int_equal(fake.array.Depth, 5);
    assert_int_equal(fake.array.NumChannels, 2);
    assert_int_equal(fake.array.Flags, CUDA_ARRAY3D_LAYERED);
    assert_int_equal(fake.resource.resType, CU_RESOURCE_TYPE_ARRAY);
    assert_int_equal(fake.copy.WidthInBytes, 400);
    assert_int_equal(fake.copy.srcPitch, 408);
    assert_int_equal(fake.copy.Height, 30);
    assert_int_equal(fake.copy.Depth, 5);
    launch_at(launcher, 1, &anywhere);
    assert_int_equal(fake.copy.srcDevice, anywhere);
    launch_at(launcher, 2, &there);
    assert_int_equal(fake_count("Array3DCreate"), 2);
    assert_int_equal(fake_count("TexObjectCreate"), 2);
    for (size_t i = 0; i < 3; i++) {
        const fake_call *copy = fake_find("Memcpy3DAsync", i);
        assert_ptr_equal(copy->stream, fake_stream(i < 2 ? 1 : 2));
        assert_int_equal(copy->object, fake_find("Array3DCreate", i / 2)->object);
        assert_int_equal(fake_find("LaunchKernelEx", i)->parameters[0],
                         fake_find("TexObjectCreate", i / 2)->object);
    }
}

TEST_WITHIN(test_arrays_of_one_dimension_and_three, setup, NULL)
{
    gt_texture texture = layers;
    texture.memory = GT_TEXTURE_ARRAY;
    for (int i = 0; i < 2; i++) {
        const gt_launch launch = make_texture_launch(texture, GT_PASS_NONE);
        gt_launcher *launcher = load(&launch);
        launch_at(launcher, 1, &here);
        assert_int_equal(fake.array.Flags, 0);
        assert_int_equal(fake.array.Height, i ? 0 : 30);
        assert_int_equal(fake.copy.Height, i ? 1 : 30);
        assert_int_equal(fake.copy.Depth, i ? 1 : 5);
        free_and_check(launcher);
        texture.height = texture.depth = 0;
    }
}

TEST_WITHIN(each_address_has_one_texture_object, setup, NULL)
{
    const gt_launch launch = make_texture_launch(line, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    launch_at(launcher, 1, &here);
    launch_at(launcher, 2, &there);
    launch_at(launcher, 1, &here);
    launch_at(launcher, 2, &there);
    assert_int_equal(fake_count("TexObjectCreate"), 2);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(fake_find("LaunchKernelEx", i)->parameters[0],
                         fake_find("TexObjectCreate", i % 2)->object);
    }
    assert_int_equal(fake_count("TexObjectDestroy"), 0);
}

/* The texture objects and arrays of a captured launch live until the graph is destroyed, even if
 * the launcher is freed first. */
TEST_WITHIN(graph_keeps_its_texture_objects, setup, NULL)
{
    static const gt_pass ways[] = {GT_PASS_NONE, GT_PASS_GLOBAL, GT_PASS_CONSTANT};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof *ways; i++) {
        const gt_launch launch = make_texture_launch(i % 2 ? layers : line, ways[i / 2]);
        fake_reset();
        gt_launcher *launcher = load(&launch);
        fake.capture_status[1] = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        launch_at(launcher, 1, &here);
        assert_true(fake_find("TexObjectCreate", 0)->relaxed);
        gt_launcher_free(launcher);
        assert_int_equal(fake.live_textures, 1);
        assert_int_equal(fake.live_arrays, i % 2);
        fake_graphs_gone();
        const gt_launch other = make_launch(GT_PASS_NONE);
        memset(fake.parameter_sizes, 0, sizeof fake.parameter_sizes);
        free_and_check(load(&other));
    }
}

TEST_WITHIN(test_refusals, setup, NULL)
{
    const CUdeviceptr between = here + 256;
    const void *const misaligned[] = {&between, &count}, *const good[] = {&here, &count};
    const gt_launch launch = make_texture_launch(line, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), misaligned), GPUTUNE_EINVAL);
    assert_string_equal(gt_message(), "kernel: argument 1 is at 0x10100; its texture needs a "
                                      "multiple of 512 bytes");
    fake.current = fake_context(2);
    ASSERT_FAILS(gt_launcher_launch(launcher, fake_stream(1), good), GPUTUNE_ECUDA,
                 "another CUDA context is current");
    fake.current = fake_context(1);
    fake.fail_name = "TexObjectCreate";
    fake.fail_code = CUDA_ERROR_INVALID_VALUE;
    assert_int_equal(gt_launcher_launch(launcher, fake_stream(1), good), GPUTUNE_ECUDA);
    fake.fail_name = NULL;
    assert_int_equal(fake_count("LaunchKernelEx"), 0);
    launch_at(launcher, 1, &here);
}

TEST_WITHIN(test_no_array, setup, NULL)
{
    static const char *const calls[] = {"Array3DCreate", "TexObjectCreate", "Memcpy3DAsync"};
    const void *const good[] = {&here, &count};
    const gt_launch launch = make_texture_launch(layers, GT_PASS_NONE);
    GT_SCOPED(launcher_end) gt_launcher *launcher = load(&launch);
    fake.fail_code = CUDA_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        fake.fail_name = calls[i];
        assert_true(gt_launcher_launch(launcher, fake_stream(1), good) < 0);
        assert_int_equal(fake_count("LaunchKernelEx"), 0);
    }
    fake.fail_name = NULL;
    launch_at(launcher, 1, &here);
}

/* Tests calls in which an allocation, a file or the farm fails: reading and sending data, compiling
 * a space, verifying a forced configuration, and reading templates. */
#include "failing_world.h"

#include "base/file.h"
#include "store/store.h"
#include "support/folder.h"
#include "tuner/request.h"
#include "tuner/tune.h"

enum { N = 64 };

static const char data_text[] =
    "#pragma gputune kernel(data)\n"
    "#pragma gputune problem(n = 64) problem(type T = short, int) problem(const R = 2, 3)\n"
    "#pragma gputune args(out T y[n], in short x[n] = file(\"x.npy\"), in float v[n], \\\n"
    "                     in int back[n] = n - 1 - index, in float half[n] = index * 0.5, \\\n"
    "                     inout int z[n] = index, int n)\n"
    "#pragma gputune expect(y = file(\"y.npy\"), z = file(\"z.npy\"))\n"
    "%s\n"
    "#pragma gputune vector(VEC = 1, 2 : v)\n"
    "#pragma gputune tune(BLOCK = 64, 128, 256) default(VEC = 2, BLOCK = 128)\n"
    "#pragma gputune block(BLOCK) grid(1)\n"
    "__global__ void data(T *y, const short *x, const float *v, const int *back,\n"
    "                     const float *half, int *z, int n) { y[0] = VEC; }\n";

static void path_of(char out[128], const failing_world *f, const char *name)
{
    snprintf(out, 128, "%s/%s", f->w->folder, name);
}

/* Writes a file as numpy.save() does, with `bytes` zeros as data. */
static void write_npy(const failing_world *f, const char *name, const char *type, int bytes)
{
    char path[128], header[128], data[N * 8] = {0};
    path_of(path, f, name);
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%d,), }",
             type, N);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fwrite("\223NUMPY\001\000\166\000", 1, 10, file);
    fprintf(file, "%-117s\n", header);
    fwrite(data, 1, (size_t)bytes, file);
    fclose(file);
}

/* Writes the template with an additional line, and its data files. */
static void write_data(failing_world *f, const char *more)
{
    file_write(f->w->path, data_text, more);
    write_npy(f, "x.npy", "<i2", 2 * N);
    write_npy(f, "y.npy", "<i2", 2 * N);
    write_npy(f, "z.npy", "<i4", 4 * N);
    write_npy(f, "v.npy", "<f4", 4 * N);
}

static gputune_status send_files(failing_world *f)
{
    char path[128];
    path_of(path, f, "v.npy");
    const gputune_file files[] = {{"v", path}};
    return tune_once(f, &OPTIONS(.files = files, .file_count = 1));
}

/* A host reference that checks the contents of the buffers `z` and `back`. */
static int compute(void *user, gputune_sizes sizes, const gputune_host_argument *arguments,
                   size_t count)
{
    uint32_t *calls = user;
    int64_t n = sizes.items[0].value;
    const int *back = arguments[3].data, *z = arguments[5].data;
    assert_string_equal(sizes.items[1].name, "T=int");
    assert_int_equal(count, 7);
    for (int64_t i = 0; i < n; i++) {
        assert_int_equal(back[i], n - 1 - i);
        assert_int_equal(z[i], i);
    }
    ++*calls;
    return 0;
}

static gputune_status ask_the_host(failing_world *f)
{
    static const gputune_size size = {"T=int", 0};
    uint32_t calls = 0;
    f->sizes = (gputune_sizes){1, &size};
    gputune_status status = tune_once(f, &OPTIONS(.reference = compute, .user = &calls));
    f->sizes = (gputune_sizes){0, NULL};
    return status;
}

static gputune_status give_bytes(void *user, gt_live_input *out, const gputune_input *input)
{
    out->bytes.data = malloc(input->bytes);
    if (!out->bytes.data) {
        return gt_fail_memory();
    }
    out->bytes.bytes = input->bytes;
    memcpy(out->bytes.data, input->data, input->bytes);
    return GPUTUNE_OK;
}

static gputune_status send_buffers(failing_world *f)
{
    static const short x[N];
    static const float v[N];
    const gputune_input inputs[] = {{"x", x, sizeof x, true}, {"v", v, sizeof v, true}};
    const gputune_alignment alignment = {"v", 4};
    gputune_options options =
        OPTIONS(.inputs = inputs, .input_count = 2, .alignments = &alignment, .alignment_count = 1);
    f->w->services.input = give_bytes;
    return tune_once(f, &options);
}

TEST_OF(files_and_expressions, failing_world *f, open_failing, close_failing)
{
    static const char *const calls[] = {"open", "read", "stat", "fopen"};
    write_data(f, "");
    short_of_memory(f, send_files, 5, 997);
    without_the_farm(f, send_files);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        (void)each_failure(calls[i], 1, attempt, NULL, f);
    }
}

static int take(void *user, const gputune_compiled *compiled)
{
    uint32_t *taken = user;
    *taken += strcmp(compiled->status, "ok") == 0;
    return 0;
}

static gputune_status compile_all(failing_world *f)
{
    gt_request *request;
    uint32_t compiled = 0;
    GT_TRY(make_request(&request, f, NULL));
    int status = gt_compile_space(request, take, &compiled);
    assert_true(status != GPUTUNE_OK || compiled > 0);
    gt_request_free(request);
    return status;
}

static gputune_status choose_forced(gt_choice *out, gt_request *request)
{
    return gt_choose_forced(out, request, "BLOCK=256");
}

/* The second call need not verify the configuration again. */
static gputune_status order(failing_world *f)
{
    GT_TRY(choose(f, choose_forced, NULL));
    return choose(f, choose_forced, NULL);
}

static gputune_status order_default(failing_world *f)
{
    return choose(f, gt_choose_default, NULL);
}

static gputune_status take_nearest(failing_world *f)
{
    static const gputune_size other = {"n", 8192};
    GT_TRY(tune_once(f, NULL));
    f->sizes = (gputune_sizes){1, &other};
    gputune_status status = tune_once(f, &OPTIONS(.effort = GPUTUNE_CACHED_ONLY));
    f->sizes = (gputune_sizes){0, NULL};
    return status;
}

static char *wisdom; /* exported result of a tuning */

static gputune_status prove_imported(failing_world *f)
{
    gt_wisdom_import import = {.driver_version = 1, .from = "the text"};
    const gt_patience patience = gt_patience_for(1, NULL);
    failing_pause();
    ASSERT_OK(gt_store_import(&import, f->w->store, wisdom, &patience));
    failing_resume();
    return tune_once(f, NULL);
}

TEST_OF(a_space_that_is_compiled, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, compile_all, 1, 99);
    without_the_farm(f, compile_all);
}

TEST_OF(a_configuration_that_is_forced, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, order, 1, 199);
    without_the_farm(f, order);
    f->best = "BLOCK=128";
    short_of_memory(f, order_default, 1, 99);
}

TEST_OF(the_nearest_size, failing_world *f, open_failing, close_failing)
{
    short_of_memory(f, take_nearest, 5, 997);
}

TEST_OF(wisdom_that_is_proved, failing_world *f, open_failing, close_failing)
{
    world *w = f->w;
    gt_text text = {0};
    uint32_t count;
    const gt_wanted all = {.kernels = NULL};
    scripted_farm_open(&w->farm);
    tuned(w, NULL);
    ASSERT_OK(gt_store_export(&text, &count, w->store, &all, false));
    assert_int_equal(count, 1);
    ASSERT_OK(gt_text_take(&wisdom, &text));
    scripted_farm_close(&w->farm);
    short_of_memory(f, prove_imported, 7, 1999);
    without_the_farm(f, prove_imported);
    free(wisdom);
}

TEST_OF(the_host_as_reference, failing_world *f, open_failing, close_failing)
{
    write_data(f, "");
    write_npy(f, "y.npy", "<i4", 4 * N);
    short_of_memory(f, ask_the_host, 5, 997);
}

TEST_OF(buffers_of_the_host, failing_world *f, open_failing, close_failing)
{
    write_data(f, "");
    short_of_memory(f, send_buffers, 2, 997);
}

static gputune_status outlive_call(failing_world *f)
{
    char path[] = "/dev/null", axis[] = "BLOCK=64";
    const char *only[] = {axis};
    gputune_options options = OPTIONS(.only = only, .only_count = 1, .samples_path = path);
    gt_request *request;
    GT_TRY(make_request(&request, f, &options));
    gputune_status status = gt_request_outlive_call(request);
    memset(path, 'x', sizeof path - 1);
    memset(axis, 'x', sizeof axis - 1);
    if (status == GPUTUNE_OK) {
        assert_string_equal(request->options.samples_path, "/dev/null");
        assert_string_equal(request->only_text, "BLOCK=64");
        assert_true(gt_request_permits(request, &(gt_config){{0}}));
    }
    gt_request_free(request);
    return status;
}

TEST_OF(a_request_that_outlives_its_call, failing_world *f, open_failing, close_failing)
{
    f->act = outlive_call;
    each_allocation(1, attempt, NULL, f);
}

static int count_kernels(void *user, const gt_template *template)
{
    *(int *)user += template->name[0] != '\0';
    return 0;
}

static const char source[] = "#include \"shape.h\"\n"
                             "#pragma gputune kernel(given) args(out int y[4]) block(1) grid(1)\n"
                             "__global__ void given(int *y) {}\n";

static gputune_status read_templates(gt_catalog *catalog, const failing_world *f)
{
    static const gputune_include includes[] = {{"shape.h", "#define SHAPE 1\n"}, {NULL, NULL}};
    const gt_template *template;
    const char *const *options;
    size_t count;
    int kernels = 0;
    GT_TRY(gt_catalog_add(catalog, f->w->path, NULL, NULL, count_kernels, &kernels));
    GT_TRY(gt_catalog_add(catalog, "given.cu", source, includes, count_kernels, &kernels));
    assert_int_equal(kernels, 2);
    GT_TRY(gt_catalog_find(&template, catalog, "given"));
    GT_TRY(gt_catalog_find(&template, catalog, "scale"));
    GT_TRY(gt_catalog_find(&template, catalog, "other"));
    GT_TRY(gt_catalog_compile_options(&options, &count, catalog, template));
    assert_true(count > 0);
    gputune_status status = gt_catalog_find(&template, catalog, "ohter");
    assert_true(status == GPUTUNE_ENOTFOUND || status == GPUTUNE_ENOMEM);
    return status == GPUTUNE_ENOTFOUND ? gt_catalog_each(catalog, NULL, count_kernels, &kernels)
                                       : status;
}

static gputune_status open_templates(void *user)
{
    const failing_world *f = user;
    gt_catalog *catalog;
    GT_TRY(gt_catalog_open(&catalog, f->w->folder, NULL));
    char lib[128];
    path_of(lib, f, "lib");
    const char *const folders[] = {lib};
    gputune_status status = gt_catalog_set_include_paths(catalog, folders, 1);
    GT_THEN(status, read_templates(catalog, f));
    if (status == GPUTUNE_ENOMEM) { /* the next attempt must succeed */
        char message[64];
        snprintf(message, sizeof message, "%s", gt_message());
        failing_pause();
        ASSERT_OK(gt_catalog_set_include_paths(catalog, folders, 1));
        ASSERT_OK(read_templates(catalog, f));
        failing_resume();
        gt_message_set("%s", message);
    }
    gt_catalog_close(catalog);
    return status;
}

static void write_file(const failing_world *f, const char *name, const char *text)
{
    char path[128];
    path_of(path, f, name);
    ASSERT_OK(gt_file_make_parents(path));
    file_write(path, "%s", text);
}

/* Writes a kernel with a header of its own and a header of a toolkit. */
static void write_beside(const failing_world *f)
{
    char toolkit[128];
    write_file(f, "beside.cu",
               "#include \"near.h\"\n#include <outer.h>\n#include <cuda_fp16.h>\n"
               "#pragma gputune kernel(other) args(out int y[4]) block(1) grid(1)\n"
               "__global__ void other(int *y) {}\n");
    write_file(f, "near.h", "int near_by;\n");
    write_file(f, "lib/outer.h", "#include \"inner.h\"\n#include <inner.h>\n");
    write_file(f, "lib/inner.h", "int inner;\n");
    write_file(f, "toolkit/include/cuda_runtime_api.h", "#define CUDART_VERSION  13000\n");
    write_file(f, "toolkit/include/cuda_fp16.h", "struct half;\n");
    path_of(toolkit, f, "toolkit");
    setenv("CUDA_HOME", toolkit, 1);
    unsetenv("GPUTUNE_NVRTC");
}

TEST_OF(templates, failing_world *f, open_failing, close_failing)
{
    static const char *const calls[] = {"open", "read", "stat", "fopen"};
    write_beside(f);
    assert_true(each_failure("allocation", 1, open_templates, NULL, f) > 100);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        (void)each_failure(calls[i], 1, open_templates, NULL, f);
    }
}

int main(void)
{
    count_sqlite_apart();
    return tests_run(NULL, NULL);
}

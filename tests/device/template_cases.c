#include "template_cases.h"

#include "farm/measure_value.h"
#include "gpu/device.h"
#include "gpu/launcher.h"
#include "gpu/nvrtc.h"
#include "tuner/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLE = 24, SEED = 7 };

typedef struct work {
    pair *both;
    const gt_nvrtc *nvrtc;
    gt_services services;
    const gt_device *device;
    void (*each)(void *user, const char *name, const tally *counts, double began);
    void *user;
    const gt_request *request;
    tally *counts;
} work;

/* The buffers of one side, and the kernel arguments that point to them. */
typedef struct buffers {
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    uint64_t scalars[GT_PARAMETER_MAX];
    void *blocks[GT_BLOCK_MAX];
    const void *arguments[GT_PARAMETER_MAX + 1];
} buffers;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static gputune_status fill(CUdeviceptr *address, const side *one, const gt_workload *workload,
                           uint32_t index)
{
    const gt_buffer *buffer = &workload->buffers[index];
    void *host = malloc(buffer->bytes);
    if (!host) {
        return gt_fail_memory();
    }
    memset(host, 0, buffer->bytes);
    if (buffer->direction != GT_OUT) {
        gt_fill_host(host, workload, buffer, gt_fill_seed(SEED, index));
    }
    gputune_status status =
        gt_cuda_check(one->driver, one->driver->MemAlloc(address, buffer->bytes), "cuMemAlloc");
    if (status == GPUTUNE_OK) {
        status = gt_cuda_check(one->driver, one->driver->MemcpyHtoD(*address, host, buffer->bytes),
                               "cuMemcpyHtoD");
    }
    free(host);
    return status;
}

static gputune_status upload_buffers(buffers *out, const side *one, const gt_workload *workload)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < workload->block_count; i++) {
        const gt_buffer *block = &workload->blocks[i];
        out->blocks[i] = malloc(block->bytes);
        if (!out->blocks[i]) {
            return gt_fail_memory();
        }
        gt_fill_host(out->blocks[i], workload, block, gt_fill_seed(SEED, GT_PARAMETER_MAX + i));
        out->arguments[next++] = out->blocks[i];
    }
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        GT_TRY(fill(&out->addresses[i], one, workload, i));
    }
    for (uint32_t i = 0; i < workload->argument_count; i++) {
        uint32_t index = workload->arguments[i].index;
        if (!workload->arguments[i].is_buffer) {
            out->scalars[index] =
                gt_number_bits(&workload->numbers[workload->scalars[index].first_number]);
        }
        out->arguments[next++] = workload->arguments[i].is_buffer
                                     ? (const void *)&out->addresses[index]
                                     : (const void *)&out->scalars[index];
    }
    return GPUTUNE_OK;
}

static gputune_status read_back(uint8_t *results, const side *one, const buffers *held,
                                const gt_workload *workload)
{
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        uint64_t bytes = workload->buffers[i].bytes;
        GT_CUDA(one->driver, MemcpyDtoH, results, held->addresses[i], bytes);
        results += bytes;
    }
    return GPUTUNE_OK;
}

static gputune_status launch(const side *one, const gt_image *image, const gt_launch *description,
                             const gt_workload *workload, uint8_t *results)
{
    buffers held = {.blocks = {NULL}};
    gt_launcher *launcher = NULL;
    GT_TRY(side_enter(one));
    gputune_status status =
        gt_launcher_load(&launcher, one->driver, &one->device, image, NULL, description);
    if (status == GPUTUNE_OK) {
        status = upload_buffers(&held, one, workload);
    }
    if (status == GPUTUNE_OK) {
        status = gt_launcher_launch(launcher, NULL, held.arguments);
    }
    if (status == GPUTUNE_OK) {
        status = gt_cuda_check(one->driver, one->driver->CtxSynchronize(), "the kernel");
    }
    if (status == GPUTUNE_OK) {
        status = read_back(results, one, &held, workload);
    }
    gt_launcher_free(launcher);
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        if (held.addresses[i]) {
            one->driver->MemFree(held.addresses[i]);
        }
    }
    for (uint32_t i = 0; i < GT_BLOCK_MAX; i++) {
        free(held.blocks[i]);
    }
    return status;
}

static uint64_t all_bytes(const gt_workload *workload)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        bytes += workload->buffers[i].bytes;
    }
    return bytes;
}

static uint64_t element_bits(const uint8_t *element, uint32_t bytes)
{
    uint64_t bits = 0;
    memcpy(&bits, element, bytes);
    return bits;
}

/* Templates whose results PTX does not define exactly, because they use approximations or add in an
 * order that depends on the speed of blocks. All other templates must agree exactly. `scan` has an
 * absolute tolerance, because its sums near 0 contain the rounding errors of sums as large as
 * 26,000. */
static const struct {
    const char *name;
    tolerance allowed;
} loose[] = {{"rmsnorm", {2e-3, 0}}, {"softmax", {2e-6, 0}}, {"scan", {2e-5, 0.5}}};

/* The emulator does not round tensor-core sums as the GPU does. */
static const char *const beyond[] = {"gemm_bf16"};

static tolerance allowed_of(const gt_template *template)
{
    for (size_t i = 0; i < sizeof loose / sizeof *loose; i++) {
        if (strcmp(template->name, loose[i].name) == 0) {
            return loose[i].allowed;
        }
    }
    return (tolerance){0, 0};
}

static result_kind kind_of(gt_type type)
{
    return type == GT_TYPE_F32    ? RESULT_F32
           : type == GT_TYPE_F64  ? RESULT_F64
           : type == GT_TYPE_F16  ? RESULT_F16
           : type == GT_TYPE_BF16 ? RESULT_BF16
                                  : RESULT_BITS;
}

static void compare(tally *counts, const gt_request *request, const char *config,
                    uint8_t *const results[SIDE_COUNT])
{
    const gt_workload *workload = &request->workload;
    const tolerance allowed = allowed_of(request->template);
    uint64_t at = 0;
    for (uint32_t i = 0; i < workload->buffer_count; i++) {
        const gt_buffer *buffer = &workload->buffers[i];
        uint32_t size = gt_type_bytes(buffer->type);
        for (uint64_t e = 0; e < buffer->elements; e++, at += size) {
            uint64_t gpu = element_bits(results[SIDE_GPU] + at, size);
            uint64_t emulator = element_bits(results[SIDE_EMULATOR] + at, size);
            bool agree = results_agree(counts, kind_of(buffer->type), allowed, gpu, emulator);
            counts->mismatches += !agree;
            if (!agree && !counts->first[0]) {
                snprintf(counts->first, sizeof counts->first,
                         "%s: %s[%llu]: GPU 0x%llx, emulator 0x%llx", config, buffer->name,
                         (unsigned long long)e, (unsigned long long)gpu,
                         (unsigned long long)emulator);
            }
        }
    }
}

static void run_image(work *w, const gt_image *image, const gt_launch *description,
                      const char *config)
{
    static const char *const names[] = {"GPU", "emulator"};
    const gt_workload *workload = &w->request->workload;
    uint8_t *results[SIDE_COUNT] = {NULL, NULL};
    bool ran = true;
    for (int s = 0; s < SIDE_COUNT && ran; s++) {
        results[s] = calloc(1, all_bytes(workload) + 1);
        gputune_status status =
            results[s] ? launch(&w->both->sides[s], image, description, workload, results[s])
                       : gt_fail_memory();
        ran = status == GPUTUNE_OK;
        if (status == GPUTUNE_ECUDA && s == SIDE_GPU) {
            w->counts->cases--; /* a variant that the GPU cannot run does not count as a case */
        } else if (!ran) {
            tally_refusal(w->counts, config, names[s]);
        }
    }
    if (ran) {
        compare(w->counts, w->request, config, results);
    }
    free(results[0]);
    free(results[1]);
}

static gputune_status compile(gt_image *out, work *w, const gt_config *config)
{
    gt_source source;
    gt_compiled result = {0};
    gt_nvrtc_request request;
    const char **options;
    GT_TRY(gt_request_source(&source, w->request, config));
    gputune_status status = gt_request_compiling(&request, &options, w->request, &source, false);
    if (status == GPUTUNE_OK) {
        request.ptx = true;
        status = gt_nvrtc_compile(&result, w->nvrtc, &request, NULL);
        free(options);
    }
    if (status == GPUTUNE_OK) {
        *out = result.image;
        result.image = (gt_image){0};
        dump_text(w->both, out->data);
    }
    gt_compiled_free(&result);
    gt_source_free(&source);
    return status;
}

static gputune_status run_variant(work *w, const gt_config *config)
{
    const gt_request *request = w->request;
    gt_launch description;
    gt_image image;
    char *text;
    GT_TRY(gt_config_text(&text, request->template, config));
    w->counts->cases++;
    gputune_status status =
        gt_launch_bind(&description, request->template, &request->problem, config, request->device);
    if (status == GPUTUNE_OK) {
        status = compile(&image, w, config);
    }
    if (status == GPUTUNE_OK) {
        run_image(w, &image, &description, text);
        free(image.data);
    } else {
        tally_refusal(w->counts, text, "compiling");
    }
    free(text);
    return GPUTUNE_OK;
}

/* Runs the default and every `step`-th valid configuration. */
static gputune_status run_sample(work *w)
{
    enum { FIRST = 100000 };
    gt_space *space = w->request->space;
    gt_config config = gt_config_default(w->request->template);
    uint64_t valid = 0, index = 0;
    gputune_status status = run_variant(w, &config);
    while (valid < FIRST && gt_space_next(space, &config)) {
        valid++;
    }
    gt_space_rewind(space);
    uint64_t step = valid / SAMPLE + 1;
    while (status == GPUTUNE_OK && index < valid && gt_space_next(space, &config)) {
        if (index % step == index / step % step) {
            status = run_variant(w, &config);
        }
        index++;
    }
    return status;
}

/* Sets small run-time sizes that leave partial blocks. Other problem values keep their defaults. */
static size_t small_sizes(gputune_size *out, const gt_template *template)
{
    /* A matrix product has three sizes, so each of them must be small. */
    const int64_t most = template->problem_count < 3 ? 100003 : 131;
    size_t count = 0;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        const gt_problem_value *value = &template->problem[i];
        if (value->kind == GT_PROBLEM_SIZE) {
            int64_t size = value->fallback.number > most ? most : value->fallback.number;
            out[count++] = (gputune_size){value->name, size};
        }
    }
    return count;
}

static int run_template(void *user, const gt_template *template)
{
    work *w = user;
    tally counts = {0};
    gt_request *request;
    gputune_size sizes[GT_PROBLEM_MAX];
    gputune_sizes all = {small_sizes(sizes, template), sizes};
    char name[160];
    double began = seconds();
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        if (strcmp(template->name, beyond[i]) == 0) {
            return 0;
        }
    }
    snprintf(name, sizeof name, "template %s", template->name);
    int status = gt_request_make(&request, &w->services, w->device, template->name, all, NULL);
    if (status < 0) {
        tally_refusal(&counts, template->name, "request");
        w->each(w->user, name, &counts, began);
        return 0;
    }
    w->request = request;
    w->counts = &counts;
    status = run_sample(w);
    gt_request_free(request);
    w->each(w->user, name, &counts, began);
    return status;
}

gputune_status templates_run(pair *both, const char *folder,
                             void (*each)(void *user, const char *name, const tally *counts,
                                          double began),
                             void *user)
{
    static gt_device device;
    work w = {.both = both, .each = each, .user = user};
    device = both->sides[SIDE_GPU].device;
    w.device = &device;
    GT_TRY(gt_nvrtc_open(&w.nvrtc, both->sides[SIDE_GPU].driver->version));
    gt_device_set_nvrtc(&device, gt_nvrtc_version(w.nvrtc));
    GT_TRY(gt_catalog_open(&w.services.catalog, folder, NULL));
    int status = gt_catalog_each(w.services.catalog, NULL, run_template, &w);
    gt_catalog_close(w.services.catalog);
    return (gputune_status)status;
}

/* The files that buffers are filled from, and those with expected results: found, read, checked. */
#include "tuner/data.h"

#include "base/file.h"
#include "kernel/binding.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static gputune_status add_file(gt_request *request, uint32_t argument, const char *path,
                               bool expected)
{
    struct gt_data_file file = {.argument = argument, .expected = expected};
    struct gt_data_file *files =
        realloc(request->files, (request->file_count + 1) * sizeof *request->files);
    GT_TRY(gt_allocated(files));
    request->files = files;
    GT_TRY(gt_strdup(&file.path, path));
    files[request->file_count++] = file;
    return GPUTUNE_OK;
}

/* What a template names lies beside it. */
static gputune_status add_beside(gt_request *request, uint32_t argument, const char *name,
                                 bool expected)
{
    const char *template = request->template->path;
    const char *slash = name[0] == '/' ? NULL : strrchr(template, '/');
    char *path;
    GT_TRY(
        gt_path_format(&path, "%.*s%s", slash ? (int)(slash - template + 1) : 0, template, name));
    gputune_status status = add_file(request, argument, path, expected);
    free(path);
    return status;
}

static gputune_status find_argument(uint32_t *out, const gt_request *request, const char *name)
{
    const gt_template *template = request->template;
    const char *names[GT_PARAMETER_MAX + GT_BLOCK_MAX];
    size_t count = 0;
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (strcmp(template->passes[i].name, name) == 0) {
            *out = GT_PARAMETER_MAX + i;
            return GPUTUNE_OK;
        }
        names[count++] = template->passes[i].name;
    }
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (!argument->is_buffer || argument->direction == GT_OUT) {
            continue;
        }
        if (strcmp(argument->name, name) == 0) {
            *out = i;
            return GPUTUNE_OK;
        }
        names[count++] = argument->name;
    }
    const char *nearest = gt_nearest(name, names, count);
    return gt_fail(GPUTUNE_EINVAL, "%s has no input '%s'; expected %s%s%s", template->name, name,
                   nearest ? "'" : "",
                   nearest ? nearest : "an in or inout buffer of args(), or a block",
                   nearest ? "'" : "");
}

/* Whether the caller brings other data for the buffer than the template's file. */
static bool is_replaced(const gt_request *request, const char *name)
{
    const gputune_options *o = &request->options;
    for (size_t i = 0; i < o->input_count; i++) {
        if (strcmp(o->inputs[i].buffer, name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < o->file_count; i++) {
        if (strcmp(o->files[i].buffer, name) == 0) {
            return true;
        }
    }
    return false;
}

static gputune_status find_files(gt_request *request)
{
    const gt_template *template = request->template;
    const gputune_options *o = &request->options;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->fill.file && !is_replaced(request, argument->name)) {
            GT_TRY(add_beside(request, i, argument->fill.file, false));
        }
        if (argument->expected) {
            GT_TRY(add_beside(request, i, argument->expected, true));
        }
    }
    for (uint32_t i = 0; i < template->pass_count; i++) {
        const gt_pass_block *block = &template->passes[i];
        if (block->fill.file && !is_replaced(request, block->name)) {
            GT_TRY(add_beside(request, GT_PARAMETER_MAX + i, block->fill.file, false));
        }
    }
    for (size_t i = 0; i < o->file_count; i++) {
        uint32_t argument = 0;
        GT_TRY(find_argument(&argument, request, o->files[i].buffer));
        GT_TRY(add_file(request, argument, o->files[i].path, false));
        request->files[request->file_count - 1].named = o->inputs_tag != NULL;
    }
    return GPUTUNE_OK;
}

/* NumPy has no bfloat16 and no fp8, whose bits come as unsigned numbers. */
static bool is_type(const gt_npy *npy, gt_type type)
{
    bool fp8 = type == GT_TYPE_E4M3 || type == GT_TYPE_E5M2;
    return npy->type == type || (type == GT_TYPE_BF16 && npy->type == GT_TYPE_U16) ||
           (fp8 && npy->type == GT_TYPE_U8);
}

/* The shape of the file that a buffer or block needs: its extents, and a vector's components. */
static gputune_status wanted_shape(uint64_t out[4], uint32_t *dimensions, const gt_request *request,
                                   uint32_t argument, const gt_buffer *buffer)
{
    gt_binding binding;
    *dimensions = 1;
    out[0] = gt_buffer_count(buffer);
    if (argument < GT_PARAMETER_MAX) {
        const gt_argument *declared = &request->template->arguments[argument];
        gt_binding_open(&binding, request->template, &request->problem, request->device);
        GT_TRY(gt_argument_shape(out, declared, binding.slots));
        *dimensions = declared->extent_count;
    }
    if (buffer->per_element > 1) {
        out[(*dimensions)++] = buffer->per_element;
    }
    return GPUTUNE_OK;
}

/* A block is counted in one dimension, whatever its array has. */
static bool is_shape(const gt_npy *npy, const uint64_t *shape, uint32_t dimensions, bool is_block)
{
    uint64_t elements = 1, wanted = 1;
    for (uint32_t i = 0; i < npy->dimensions; i++) {
        elements *= npy->shape[i];
    }
    for (uint32_t i = 0; i < dimensions; i++) {
        wanted *= shape[i];
    }
    return is_block ? elements == wanted
                    : npy->dimensions == dimensions &&
                          memcmp(npy->shape, shape, dimensions * sizeof *shape) == 0;
}

static gputune_status check_numbers(const gt_buffer *buffer, const char *path)
{
    return buffer->number_count
               ? gt_fail(GPUTUNE_EINVAL,
                         "%s: %s has elements of several numbers, which no file can hold; expected "
                         "plain numbers or vectors",
                         path, buffer->name)
               : GPUTUNE_OK;
}

static gputune_status check_file(const gt_request *request, const struct gt_data_file *file)
{
    const gt_buffer *buffer =
        gt_workload_input(&request->workload, gt_data_buffer(&request->workload, file->argument));
    uint64_t shape[4];
    uint32_t dimensions = 0;
    gt_text found = {0}, expected = {0};
    GT_TRY(check_numbers(buffer, file->path));
    GT_TRY(wanted_shape(shape, &dimensions, request, file->argument, buffer));
    if (is_type(&file->npy, buffer->type) &&
        is_shape(&file->npy, shape, dimensions, file->argument >= GT_PARAMETER_MAX)) {
        return GPUTUNE_OK;
    }
    gt_npy_describe(&found, file->npy.type, file->npy.shape, file->npy.dimensions);
    gt_npy_describe(&expected, buffer->type, shape, dimensions);
    gputune_status status =
        gt_fail(GPUTUNE_EINVAL, "%s: found %s; expected %s, as %s is at these sizes", file->path,
                gt_text_string(&found), gt_text_string(&expected), buffer->name);
    gt_text_free(&found);
    gt_text_free(&expected);
    return status;
}

#define DATA_MOST ((size_t)4 << 30) /* bytes of a file */

static gputune_status read_file(const gt_request *request, struct gt_data_file *file)
{
    size_t bytes = 0;
    GT_TRY(gt_file_read_most(&file->text, &bytes, file->path, DATA_MOST));
    GT_TRY(gt_npy_read(&file->npy, file->text, bytes, file->path));
    file->hash = gt_hash_bytes(file->text, bytes);
    return check_file(request, file);
}

gputune_status gt_data_open(gt_request *request)
{
    GT_TRY(find_files(request));
    for (uint32_t i = 0; i < request->file_count; i++) {
        GT_TRY(read_file(request, &request->files[i]));
    }
    return GPUTUNE_OK;
}

void gt_data_close(gt_request *request)
{
    for (uint32_t i = 0; i < request->file_count; i++) {
        free(request->files[i].path);
        free(request->files[i].text);
    }
    free(request->files);
    request->files = NULL;
    request->file_count = 0;
}

void gt_data_describe(gt_text *out, const gt_request *request)
{
    const gputune_options *o = &request->options;
    char hex[GT_HASH_HEX];
    for (uint32_t i = 0; i < request->file_count; i++) {
        const struct gt_data_file *file = &request->files[i];
        if (!file->named) {
            gt_text_printf(out, " %s%s=%s", file->expected ? "expected " : "",
                           gt_workload_input(&request->workload,
                                             gt_data_buffer(&request->workload, file->argument))
                               ->name,
                           gt_hash_hex(hex, file->hash));
        }
    }
    for (size_t i = 0; i < o->input_count && !o->inputs_tag; i++) {
        const gputune_input *input = &o->inputs[i];
        if (input->on_host) {
            gt_text_printf(out, " %s=%s", input->buffer,
                           gt_hash_hex(hex, gt_hash_bytes(input->data, input->bytes)));
        }
    }
}

/* ---- Files that are written ------------------------------------------------------------------ */

static gputune_status save_output(gt_field *field, uint32_t argument)
{
    const gt_request *request = field->options.request;
    const uint32_t index = gt_data_buffer(&request->workload, argument);
    const gt_buffer *buffer = &request->workload.buffers[index];
    gt_saved_output *save = &field->saves[field->save_count];
    uint64_t shape[4];
    uint32_t dimensions = 0;
    GT_TRY(check_numbers(buffer, request->options.save));
    GT_TRY(wanted_shape(shape, &dimensions, request, argument, buffer));
    char *folder = realpath(request->options.save, NULL); /* the worker is in another one */
    if (!folder) {
        return gt_fail(GPUTUNE_ENOTFOUND,
                       "%s: no folder to save the outputs in (%s); expected one that is there",
                       request->options.save, strerror(errno));
    }
    gputune_status status = gt_path_format(&save->path, "%s/%s.npy", folder, buffer->name);
    free(folder);
    GT_TRY(status);
    save->buffer = index;
    gt_npy_head(save->head, buffer->type, shape, dimensions);
    field->save_count++;
    return GPUTUNE_OK;
}

gputune_status gt_data_save(gt_field *field)
{
    const gt_request *request = field->options.request;
    const gt_template *template = request->template;
    gt_text files = {0};
    gputune_status status = GPUTUNE_OK;
    if (!request->options.save) {
        return GPUTUNE_OK;
    }
    field->saves = calloc(template->argument_count, sizeof *field->saves);
    GT_TRY(gt_allocated(field->saves));
    for (uint32_t i = 0; i < template->argument_count && !status; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->is_buffer && argument->direction != GT_IN) {
            status = save_output(field, i);
            gt_text_printf(&files, "%s%s = file(\"%s.npy\")", files.length ? ", " : "",
                           argument->name, argument->name);
        }
    }
    if (!status) {
        gt_log_line(
            &request->services->log, GPUTUNE_LOG_INFO,
            "%s: the first configuration's outputs are saved in %s once it is proved; beside "
            "the template, expect(%s) reads them",
            template->name, request->options.save, gt_text_string(&files));
    }
    gt_text_free(&files);
    return status;
}

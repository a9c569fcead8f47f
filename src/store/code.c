/* Compiled code: rows of compiled and cubin. */
#include "store/keys.h"
#include "store/layers.h"

#include <stdlib.h>
#include <string.h>

void gt_code_free(gt_code *code)
{
    free(code->image.data);
    code->image = (gt_image){0};
}

static bool has_code(const gt_code *code)
{
    return code->image.data && code->image.bytes && (code->source.high || code->source.low);
}

gputune_status gt_code_row(int64_t *out, gt_database *database, const gt_code *code)
{
    int64_t cubin;
    *out = 0;
    if (!has_code(code)) {
        return GPUTUNE_OK;
    }
    gt_hash content = gt_hash_bytes(code->image.data, code->image.bytes);
    GT_TRY(gt_execute(database, GT_SQL_CUBIN_ADD, "hb", content, (const void *)code->image.data,
                      code->image.bytes));
    GT_TRY(gt_query_integer(&cubin, database, GT_SQL_CUBIN_ID, "h", content));
    const gt_resources *r = &code->resources;
    GT_TRY(gt_execute(database, GT_SQL_COMPILED_SET, "htnniiiiiid", code->source, code->arch,
                      (int)code->ptx, code->nvrtc_version, cubin, (int64_t)r->registers,
                      (int64_t)r->spill_bytes, (int64_t)r->static_shared_bytes,
                      (int64_t)r->local_bytes, (int64_t)r->constant_bytes, code->compile_ns));
    return gt_query_integer(out, database, GT_SQL_COMPILED_ID, "htnn", code->source, code->arch,
                            (int)code->ptx, code->nvrtc_version);
}

/* PTX is text: a NUL follows the image, beyond its bytes. */
static gputune_status take_image(gt_image *out, gt_rows *rows)
{
    size_t bytes;
    gt_hash content = gt_rows_hash(rows);
    const void *blob = gt_rows_blob(rows, &bytes);
    if (!blob || !gt_hash_equal(content, gt_hash_bytes(blob, bytes))) {
        return GPUTUNE_ENOTFOUND;
    }
    char *data = malloc(bytes + 1);
    if (!data) {
        return gt_fail_memory();
    }
    memcpy(data, blob, bytes);
    data[bytes] = '\0';
    *out = (gt_image){data, bytes};
    return GPUTUNE_OK;
}

static gputune_status take_code(gt_code *out, gt_rows *rows)
{
    gt_code code = {.source = gt_rows_hash(rows)};
    const char *arch = gt_rows_text(rows);
    if (strlen(arch) >= sizeof code.arch) {
        return GPUTUNE_ENOTFOUND;
    }
    memcpy(code.arch, arch, strlen(arch) + 1);
    code.ptx = gt_rows_integer(rows) != 0;
    code.nvrtc_version = (int)gt_rows_integer(rows);
    code.resources.registers = (uint32_t)gt_rows_integer(rows);
    code.resources.spill_bytes = (uint32_t)gt_rows_integer(rows);
    code.resources.static_shared_bytes = (uint32_t)gt_rows_integer(rows);
    code.resources.local_bytes = (uint32_t)gt_rows_integer(rows);
    code.resources.constant_bytes = (uint32_t)gt_rows_integer(rows);
    code.compile_ns = gt_rows_real(rows);
    GT_TRY(take_image(&code.image, rows));
    *out = code;
    return GPUTUNE_OK;
}

static gputune_status take_first(gt_code *out, gt_rows *rows)
{
    gputune_status status = gt_rows_next(rows);
    if (status == GPUTUNE_OK) {
        status = take_code(out, rows);
    }
    gt_rows_end(rows);
    return status;
}

gputune_status gt_code_by_row(gt_code *out, gt_database *database, int64_t row)
{
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_CODE_BY_ID, "i", row));
    return take_first(out, &rows);
}

typedef struct code_search {
    gt_code *out;
    gt_hash source;
    const char *arch;
    bool ptx;
    int nvrtc_version;
} code_search;

static gputune_status find_code(gt_database *database, void *context)
{
    const code_search *search = context;
    gt_rows rows;
    GT_TRY(gt_rows_begin(&rows, database, GT_SQL_CODE_BY_SOURCE, "htnn", search->source,
                         search->arch, (int)search->ptx, search->nvrtc_version));
    return take_first(search->out, &rows);
}

gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, int nvrtc_version, const gt_patience *patience)
{
    (void)patience;
    code_search search = {out, source, arch, ptx, nvrtc_version};
    return gt_store_read(store, find_code, &search);
}

typedef struct code_batch {
    const gt_code *codes;
    size_t count;
} code_batch;

static gputune_status put_codes(gt_database *database, void *context)
{
    const code_batch *batch = context;
    for (size_t i = 0; i < batch->count; i++) {
        int64_t row;
        GT_TRY(gt_code_row(&row, database, &batch->codes[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count, const gt_patience *patience)
{
    (void)patience;
    code_batch batch = {codes, count};
    return count ? gt_store_write(store, put_codes, &batch) : GPUTUNE_OK;
}

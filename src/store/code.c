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

gputune_status gt_code_put(gt_database *database, const gt_code *code)
{
    int64_t cubin;
    if (!has_code(code)) {
        return GPUTUNE_OK;
    }
    gt_hash content = gt_hash_bytes(code->image.data, code->image.bytes);
    GT_TRY(gt_execute(database, GT_SQL_CUBIN_ADD, "hb", content, (const void *)code->image.data,
                      code->image.bytes));
    GT_TRY(gt_query_integer(&cubin, database, GT_SQL_CUBIN_ID, "h", content));
    GT_TRY(gt_execute(database, GT_SQL_CODE_SET, "ic", cubin, &gt_code_columns, code));
    return gt_execute(database, GT_SQL_CODE_SEAL, "");
}

/* PTX is text: a NUL follows the image, beyond its bytes. */
static gputune_status take_image(gt_image *out, gt_rows *rows)
{
    size_t bytes;
    const void *blob = gt_rows_blob(rows, &bytes);
    char *data = malloc(bytes + 1);
    GT_TRY(gt_allocated(data));
    if (bytes) {
        memcpy(data, blob, bytes);
    }
    data[bytes] = '\0';
    *out = (gt_image){data, bytes};
    return GPUTUNE_OK;
}

gputune_status gt_code_find(gt_code *out, gt_database *database, gt_hash source, const char *arch,
                            bool ptx, int nvrtc_version)
{
    gt_rows rows;
    gt_code code = {0};
    if (database->distrust) {
        return GPUTUNE_ENOTFOUND; /* the code is compiled here */
    }
    GT_TRY(
        gt_rows_begin(&rows, database, GT_SQL_CODE, "htnn", source, arch, (int)ptx, nvrtc_version));
    gputune_status status = gt_rows_next(&rows);
    GT_THEN(status, take_image(&code.image, &rows));
    if (status == GPUTUNE_OK) {
        status = gt_columns_take(&code, &rows, &gt_code_columns);
        *out = code;
    }
    gt_rows_end(&rows);
    return status;
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
    const code_search *s = context;
    return gt_code_find(s->out, database, s->source, s->arch, s->ptx, s->nvrtc_version);
}

gputune_status gt_store_find_cubin(gt_code *out, gt_store *store, gt_hash source, const char *arch,
                                   bool ptx, int nvrtc_version, const gt_patience *patience)
{
    code_search search = {out, source, arch, ptx, nvrtc_version};
    return gt_store_read(store, find_code, &search, patience);
}

typedef struct code_batch {
    const gt_code *codes;
    size_t count;
} code_batch;

static gputune_status put_codes(gt_database *database, void *context)
{
    const code_batch *batch = context;
    for (size_t i = 0; i < batch->count; i++) {
        GT_TRY(gt_code_put(database, &batch->codes[i]));
    }
    return GPUTUNE_OK;
}

gputune_status gt_store_put_cubins(gt_store *store, const gt_code *codes, size_t count,
                                   const gt_patience *patience)
{
    code_batch batch = {codes, count};
    return count ? gt_store_write(store, put_codes, &batch, patience) : GPUTUNE_OK;
}

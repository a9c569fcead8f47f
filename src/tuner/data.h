/* Data from the host: the caller's buffers and reference, files, expressions of the index. */
#pragma once

#include "base/text.h"
#include "kernel/text/npy.h"
#include "tuner/field.h"

/* A file with what an input holds, or with what an output must hold after a launch. */
struct gt_data_file {
    uint32_t argument; /* index of the template's argument, or GT_PARAMETER_MAX plus a block's */
    bool expected;
    bool named;   /* in the key, the caller's tag takes the place of the contents' hash */
    char *path;   /* owned, as is `text` */
    char *text;   /* the whole file */
    gt_npy npy;   /* the header; the data begin at text + npy.data */
    gt_hash hash; /* of the file's contents */
};

/* Reads the files that the template and the options name, and checks their types and shapes against
 * the arguments. The files belong to the request. EINVAL, ENOTFOUND. */
gputune_status gt_data_open(gt_request *request);
void gt_data_close(gt_request *request);
/* Appends " NAME=HASH" for each file and each host buffer that no tag stands for. */
void gt_data_describe(gt_text *out, const gt_request *request);

/* Fills the inputs that the measure worker cannot make itself, for gt_data_release(). */
gputune_status gt_data_send(gt_field *field);
void gt_data_release(gt_field *field);

/* The index among the workload's inputs of an argument that is a buffer, or of a block. */
static inline uint32_t gt_data_buffer(const gt_workload *workload, uint32_t argument)
{
    return argument < GT_PARAMETER_MAX ? workload->arguments[argument].index : argument;
}

/* Data that the host provides: the caller's buffers and reference, files, and expressions of the
 * index. */
#pragma once

#include "base/text.h"
#include "kernel/text/npy.h"
#include "tuner/field.h"

/* A file with the contents of an input, or with the expected contents of an output. */
struct gt_data_file {
    uint32_t argument; /* index of the argument; for a block, GT_PARAMETER_MAX plus its index */
    bool expected;
    bool named; /* true if the caller gave a tag, which represents the contents in the scenario */
    char *path;
    char *text;   /* the whole file */
    gt_npy npy;   /* the header; the data begin at text + npy.data */
    gt_hash hash; /* hash of the contents */
};

/* Reads the files that the template and the options name, and compares their types and shapes with
 * the arguments. EINVAL, ENOTFOUND. */
gputune_status gt_data_open(gt_request *request);
void gt_data_close(gt_request *request);
/* Appends " NAME=HASH" for each file and host buffer without a tag. */
void gt_data_describe(gt_text *out, const gt_request *request);

/* Adds the inputs and expected outputs that the measure worker cannot compute. gt_data_release()
 * releases them. */
gputune_status gt_data_send(gt_field *field);
void gt_data_release(gt_field *field);

/* Returns the index of an argument's buffer, or of a block, among the inputs of the workload. */
static inline uint32_t gt_data_buffer(const gt_workload *workload, uint32_t argument)
{
    return argument < GT_PARAMETER_MAX ? workload->arguments[argument].index : argument;
}

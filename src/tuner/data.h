/* Buffer contents from the host: the caller's buffers and reference, files, and expressions. */
#pragma once

#include "base/text.h"
#include "kernel/text/npy.h"
#include "tuner/field.h"

/* A file with the contents of an input, or the expected contents of an output. */
struct gt_data_file {
    /* index of the argument; for a pass() block, GT_PARAMETER_MAX plus the block's index */
    uint32_t argument;
    bool expected;
    /* true if the scenario's key has the caller's tag for the contents instead of `hash` */
    bool named;
    char *path;
    char *text;
    gt_npy npy; /* parsed header; the data begin at text + npy.data */
    gt_hash hash;
};

/* Reads the files of template and options, and checks their types and shapes. EINVAL, ENOTFOUND. */
gputune_status gt_data_open(gt_request *request);
void gt_data_close(gt_request *request);
/* Appends " NAME=HASH" for each file and each host buffer, except those with a tag. */
void gt_data_describe(gt_text *out, const gt_request *request);

/* Adds to the setup the inputs and expected outputs that the measure worker cannot compute. The
 * caller frees them with gt_data_release(). */
gputune_status gt_data_send(gt_field *field);
void gt_data_release(gt_field *field);

/* Converts an index as in gt_data_file.argument to an index among the workload's inputs. */
static inline uint32_t gt_data_buffer(const gt_workload *workload, uint32_t argument)
{
    return argument < GT_PARAMETER_MAX ? workload->arguments[argument].index : argument;
}

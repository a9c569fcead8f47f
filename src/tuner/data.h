/* Contents of buffers that come from the host: the caller's data, files, and expressions. */
#pragma once

#include "base/text.h"
#include "kernel/text/npy.h"
#include "tuner/field.h"

/* A file with the contents of an input or the expected results of an output. */
struct gt_data_file {
    uint32_t argument; /* index of the argument; pass() blocks begin at GT_PARAMETER_MAX */
    bool expected;
    bool named; /* true if the scenario's key contains the caller's tag instead of `hash` */
    char *path;
    char *text;
    gt_npy npy; /* header of the file; the data begin at text + npy.data */
    gt_hash hash;
};

/* Reads the files of the template and the options, and checks their types and shapes. ENOTFOUND if
 * a file does not exist, EIO if it cannot be read, EINVAL if it does not fit the template. */
gputune_status gt_data_open(gt_request *request);
void gt_data_close(gt_request *request);
/* Appends " NAME=HASH" to `out` for each file and each host buffer without a tag. */
void gt_data_describe(gt_text *out, const gt_request *request);

/* Adds to the setup all inputs and expected results that the measure worker cannot compute. The
 * caller frees them with gt_data_release(). */
gputune_status gt_data_send(gt_field *field);
void gt_data_release(gt_field *field);

/* Converts gt_data_file.argument to an index among the inputs of a workload. */
static inline uint32_t gt_data_buffer(const gt_workload *workload, uint32_t argument)
{
    return argument < GT_PARAMETER_MAX ? workload->arguments[argument].index : argument;
}

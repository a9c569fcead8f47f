/* Data of a measurement that come from the host: the caller's own buffers, files, expressions of
 * the index, and the caller's own reference. */
#pragma once

#include "base/text.h"
#include "kernel/npy.h"
#include "tuner/field.h"

/* A file with what a buffer holds, or what an output must hold after a launch. */
struct gt_data_file {
    uint32_t argument; /* index into the template's, or GT_PARAMETER_MAX and a block's */
    bool expected;
    bool named;   /* the caller's tag stands for its contents in the key */
    char *path;   /* owned, like the next */
    char *text;   /* the whole file */
    gt_npy npy;   /* its data begin at text + npy.data */
    gt_hash hash; /* of the file */
};

/* Finds the files that the template and the options name, reads them, and checks their types and
 * shapes against the arguments. EINVAL, ENOTFOUND. They belong to the request. */
gputune_status gt_data_open(gt_request *request);
void gt_data_close(gt_request *request);
/* Appends " NAME=HASH" for each file and each host buffer that no tag stands for. */
void gt_data_describe(gt_text *out, const gt_request *request);

/* Fills the setup's inputs with all that the measure worker cannot make: live buffers, files and
 * expressions. */
gputune_status gt_data_send(gt_field *field);
void gt_data_release(gt_field *field);

/* The place among the workload's inputs of an argument that is a buffer, or of a block. */
static inline uint32_t gt_data_buffer(const gt_workload *workload, uint32_t argument)
{
    return argument < GT_PARAMETER_MAX ? workload->arguments[argument].index : argument;
}

/* Reads what an image (a cubin or PTX) contains: its kernels, variables and machine code. Images
 * come from databases too, so these functions read a damaged image as one that contains nothing. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Whether an image is PTX, and not machine code. */
bool gt_image_is_ptx(const gt_image *image);

/* Sets *out to the symbol of the kernel that a launch names. For an extern "C" kernel that is the
 * name itself. Else it is the mangled symbol whose names, without template arguments and unnamed
 * namespaces, are those of `name` ("ns::scan"). If the image has several instances of one kernel
 * template, it is the instance that a note in the image names; without a note EINVAL. If the image
 * has no such kernel, *out is `name`. The caller frees *out. */
gputune_status gt_image_entry(char **out, const gt_image *image, const char *name);
/* Adds a note to an image that has several instances of the kernel `name`: `symbol` is the one that
 * is meant. image->data is malloc()ed and may move. ENOMEM: the image is unchanged. */
gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol);

/* Calls `each` with the name of every variable of global memory that the image's kernels may write.
 */
typedef void gt_image_name_fn(void *user, const char *name, size_t length);
void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user);

/* Sets load_widths and store_widths of *out to the widths of all LDG, LD, LDGSTS, STG and ST
 * instructions (global and generic accesses) in a cubin for compute capabilities 7.0 to 12.x.
 * Copies by the bulk engine do not count. Both are 0 for PTX and for a damaged cubin. */
void gt_machine_code_widths(gt_resources *out, const gt_image *cubin, const char *arch);

/* What an image (a cubin or PTX) has inside: its kernels. Images come from databases too: what is
 * damaged is read as having nothing. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Whether an image is PTX, and not machine code. */
bool gt_image_is_ptx(const gt_image *image);

/* The symbol of the kernel that a launch names: the name itself for an extern "C" kernel, else the
 * mangled one whose names, without template arguments and unnamed namespaces, are those of
 * "ns::scan". Of several instances of one template, as where the code specialises it, it is the one
 * that a note in the image tells, and EINVAL without. An image without such a kernel gives the name
 * as it is. *out is the caller's. */
gputune_status gt_image_entry(char **out, const gt_image *image, const char *name);
/* Notes in an image that has several instances of the kernel which one is meant. Its data, which
 * may move, is malloc()ed. ENOMEM: the image is as before. */
gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol);

/* Calls `each` with the machine code of every function of a cubin; never for PTX. */
void gt_image_each_code(const gt_image *image,
                        void (*each)(void *user, const void *code, size_t bytes), void *user);

/* Calls `each` with the name of every variable of global memory that the image's kernels may write.
 */
typedef void gt_image_name_fn(void *user, const char *name, size_t length);
void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user);

/* Sets the widths of out's global (and generic) loads and stores: of LDG, LD, LDGSTS, STG and ST in
 * all functions of a cubin for compute capabilities 7.0 to 12.x. Copies by the bulk engine do not
 * count. PTX, and what is damaged, has none. */
void gt_machine_code_widths(gt_resources *out, const gt_image *cubin, const char *arch);

/* Finds kernels and variables in an image: a cubin or PTX. A damaged image contains none. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Returns true if the image is PTX, or false if it is machine code. */
bool gt_image_is_ptx(const gt_image *image);

/* Finds the symbol of the kernel `name`. The symbol of an extern "C" kernel is the name itself. The
 * symbol of any other kernel is a mangled name that ends with the last component of `name` ("scan"
 * for "ns::scan"). If there is not exactly one such kernel, a note in the image gives the symbol
 * (see gt_image_note_entry()). Without a note, sets *out to `name` if no kernel matches, and
 * returns EINVAL if several match. The caller frees *out. */
gputune_status gt_image_entry(char **out, const gt_image *image, const char *name);
/* Adds a note that `symbol` is the kernel `name`, unless exactly one symbol matches `name` anyway.
 * image->data must come from malloc() and may move. On ENOMEM, the image is unchanged. */
gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol);

/* Calls `each` for every global variable that the kernels of the image may write to. */
typedef void gt_image_name_fn(void *user, const char *name, size_t length);
void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user);

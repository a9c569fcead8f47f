/* Finds the kernels and variables of an image (a cubin or PTX). A damaged image counts as empty. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Returns true if the image is PTX, false for machine code. */
bool gt_image_is_ptx(const gt_image *image);

/* Finds the symbol of the kernel `name`. This is `name` itself for an extern "C" kernel, otherwise
 * the mangled symbol that contains the last component of `name` ("scan" for "ns::scan"). If no
 * kernel or several kernels match, a note in the image decides (gt_image_note_entry()). Without a
 * note, no match sets *out to `name`, and several matches fail with EINVAL. The caller frees
 * *out. */
gputune_status gt_image_entry(char **out, const gt_image *image, const char *name);
/* Unless exactly one symbol matches `name`, adds a note to the image: `symbol` is the kernel
 * `name`. image->data comes from malloc() and may move. On ENOMEM the image is unchanged. */
gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol);

/* Calls `each` for every global variable that the image's kernels may write. */
typedef void gt_image_name_fn(void *user, const char *name, size_t length);
void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user);

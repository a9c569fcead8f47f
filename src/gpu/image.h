/* The kernels and variables of an image (a cubin or PTX). Images also come from
 * databases, so a damaged image is read as an empty one. */
#pragma once

#include "base/launch.h"
#include "base/status.h"

/* Returns true if the image is PTX, false for machine code. */
bool gt_image_is_ptx(const gt_image *image);

/* Finds the symbol of the kernel `name`. For an extern "C" kernel that is the name itself.
 * Otherwise it is the mangled symbol that contains the last part of `name` ("ns::scan"). If no
 * kernel or several kernels match, a note in the image decides (gt_image_note_entry()). If there is
 * no note either, *out is `name` when nothing matches, and the call fails with EINVAL when several
 * kernels match. The caller frees *out. */
gputune_status gt_image_entry(char **out, const gt_image *image, const char *name);
/* Adds a note to an image in which no kernel or several kernels match `name`: `symbol` is the
 * kernel to launch. image->data comes from malloc() and may move. On ENOMEM the image is
 * unchanged. */
gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol);

/* Calls `each` for every global-memory variable that the image's kernels may write. */
typedef void gt_image_name_fn(void *user, const char *name, size_t length);
void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user);

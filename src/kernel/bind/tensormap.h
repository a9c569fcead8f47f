/* Tensor maps, worked out for a configuration, and texture objects, worked out for sizes: a kernel
 * takes them in a buffer's place. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/template/declared.h"

/* Fills `out` with all maps for the binding's configuration. Returns the first limit that a map
 * breaks, or GT_LIMIT_NONE. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
/* Checks the maps; a step of binding.h. */
gt_limit gt_binding_maps(gt_binding *binding);

/* Fills `out` with all textures at the binding's sizes. ETEMPLATE, with the clause's place, for
 * elements, extents and rows that a texture cannot have. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);

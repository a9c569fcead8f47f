/* Tensor maps of a configuration, and texture objects: what kernels take in a buffer's place. */
#pragma once

#include "kernel/bind/binding.h"
#include "kernel/template/declared.h"

/* Fills `out` with all maps. Returns the first limit that a map breaks. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
/* Checks the maps; a step of binding.h. */
gt_limit gt_binding_maps(gt_binding *binding);

/* Fills `out` with all textures. ETEMPLATE for what a texture cannot have. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);

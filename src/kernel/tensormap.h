/* Tensor maps: read from a template (parse_tensormap.c) and worked out for a configuration
 * (tensormap.c). */
#pragma once

#include "kernel/binding.h"
#include "kernel/template_parts.h"

/* The index of the map that stands in the place of an argument, or -1. */
int gt_map_of_argument(const gt_template *template, uint32_t argument);
/* Fills `out` with all maps for the binding's configuration. Returns the first limit that a map
 * breaks, or GT_LIMIT_NONE. */
gt_limit gt_maps_make(gt_tensormap out[GT_TENSORMAP_MAX], const gt_binding *binding);
/* Checks the maps; a step of binding.h. */
gt_limit gt_binding_maps(gt_binding *binding);
/* Calls `use` with every expression of a map. */
void gt_map_expressions(const gt_map *map, void (*use)(void *user, const gt_expression *expression),
                        void *user);

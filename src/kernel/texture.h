/* Texture objects: read from a template (parse_tensormap.c) and worked out for sizes (texture.c).
 */
#pragma once

#include "kernel/binding.h"
#include "kernel/template_parts.h"

/* The filters and address modes of texture(), with the driver's numbers. */
enum { GT_TEXTURE_POINT, GT_TEXTURE_LINEAR };
enum { GT_TEXTURE_WRAP, GT_TEXTURE_CLAMP, GT_TEXTURE_MIRROR, GT_TEXTURE_BORDER };

/* The index of the texture that stands in the place of an argument, or -1. */
int gt_texture_of_argument(const gt_template *template, uint32_t argument);
/* Checks that a texture can have the argument's elements and the clause's settings. ETEMPLATE, with
 * the clause's place, if not. */
gputune_status gt_texture_check(const gt_texture_clause *clause, const gt_argument *argument,
                                const gt_element *element);
/* Fills `out` with all textures at the binding's sizes. ETEMPLATE, with the clause's place, for
 * elements, extents and rows that a texture cannot have. */
gputune_status gt_textures_make(gt_texture out[GT_TEXTURE_MAX], const gt_binding *binding);

/* The writers of a first template's clauses. For this room only. */
#pragma once

#include "draft/parts.h"

/* What is written, where. */
typedef struct gt_draft_writer {
    gt_text *out;
    gt_draft *draft;
    const gt_reader *present; /* the clauses that the text has */
    gt_draft *reference;      /* another kernel that says what is right; NULL: none */
} gt_draft_writer;

/* ---- text.c ---- */

/* Whether the text has a clause of that word, or one that gives a value to the name. */
bool gt_draft_has_clause(const gt_draft_writer *w, const char *word);
bool gt_draft_is_declared(const gt_draft_writer *w, const char *name);
/* What an expression calls the symbol. */
const char *gt_draft_name_of(const gt_draft_writer *w, uint16_t symbol);
/* Appends `h * w + 2`. */
void gt_draft_append_sum(gt_draft_writer *w, const gt_sum *sum);
/* Appends `[h][w]` of h * w elements, slowest first; false, and nothing, where that is no such
 * product. */
bool gt_draft_append_extents(gt_draft_writer *w, uint32_t buffer, const gt_sum *length);
/* Appends `1, 2, 4`. */
void gt_draft_append_values(gt_text *out, const gt_values *values);

/* ---- args.c ---- */

/* The extents of the grid, multiplied. */
gt_sum gt_draft_whole_problem(const gt_draft *draft);
/* "in", "out" or "inout". */
const char *gt_draft_direction(const gt_draft *draft, const gt_draft_buffer *buffer);
void gt_draft_write_sizes(gt_draft_writer *w);
void gt_draft_write_template_parameters(gt_draft_writer *w);
/* Gives parameters whose types are other names of numbers (typedef, using) those. */
void gt_draft_resolve_types(gt_draft *draft, const gt_reader *present);
/* The types of parameters that nothing declares. */
void gt_draft_write_types(gt_draft_writer *w);
void gt_draft_write_undefined(gt_draft_writer *w);
/* The __constant__ arrays that the host fills. */
void gt_draft_write_constants(gt_draft_writer *w);
/* The blocks of parameters that the kernel begins with. */
void gt_draft_write_passes(gt_draft_writer *w);
void gt_draft_write_args(gt_draft_writer *w);
/* A texture() for each object among the parameters. */
void gt_draft_write_textures(gt_draft_writer *w);

/* ---- write.c ---- */

/* Names what blocks are called; `has_block`: a block() clause says what they are. */
void gt_draft_name_axes(gt_draft *draft, bool has_block);

/* The writers of a first template's clauses. For this room only. */
#pragma once

#include "draft/parts.h"

/* The state of writing one draft's clauses. */
typedef struct gt_draft_writer {
    gt_text *out;
    gt_draft *draft;
    const gt_reader *present; /* the clauses that the text has already */
} gt_draft_writer;

/* ---- text.c ---- */

/* Whether the text has a clause with this word, or a clause that gives a value to this name. */
bool gt_draft_has_clause(const gt_draft_writer *w, const char *word);
bool gt_draft_is_declared(const gt_draft_writer *w, const char *name);
/* The name that the template's expressions have for the symbol. */
const char *gt_draft_name_of(const gt_draft_writer *w, uint16_t symbol);
/* Appends the sum as an expression of the template: `h * w + 2`. */
void gt_draft_append_sum(gt_draft_writer *w, const gt_sum *sum);
/* Appends a buffer's length h * w as `[h][w]`, slowest extent first. false: the length is no such
 * product, and nothing is appended. */
bool gt_draft_append_extents(gt_draft_writer *w, uint32_t buffer, const gt_sum *length);
/* Appends the numbers, separated by commas: `1, 2, 4`. */
void gt_draft_append_values(gt_text *out, const gt_values *values);

/* ---- args.c ---- */

/* The product of the sizes that the dimensions of the launch cover. */
gt_sum gt_draft_whole_problem(const gt_draft *draft);
/* "in", "out" or "inout". */
const char *gt_draft_direction(const gt_draft *draft, const gt_draft_buffer *buffer);
void gt_draft_write_sizes(gt_draft_writer *w);
void gt_draft_write_template_parameters(gt_draft_writer *w);
/* Replaces parameters' types that are other names of number types (typedef, using) by these types.
 */
void gt_draft_resolve_types(gt_draft *draft, const gt_reader *present);
/* Adds the members of structs that the kernel takes by value: pointers to its parameters, as
 * STRUCT.NAME, others to draft->members. */
void gt_draft_add_members(gt_draft *draft, const gt_reader *present);
/* Writes what stands in for parameters' types that nothing declares. */
void gt_draft_write_types(gt_draft_writer *w);
void gt_draft_write_undefined(gt_draft_writer *w);
/* Writes a constant() for each __constant__ array that the host fills. */
void gt_draft_write_constants(gt_draft_writer *w);
/* Writes a pass() for each block of parameters that the kernel's parameters begin with. */
void gt_draft_write_passes(gt_draft_writer *w);
void gt_draft_write_args(gt_draft_writer *w);

/* ---- texture.c ---- */

/* Appends the extents of a texture's buffer, slowest first; rows of linear memory are padded. */
void gt_draft_append_rows(gt_draft_writer *w, const gt_draft_buffer *buffer);
/* Writes a texture() for each texture object among the kernel's parameters. */
void gt_draft_write_textures(gt_draft_writer *w);

/* ---- write.c ---- */

/* Appends the comment, and a clause that `by` must divide `size`, unless the text has this clause.
 */
void gt_draft_write_divides(gt_draft_writer *w, const gt_sum *size, const gt_sum *by,
                            const char *comment);
/* Chooses the names of the axes that are the block's dimensions; `has_block`: the text has a
 * block() clause, which already says what they are. */
void gt_draft_name_axes(gt_draft *draft, bool has_block);

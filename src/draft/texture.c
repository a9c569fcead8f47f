/* Texture objects among a kernel's parameters: what they read, and the clause of each. */
#include "draft/write.h"

#include "kernel/types.h"

#include <string.h>

/* `<TYPE>(NAME,` behind the name of a fetch; with the lexer behind that name. */
static bool read_fetch(char type[GT_NAME_MAX], gt_lexer lexer, const char *name)
{
    return gt_lexer_accept(&lexer, "<") &&
           gt_words_read(type, GT_NAME_MAX, &lexer, "a type") == GPUTUNE_OK &&
           gt_lexer_accept(&lexer, ">") && gt_lexer_accept(&lexer, "(") &&
           gt_lexer_accept(&lexer, name);
}

uint32_t gt_draft_read_texture(gt_draft *draft, gt_function_parameter *parameter)
{
    static const char *const fetches[] = {"tex1Dfetch", "tex2D"};
    const gt_function *function = &draft->function;
    const size_t at = function->parameters_end;
    gt_lexer lexer;
    char type[GT_NAME_MAX];
    gt_lexer_open(&lexer, draft->text + at, function->end - at, gt_draft_place(draft, at));
    while (strcmp(parameter->words, "cudaTextureObject_t") == 0 &&
           lexer.token.kind != GT_TOKEN_END) {
        for (uint32_t i = 0; i < 2; i++) {
            gt_lexer behind = lexer;
            if (gt_lexer_accept(&behind, fetches[i]) && read_fetch(type, behind, parameter->name) &&
                gt_element_from_name(&parameter->element, type)) {
                memcpy(parameter->words, type, sizeof type);
                parameter->has_type = parameter->pointer = parameter->is_const = true;
                return i + 1;
            }
        }
        gt_lexer_next(&lexer);
    }
    return 0;
}

/* What is read along a dimension of the launch. */
static void append_size(gt_draft_writer *w, uint16_t dimension)
{
    const gt_polynomial *size = &w->draft->dimensions[dimension].size;
    const gt_polynomial one = gt_polynomial_number(1);
    gt_draft_append_sum(w, size->known && size->count ? size : &one);
}

void gt_draft_append_rows(gt_draft_writer *w, const gt_function_parameter *parameter)
{
    const uint32_t elements = GT_TEXTURE_PITCH / parameter->element.bytes;
    gt_text_append(w->out, "[");
    append_size(w, 1);
    gt_text_append(w->out, "][ceil_div(");
    append_size(w, 0);
    gt_text_printf(w->out, ", %u) * %u]", elements, elements);
}

/* The token in the program, or its number of tokens. */
static size_t find_token(const gt_program *program, const char *word)
{
    size_t at = 0;
    while (at < program->tokens.count && !gt_program_is(program, at, word)) {
        at++;
    }
    return at;
}

static bool has_token(const gt_program *program, const char *word)
{
    return program && find_token(program, word) < program->tokens.count;
}

static bool normalizes_coordinates(const gt_program *program)
{
    const size_t at = program ? find_token(program, "normalizedCoords") : 0;
    return program && gt_program_is(program, at + 1, "=") && !gt_program_is(program, at + 2, "0") &&
           !gt_program_is(program, at + 2, "false");
}

/* As the program describes the only texture that it makes, or all of them. CUDA clamps where
 * coordinates are not normalized and the mode is for those alone. */
static void append_settings(gt_draft_writer *w)
{
    const gt_program *program = w->draft->program;
    const bool normalized = normalizes_coordinates(program);
    const char *const address = has_token(program, "cudaAddressModeBorder")   ? "border"
                                : !normalized                                 ? ""
                                : has_token(program, "cudaAddressModeWrap")   ? "wrap"
                                : has_token(program, "cudaAddressModeMirror") ? "mirror"
                                                                              : "";
    gt_text_append(w->out, has_token(program, "cudaFilterModeLinear") ? ", filter = linear" : "");
    gt_text_printf(w->out, address[0] ? ", address = %s" : "%s", address);
    gt_text_append(w->out, normalized ? ", coordinates = normalized" : "");
    gt_text_append(w->out, ", width = ");
    append_size(w, 0);
}

static void write_texture(gt_draft_writer *w, const gt_draft_buffer *buffer)
{
    const gt_function_parameter *parameter = &w->draft->parameters[buffer->parameter];
    if (has_token(w->draft->program, "cudaReadModeNormalizedFloat")) {
        gt_text_printf(w->out,
                       "// ? the elements of '%s', which cudaReadModeNormalizedFloat makes floats "
                       "of: integers in args(), and read = normalized\n",
                       parameter->name);
    }
    if (buffer->texture == 2) {
        gt_text_printf(w->out,
                       "// guess: filter, address mode and coordinates of '%s', whose rows are "
                       "padded to %d bytes\n",
                       parameter->name, GT_TEXTURE_PITCH);
    }
    gt_text_printf(w->out, "#pragma gputune texture(%s", parameter->name);
    if (buffer->texture == 2) {
        append_settings(w);
    }
    gt_text_append(w->out, ")\n");
}

void gt_draft_write_textures(gt_draft_writer *w)
{
    for (uint32_t i = 0; i < w->draft->buffer_count; i++) {
        if (w->draft->buffers[i].texture) {
            write_texture(w, &w->draft->buffers[i]);
        }
    }
}

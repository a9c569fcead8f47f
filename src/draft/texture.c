/* The textures among a kernel's arguments: what is read by them, and how the program makes them. */
#include "draft/parts.h"

#include "kernel/types.h"

#include <string.h>

/* What a kernel reads an object's elements by; a buffer's `texture` is its place here, from 1. */
static const struct {
    const char *fetch;
    int extents;
    const char *memory; /* "": linear, or rows */
} fetches[] = {{"tex1Dfetch", 1, ""},         {"tex2D", 2, ""},      {"tex1D", 1, "array"},
               {"tex3D", 3, "array"},         {"tex2D", 2, "array"}, {"tex1DLayered", 2, "layered"},
               {"tex2DLayered", 3, "layered"}};

/* The first such token of the program, or as many as it has. */
static size_t find_token(const gt_program *program, const char *words)
{
    return gt_program_first(program, (gt_span){0, program->tokens.count}, words);
}

static bool has_token(const gt_program *program, const char *words)
{
    return find_token(program, words) < program->tokens.count;
}

uint32_t gt_draft_read_texture(gt_draft *draft, gt_function_parameter *parameter)
{
    const gt_program *program = draft->program;
    const bool has_arrays = has_token(program, "cudaMallocArray");
    char type[GT_NAME_MAX];
    for (size_t at = draft->body.first;
         at < draft->body.end && strcmp(parameter->words, "cudaTextureObject_t") == 0; at++) {
        uint32_t kind = 0;
        for (uint32_t i = 0; i < sizeof fetches / sizeof *fetches; i++) {
            const bool is_other = i == 4 && !has_arrays; /* rows of linear memory */
            kind = gt_program_is(program, at, fetches[i].fetch) && !is_other ? i + 1 : kind;
        }
        const bool is_fetch = kind && gt_program_is(program, at + 1, "<");
        const size_t close = is_fetch ? gt_program_close_angle(program, at + 1) : 0;
        if (!is_fetch || !gt_program_is(program, close + 1, "(") ||
            !gt_program_is(program, close + 2, parameter->name)) {
            continue;
        }
        gt_program_words(type, program, (gt_span){at + 2, close});
        if (gt_element_from_name(&parameter->element, type)) {
            memcpy(parameter->words, type, sizeof type);
            parameter->has_type = parameter->pointer = parameter->is_const = true;
            return kind;
        }
    }
    return 0;
}

/* What is read along a dimension of the launch. */
static const char *size_text(gt_draft *draft, int dimension)
{
    const gt_sum *size = &draft->dimensions[dimension].size;
    return size->known && size->count ? gt_draft_sum_text(draft, size) : "1";
}

void gt_draft_append_rows(gt_draft *draft, const gt_draft_argument *buffer)
{
    const uint32_t elements = GT_TEXTURE_PITCH / buffer->declared.element.bytes;
    const bool is_padded = !fetches[buffer->texture - 1].memory[0];
    for (int d = fetches[buffer->texture - 1].extents; d > 0; d--) {
        const char *size = size_text(draft, d - 1);
        if (is_padded && d == 1) {
            gt_text_printf(draft->out, "[ceil_div(%s, %u) * %u]", size, elements, elements);
        } else {
            gt_text_printf(draft->out, "[%s]", size);
        }
    }
}

/* As the program describes the only texture that it makes, or all of them. CUDA clamps where
 * coordinates are not normalized and the mode is for those alone. */
static void append_settings(gt_draft *draft, uint32_t texture)
{
    static const struct {
        const char *word, *setting;
        bool is_normalized; /* it counts for such coordinates alone */
    } settings[] = {{"cudaFilterModeLinear", ", filter = linear", false},
                    {"cudaAddressModeBorder", ", address = border", false},
                    {"cudaAddressModeWrap", ", address = wrap", true},
                    {"cudaAddressModeMirror", ", address = mirror", true},
                    {"normalizedCoords", ", coordinates = normalized", true}};
    const gt_program *program = draft->program;
    const size_t at = find_token(program, "normalizedCoords");
    const bool normalized =
        gt_program_is(program, at + 1, "=") && !gt_program_is(program, at + 2, "0 false");
    bool has_address = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const bool is_address = strstr(settings[i].setting, "address") != NULL;
        if (has_token(program, settings[i].word) && (normalized || !settings[i].is_normalized) &&
            !(is_address && has_address)) {
            gt_text_append(draft->out, settings[i].setting);
            has_address |= is_address;
        }
    }
    if (fetches[texture - 1].memory[0]) {
        gt_text_printf(draft->out, ", memory = %s", fetches[texture - 1].memory);
    } else {
        gt_text_printf(draft->out, ", width = %s", size_text(draft, 0));
    }
}

void gt_draft_write_textures(gt_draft *draft)
{
    const gt_program *program = draft->program;
    for (const gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        const char *name = buffer->declared.name;
        if (!buffer->texture) {
            continue;
        }
        if (has_token(program, "cudaReadModeNormalizedFloat")) {
            gt_text_printf(draft->out,
                           "// ? the elements of '%s', which cudaReadModeNormalizedFloat makes "
                           "floats of: integers in args(), and read = normalized\n",
                           name);
        }
        if (buffer->texture > 1) {
            gt_text_printf(draft->out, "// guess: filter, address mode and coordinates of '%s'",
                           name);
            gt_text_printf(draft->out,
                           fetches[buffer->texture - 1].memory[0]
                               ? ", whose extents are the grid's\n"
                               : ", whose rows are padded to %d bytes\n",
                           GT_TEXTURE_PITCH);
        }
        gt_text_printf(draft->out, "#pragma gputune texture(%s", name);
        if (buffer->texture > 1) {
            append_settings(draft, buffer->texture);
        }
        gt_text_append(draft->out, ")\n");
    }
}

/* Finds kernels and variables in images, which are PTX or cubins. */
#include "gpu/image.h"

#include "base/text.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRY_FLAG = 0x10 }; /* flag in st_other of the ELF symbol of a kernel */

bool gt_image_is_ptx(const gt_image *image)
{
    return image->bytes < SELFMAG || memcmp(image->data, ELFMAG, SELFMAG) != 0;
}

static bool begins_with(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* Returns true if the mangled C++ name `symbol` ends with the last component of `name` ("scan" for
 * "ns::scan"). In the Itanium C++ ABI, each component is preceded by its length, the first of
 * several components is also preceded by N, and a component with internal linkage by L. */
static bool is_mangled(const char *symbol, size_t bytes, const char *name)
{
    const char *colon = strrchr(name, ':'), *last = colon ? colon + 1 : name, *part = NULL;
    size_t at = 2, length = 0;
    if (!begins_with(symbol, bytes, "_Z")) {
        return false;
    }
    const bool is_nested = at < bytes && symbol[at] == 'N';
    at += is_nested;
    at += at < bytes && symbol[at] == 'L';
    while (at < bytes && isdigit((unsigned char)symbol[at]) && (is_nested || !part)) {
        for (length = 0; at < bytes && isdigit((unsigned char)symbol[at]); at++) {
            length = length < bytes ? 10 * length + (size_t)(symbol[at] - '0') : bytes;
        }
        if (length > bytes - at) {
            return false;
        }
        part = symbol + at;
        at += length;
        at += at < bytes && symbol[at] == 'L';
    }
    return part && length == strlen(last) && memcmp(part, last, length) == 0;
}

typedef struct search {
    const char *name;
    const char *exact, *found;
    size_t exact_bytes, found_bytes;
    unsigned instances;
} search;

static void match_symbol(void *user, const char *symbol, size_t bytes)
{
    search *search = user;
    if (bytes == strlen(search->name) && memcmp(symbol, search->name, bytes) == 0) {
        search->exact = symbol;
        search->exact_bytes = bytes;
    } else if (is_mangled(symbol, bytes, search->name)) {
        search->found = symbol;
        search->found_bytes = bytes;
        search->instances++;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_$%", c));
}

/* Calls `each` for each name that is declared after the keyword `word`. The name is the last word
 * before one of the characters in `ends`. */
static void each_declared(const gt_image *image, const char *word, const char *ends,
                          gt_image_name_fn *each, void *user)
{
    const char *at = image->data, *end = at + image->bytes;
    while ((at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL) {
        const char *begin = at;
        at += strlen(word);
        bool declares = at < end && isspace((unsigned char)*at) &&
                        (begin == image->data || isspace((unsigned char)begin[-1]));
        while (at < end && !strchr(ends, *at)) {
            at++;
        }
        const char *last = at;
        while (last > begin && !is_word(last[-1])) {
            last--;
        }
        const char *first = last;
        while (first > begin && is_word(first[-1])) {
            first--;
        }
        if (declares && at < end && *at != '\n') {
            each(user, first, (size_t)(last - first));
        }
    }
}

/* Returns `count` items of `size` bytes at `offset`, or NULL if they are not all in the image. */
static const void *part_at(const gt_image *image, uint64_t offset, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || offset > image->bytes ||
        bytes > image->bytes - offset) {
        return NULL;
    }
    return (const char *)image->data + offset;
}

/* Returns the section headers of a cubin, or NULL. They may be unaligned. */
static const char *section_headers(const gt_image *image, uint16_t *count)
{
    Elf64_Ehdr header;
    if (gt_image_is_ptx(image) || image->bytes < sizeof header) {
        return NULL;
    }
    memcpy(&header, image->data, sizeof header);
    *count = header.e_shnum;
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_shentsize == sizeof(Elf64_Shdr)
               ? part_at(image, header.e_shoff, header.e_shnum, sizeof(Elf64_Shdr))
               : NULL;
}

static Elf64_Shdr section_at(const char *headers, uint32_t index)
{
    Elf64_Shdr section;
    memcpy(&section, headers + (size_t)index * sizeof section, sizeof section);
    return section;
}

static void each_symbol(const gt_image *image, bool kernels, gt_image_name_fn *each, void *user)
{
    uint16_t count = 0;
    const char *headers = section_headers(image, &count);
    for (uint16_t s = 0; headers && s < count; s++) {
        const Elf64_Shdr table = section_at(headers, s);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= count) {
            continue;
        }
        const Elf64_Shdr names = section_at(headers, table.sh_link);
        const uint64_t entries = table.sh_size / sizeof(Elf64_Sym);
        const char *all = part_at(image, table.sh_offset, entries, sizeof(Elf64_Sym));
        const char *texts = part_at(image, names.sh_offset, names.sh_size, 1);
        for (uint64_t i = 0; all && texts && i < entries; i++) {
            Elf64_Sym symbol;
            memcpy(&symbol, all + i * sizeof symbol, sizeof symbol);
            const char *name = texts + symbol.st_name;
            const uint16_t home = symbol.st_shndx;
            const uint64_t flags = home < count ? section_at(headers, home).sh_flags : 0;
            const int type = ELF64_ST_TYPE(symbol.st_info);
            bool is_wanted = kernels ? type == STT_FUNC && (symbol.st_other & ENTRY_FLAG)
                                     : type == STT_OBJECT && (flags & SHF_WRITE);
            if (symbol.st_name < names.sh_size && is_wanted &&
                memchr(name, '\0', (size_t)(names.sh_size - symbol.st_name))) {
                each(user, name, strlen(name));
            }
        }
    }
}

static void each_name(const gt_image *image, bool kernels, gt_image_name_fn *each, void *user)
{
    if (!gt_image_is_ptx(image)) {
        each_symbol(image, kernels, each, user);
    } else if (kernels) {
        each_declared(image, ".entry", "(", each, user);
    } else {
        each_declared(image, ".global", "[=;\n", each, user);
    }
}

typedef struct variables {
    gt_image_name_fn *each;
    void *user;
} variables;

/* Returns true for a constant of the prelude, which the compiler emits even if it is unused. */
static bool is_of_prelude(const char *name, size_t length)
{
    const char *at = name + strlen("_ZN"), *end = name + length;
    while (at < end && isdigit((unsigned char)*at)) {
        at++;
    }
    return begins_with(name, length, "_ZN") && begins_with(at, (size_t)(end - at), "gputune_");
}

static void pass_variable(void *user, const char *name, size_t length)
{
    const variables *all = user;
    if (!is_of_prelude(name, length)) {
        all->each(all->user, name, length);
    }
}

void gt_image_each_variable(const gt_image *image, gt_image_name_fn *each, void *user)
{
    variables all = {each, user};
    each_name(image, false, pass_variable, &all);
}

static search search_image(const gt_image *image, const char *name)
{
    search search = {.name = name};
    each_name(image, true, match_symbol, &search);
    return search;
}

/* Appends a note without its symbol. Notes are comments in PTX and are not read in cubins. */
static void append_mark(gt_text *out, const char *name)
{
    gt_text_printf(out, "\n// entry of %s: ", name);
}

gputune_status gt_image_note_entry(gt_image *image, const char *name, const char *symbol)
{
    const search found = search_image(image, name);
    if (found.exact || found.instances == 1) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_text_free) gt_text note = {0};
    append_mark(&note, name);
    gt_text_printf(&note, "%s\n", symbol);
    GT_TRY(note.failed ? gt_fail_memory() : GPUTUNE_OK);
    char *longer = realloc((void *)image->data, image->bytes + note.length + 1);
    GT_TRY(gt_allocated(longer));
    const bool ends = gt_image_is_ptx(&(gt_image){longer, image->bytes}) && image->bytes > 0 &&
                      longer[image->bytes - 1] == '\0';
    memcpy(longer + image->bytes - ends, gt_text_string(&note), note.length + 1);
    *image = (gt_image){longer, image->bytes + note.length};
    return GPUTUNE_OK;
}

gputune_status gt_image_entry(char **out, const gt_image *image, const char *name)
{
    const search search = search_image(image, name);
    if (search.exact) {
        return gt_strndup(out, search.exact, search.exact_bytes);
    }
    if (search.instances != 1) {
        GT_SCOPED(gt_text_free) gt_text mark = {0};
        append_mark(&mark, name);
        const char *noted = memmem(image->data, image->bytes, gt_text_string(&mark), mark.length);
        const char *symbol = noted ? noted + mark.length : NULL;
        const char *end = (const char *)image->data + image->bytes;
        const char *line_end = noted ? memchr(symbol, '\n', (size_t)(end - symbol)) : NULL;
        if (line_end) {
            return gt_strndup(out, symbol, (size_t)(line_end - symbol));
        }
    }
    GT_REFUSE(search.instances > 1, GPUTUNE_EINVAL,
              "the image has %u instances of the kernel %s; expected one: the template's file may "
              "neither instantiate it nor specialise it for other arguments",
              search.instances, name);
    return search.found ? gt_strndup(out, search.found, search.found_bytes) : gt_strdup(out, name);
}

/* Tests finding kernels in images by the names in templates. */
#include "gpu/image.h"
#include "support/test.h"

#include <elf.h>

static const char ptx[] = ".version 9.0\n"
                          ".visible .entry plain(.param .u64 p)\n{ ret; }\n"
                          ".weak .entry _Z1fI3FooEvT_Pi(\n)\n{ ret; }\n"
                          ".weak .entry _ZN1a2v14axpyIfLi3EEEvPT_PKS2_(\n)\n{ ret; }\n"
                          ".entry\n_ZN33_GLOBAL__N__00000000_4_k_cu_plain5tanonILi4EEEvPi()\n{ }\n"
                          ".weak .entry _Z5twiceIfEvPT_() { ret; }\n"
                          ".weak .entry _Z5twiceIdEvPT_() { ret; }\n"
                          ".entry _Z5sweep3FooPf() { }\n.entry _Z14s5sweep_insidePf() { }\n"
                          ".entry _Z15sweep_exclusiveP5sweep() { }\n.entry _ZN1aL4fillEv() { }\n"
                          ".entry _Z9999999999999999999999bad() { } .entry";

static void assert_entry(const gt_image *image, const char *name, const char *expected)
{
    GT_FREED char *found = NULL;
    ASSERT_OK(gt_image_entry(&found, image, name));
    assert_string_equal(found, expected);
}

TEST(test_ptx)
{
    const gt_image image = {(void *)ptx, sizeof ptx};
    char *found;
    assert_entry(&image, "plain", "plain");
    assert_entry(&image, "f", "_Z1fI3FooEvT_Pi");
    assert_entry(&image, "a::v1::axpy", "_ZN1a2v14axpyIfLi3EEEvPT_PKS2_");
    assert_entry(&image, "tanon", "_ZN33_GLOBAL__N__00000000_4_k_cu_plain5tanonILi4EEEvPi");
    assert_entry(&image, "sweep", "_Z5sweep3FooPf"); /* other kernels' names contain "sweep" */
    assert_entry(&image, "a::fill", "_ZN1aL4fillEv");
    assert_entry(&image, "scan", "scan"); /* an unknown kernel keeps its name */
    assert_int_equal(gt_image_entry(&found, &image, "twice"), GPUTUNE_EINVAL);
    assert_string_equal(gt_message(),
                        "the image has 2 instances of the kernel twice; expected one: the "
                        "template's file may neither instantiate it nor specialise it for other "
                        "arguments");
}

/* gt_image_note_entry() appends a note to an image. The note selects one of a kernel's instances.
 * The image still ends with a NUL. */
TEST(note_selects_the_template_instance)
{
    gt_image image = {malloc(sizeof ptx), sizeof ptx}, plain = {malloc(sizeof ptx), sizeof ptx};
    memcpy(image.data, ptx, sizeof ptx);
    memcpy(plain.data, ptx, sizeof ptx);
    ASSERT_OK(gt_image_note_entry(&image, "twice", "_Z5twiceIdEvPT_"));
    assert_entry(&image, "twice", "_Z5twiceIdEvPT_");
    assert_entry(&image, "f", "_Z1fI3FooEvT_Pi");
    /* the name in the note may differ from the kernel's name */
    ASSERT_OK(gt_image_note_entry(&image, "twice_launch2", "_Z5twiceIfEvPT_"));
    assert_entry(&image, "twice_launch2", "_Z5twiceIfEvPT_");
    assert_int_equal(strlen(image.data) + 1, image.bytes);
    ASSERT_OK(gt_image_note_entry(&plain, "f", "_Z1fI3FooEvT_Pi"));
    assert_int_equal(plain.bytes, sizeof ptx);
    free(image.data);
    free(plain.data);
}

/* The parts of a cubin that gputune reads: header, symbols, names, two section headers. */
typedef struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[2];
    Elf64_Sym symbols[3];
    char names[64];
} cubin;

static cubin make_cubin(void)
{
    cubin c = {.names = "\0_Z1fIfEvPT_\0_Z1fIdEvPT_"};
    memcpy(c.header.e_ident, ELFMAG, SELFMAG);
    c.header.e_ident[EI_CLASS] = ELFCLASS64;
    c.header.e_shoff = offsetof(cubin, sections);
    c.header.e_shentsize = sizeof(Elf64_Shdr);
    c.header.e_shnum = 2;
    c.sections[0] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                 .sh_link = 1,
                                 .sh_offset = offsetof(cubin, symbols),
                                 .sh_size = sizeof c.symbols};
    c.sections[1] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(cubin, names), .sh_size = sizeof c.names};
    c.symbols[1] = (Elf64_Sym){.st_name = 1, .st_info = STT_FUNC};
    c.symbols[2] = (Elf64_Sym){.st_name = 13, .st_info = STT_FUNC, .st_other = 0x10};
    return c;
}

TEST(test_cubin)
{
    cubin c = make_cubin();
    assert_entry(&(gt_image){&c, sizeof c}, "f", "_Z1fIdEvPT_");
    assert_entry(&(gt_image){&c, sizeof c}, "g", "g");
}

TEST(test_damaged_cubins)
{
    for (size_t at = SELFMAG; at < offsetof(cubin, names); at++) {
        for (int bit = 0; bit < 8; bit++) {
            cubin c = make_cubin();
            char *found = NULL;
            ((unsigned char *)&c)[at] ^= (unsigned char)(1 << bit);
            (void)gt_image_entry(&found, &(gt_image){&c, sizeof c}, "f");
            free(found);
        }
    }
    for (size_t bytes = 0; bytes < sizeof(cubin); bytes++) {
        cubin whole = make_cubin();
        char *found = NULL, *part = malloc(bytes + 1);
        assert_non_null(part);
        memcpy(part, &whole, bytes);
        (void)gt_image_entry(&found, &(gt_image){part, bytes}, "f");
        free(found);
        free(part);
    }
}

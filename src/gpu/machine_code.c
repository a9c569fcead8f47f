/* Reads the widths of loads and stores out of machine code. */
#include "gpu/machine_code.h"

#include "gpu/image.h"

#include <stdlib.h>
#include <string.h>

/* An instruction is 16 bytes: the opcode in its lowest 12 bits (before its predicate), the size of
 * an access in bits 73 to 75 (checked with nvdisasm 13.0 for sm_75 to sm_121, tests/gpu). */
enum { INSTRUCTION_BYTES = 16, OPCODE_MASK = 0xfff, SIZE_SHIFT = 73 - 64, BLACKWELL = 100 };

typedef enum access { LOAD, STORE, LOAD_ASYNC, LOAD_WIDEST, STORE_WIDEST } access;

static const struct {
    uint16_t opcode;
    access access;
} opcodes[] = {
    {0x381, LOAD},        /* LDG */
    {0x981, LOAD},        /* LDG with a uniform register */
    {0x980, LOAD},        /* LD */
    {0x386, STORE},       /* STG */
    {0x986, STORE},       /* STG with a uniform register */
    {0x385, STORE},       /* ST */
    {0x985, STORE},       /* ST with a uniform register */
    {0xfae, LOAD_ASYNC},  /* LDGSTS */
    {0x97e, LOAD_WIDEST}, /* LDG.ENL2.256 */
    {0x97f, STORE_WIDEST} /* STG.ENL2.256 */
};

/* Bytes by the field: U8, S8, U16, S16, 32, 64, 128. */
static uint32_t plain_bytes(uint64_t high)
{
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    return bytes[high >> SIZE_SHIFT & 7];
}

/* LDGSTS has 32, 64 and 128 alone; from Blackwell on they have a field of their own. */
static uint32_t async_bytes(uint64_t high, int cc)
{
    return cc < BLACKWELL ? plain_bytes(high) : 4u << (high >> (SIZE_SHIFT + 1) & 3);
}

typedef struct reading {
    gt_resources *out;
    int cc;
} reading;

static void note(const reading *at, access access, uint64_t high)
{
    gt_resources *out = at->out;
    switch (access) {
    case LOAD:
        out->load_widths |= plain_bytes(high);
        return;
    case STORE:
        out->store_widths |= plain_bytes(high);
        return;
    case LOAD_ASYNC:
        out->load_widths |= async_bytes(high, at->cc);
        return;
    case LOAD_WIDEST:
        out->load_widths |= 32;
        return;
    case STORE_WIDEST:
        out->store_widths |= 32;
        return;
    }
}

static void read_code(void *user, const void *code, size_t bytes)
{
    const reading *at = user;
    for (size_t i = 0; i + INSTRUCTION_BYTES <= bytes; i += INSTRUCTION_BYTES) {
        uint64_t words[2];
        memcpy(words, (const char *)code + i, sizeof words);
        for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; k++) {
            if ((words[0] & OPCODE_MASK) == opcodes[k].opcode) {
                note(at, opcodes[k].access, words[1]);
            }
        }
    }
}

void gt_machine_code_widths(gt_resources *out, const gt_image *cubin, const char *arch)
{
    reading at = {out, strncmp(arch, "sm_", 3) == 0 ? (int)strtol(arch + 3, NULL, 10) : 0};
    out->load_widths = out->store_widths = 0;
    gt_image_each_code(cubin, read_code, &at);
}

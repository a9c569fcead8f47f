/* Fuzzes the emulator's PTX reader. */
#include "fuzz/fuzz.h"

#include "emulator/machine.h"

const char *const fuzz_seeds[] = {
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 k_p, .param .u32 k_n)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n"
    ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [k_p];\nld.param.u32 %r1, [k_n];\n"
    "mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, %r1;\n@%p1 bra $L;\n"
    "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r2;\n"
    "$L:\nret;\n}\n",
    NULL,
};
const char *const fuzz_words[] = {
    ".reg ",
    ".b32 ",
    ".b64 ",
    ".pred ",
    ".f32 ",
    ".v4",
    ".shared ",
    ".global ",
    ".const ",
    ".local ",
    ".param ",
    ".align 16 ",
    ".extern ",
    ".visible ",
    ".entry ",
    ".func ",
    "bra ",
    "call ",
    "ret;",
    "bar.sync 0",
    "ld.",
    "st.",
    "mov.",
    "%r1",
    "%rd1",
    "%p1",
    "$L",
    "brx.idx ",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    ";",
    ",",
    "@",
    "@!",
    "0f3F800000",
    "0x",
    ".maxntid ",
    ".pragma \"\";",
    "generic(",
    ".branchtargets ",
    ".callprototype ",
    ".section ",
    "%tid.x",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    emu_program *program;
    char log[256] = "";
    int code = emu_program_load(&program, (const char *)data, bytes, 90, log, sizeof log);
    if (code == 0) {
        for (size_t i = 0; i < emu_program_kernel_count(program); i++) {
            const emu_kernel *kernel = emu_program_kernel_at(program, i);
            FUZZ_REQUIRE(kernel->name);
            FUZZ_REQUIRE(emu_program_kernel(program, kernel->name));
        }
        for (size_t i = 0; i < emu_program_global_count(program); i++) {
            FUZZ_REQUIRE(emu_program_global_at(program, i)->name);
        }
        emu_program_free(program);
    } else {
        FUZZ_REQUIRE((code == 218 && log[0]) || code == 2);
    }
    return 0;
}

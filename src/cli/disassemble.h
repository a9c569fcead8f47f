/* SASS of a cubin, by a tool of the CUDA toolkit. */
#ifndef CLI_DISASSEMBLE_H
#define CLI_DISASSEMBLE_H

#include <stddef.h>

/* Runs nvdisasm or cuobjdump, found on PATH, under CUDA_HOME or in the toolkit's default folder, on
 * the cubin; what it prints goes to descriptor `output`. Returns the program's exit code, after
 * saying what is wrong. */
int cli_disassemble(const void *cubin, size_t bytes, int output);

#endif

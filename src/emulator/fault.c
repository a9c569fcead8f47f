/* Raises the faults of kernels and writes the messages about them. */
#include "emulator/check.h"
#include "emulator/program.h"

#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *code_name(int code)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {2, "out of memory"},
        {700, "illegal address"},
        {710, "assert"},
        {715, "illegal instruction"},
        {716, "misaligned address"},
        {717, "invalid address space"},
        {718, "invalid program counter"},
        {719, "launch failed"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].code == code)
            return names[i].name;
    return "fault";
}

static void describe_line(char out[96], const emu_warp *warp, const emu_op *op)
{
    const ptx_place place = ptx_module_place(&warp->worker->run->launch->program->module, op->line);
    const char *slash = place.file ? strrchr(place.file, '/') : NULL;
    if (place.file)
        gt_snprintf(out, 96, "%.72s:%u", slash ? slash + 1 : place.file, place.line);
    else
        gt_snprintf(out, 96, "PTX line %u", op->line);
}

static void describe_fault(emu_fault *fault, const emu_warp *warp, const emu_op *op, unsigned lane,
                           const char *what)
{
    const emu_block *block = warp->block;
    const emu_kernel *kernel = warp->worker->run->launch->kernel;
    char line[96];
    describe_line(line, warp, op);
    snprintf(fault->message, sizeof fault->message,
             "%s: %s: kernel %.80s, %s, block (%u,%u,%u), thread (%u,%u,%u)",
             code_name(fault->code), what, kernel->name, line, block->ctaid[0], block->ctaid[1],
             block->ctaid[2], warp->tid[0][lane], warp->tid[1][lane], warp->tid[2][lane]);
}

void emu_raise(emu_warp *warp, const emu_op *op, int code, unsigned lane, uint64_t address,
               const char *format, ...)
{
    emu_run_state *run = warp->worker->run;
    char what[192];
    va_list arguments;
    va_start(arguments, format);
    gt_vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (warp->worker->check)
        emu_check_fault(warp, op, code, lane, address, what);
    pthread_mutex_lock(&run->lock);
    if (run->fault->code == 0) {
        run->fault->code = code;
        run->fault->address = address;
        describe_fault(run->fault, warp, op, lane, what);
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, 1);
    warp->limit = 0;
}

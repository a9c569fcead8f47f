/* Maintains the stack of contexts of each thread. The top of the stack is the current context. */
#include "emulator/context.h"

enum { STACK_DEPTH = 32 };

static _Thread_local struct {
    CUcontext at[STACK_DEPTH];
    int depth;
} stack;

CUcontext emu_context_top(void)
{
    return stack.depth ? stack.at[stack.depth - 1] : NULL;
}

CUresult emu_context_check_current(void)
{
    CUcontext top = emu_context_top();
    if (!top) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    return top->alive ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult emu_context_push(CUcontext context)
{
    if (stack.depth == STACK_DEPTH) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    stack.at[stack.depth++] = context;
    return CUDA_SUCCESS;
}

CUresult emu_context_pop(CUcontext *out)
{
    if (!stack.depth) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    *out = stack.at[--stack.depth];
    return CUDA_SUCCESS;
}

void emu_context_set(CUcontext context)
{
    stack.depth -= stack.depth > 0;
    if (context) {
        stack.at[stack.depth++] = context;
    }
}

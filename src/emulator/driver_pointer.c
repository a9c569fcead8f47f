/* Implements queries of addresses: cuPointerGetAttribute. */
#include "emulator/context.h"
#include "emulator/enter.h"

#include <string.h>

typedef struct answer {
    CUpointer_attribute attribute;
    void (*get)(void *out, const emu_allocation *what, uint64_t address);
} answer;

static bool on_host(const emu_allocation *what)
{
    return what->kind == EMU_MEMORY_HOST || what->kind == EMU_MEMORY_REGISTERED;
}

static void get_context(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->owner, sizeof what->owner);
}

static void get_type(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    *(unsigned *)out = on_host(what) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static void get_address(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    memcpy(out, &address, sizeof address);
}

static void get_id(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->id, sizeof what->id);
}

static void get_zero(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(int *)out = 0;
}

static void get_false(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(unsigned char *)out = 0;
}

static void get_shareable(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    *(unsigned char *)out = what->kind == EMU_MEMORY_DEVICE;
}

static void get_base(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->base, sizeof what->base);
}

static void get_bytes(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->bytes, sizeof what->bytes);
}

static void get_mapped(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(unsigned char *)out = 1;
}

static const answer answers[] = {
    {CU_POINTER_ATTRIBUTE_CONTEXT, get_context},
    {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, get_type},
    {CU_POINTER_ATTRIBUTE_DEVICE_POINTER, get_address},
    {CU_POINTER_ATTRIBUTE_HOST_POINTER, get_address},
    {CU_POINTER_ATTRIBUTE_BUFFER_ID, get_id},
    {CU_POINTER_ATTRIBUTE_IS_MANAGED, get_false},
    {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, get_zero},
    {CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, get_shareable},
    {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, get_base},
    {CU_POINTER_ATTRIBUTE_RANGE_SIZE, get_bytes},
    {CU_POINTER_ATTRIBUTE_MAPPED, get_mapped},
};

static const answer *find_answer(CUpointer_attribute attribute)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (answers[i].attribute == attribute) {
            return &answers[i];
        }
    }
    return NULL;
}

/* Returns false if the attribute is the host address and the memory is only on the device. */
static bool has_attribute(const answer *answer, const emu_allocation *what)
{
    return answer->attribute != CU_POINTER_ATTRIBUTE_HOST_POINTER || on_host(what);
}

EMU_EXPORT CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute,
                                          CUdeviceptr address)
{
    EMU_ENTER(cuPointerGetAttribute, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    const answer *answer = find_answer(attribute);
    EMU_CHECK(answer, CUDA_ERROR_NOT_SUPPORTED);
    emu_allocation what;
    EMU_CHECK(emu_memory_lookup(&what, address) && has_attribute(answer, &what),
              CUDA_ERROR_INVALID_VALUE);
    answer->get(out, &what, address);
    return CUDA_SUCCESS;
}

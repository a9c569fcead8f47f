/* What is known of an address: cuPointerGetAttribute. */
#include "emulator/context.h"
#include "emulator/enter.h"

#include <string.h>

typedef struct answer {
    CUpointer_attribute attribute;
    void (*tell)(void *out, const emu_allocation *what, uint64_t address);
} answer;

static bool on_host(const emu_allocation *what)
{
    return what->kind == EMU_MEMORY_HOST || what->kind == EMU_MEMORY_REGISTERED;
}

static void tell_context(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->owner, sizeof what->owner);
}

static void tell_type(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    *(unsigned *)out = on_host(what) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

static void tell_address(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    memcpy(out, &address, sizeof address);
}

static void tell_id(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->id, sizeof what->id);
}

static void tell_zero(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(int *)out = 0;
}

static void tell_false(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(unsigned char *)out = 0;
}

static void tell_shareable(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    *(unsigned char *)out = what->kind == EMU_MEMORY_DEVICE;
}

static void tell_base(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->base, sizeof what->base);
}

static void tell_bytes(void *out, const emu_allocation *what, uint64_t address)
{
    (void)address;
    memcpy(out, &what->bytes, sizeof what->bytes);
}

static void tell_mapped(void *out, const emu_allocation *what, uint64_t address)
{
    (void)what;
    (void)address;
    *(unsigned char *)out = 1;
}

static const answer answers[] = {
    {CU_POINTER_ATTRIBUTE_CONTEXT, tell_context},
    {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, tell_type},
    {CU_POINTER_ATTRIBUTE_DEVICE_POINTER, tell_address},
    {CU_POINTER_ATTRIBUTE_HOST_POINTER, tell_address},
    {CU_POINTER_ATTRIBUTE_BUFFER_ID, tell_id},
    {CU_POINTER_ATTRIBUTE_IS_MANAGED, tell_false},
    {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, tell_zero},
    {CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, tell_shareable},
    {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, tell_base},
    {CU_POINTER_ATTRIBUTE_RANGE_SIZE, tell_bytes},
    {CU_POINTER_ATTRIBUTE_MAPPED, tell_mapped},
};

static const answer *find(CUpointer_attribute attribute)
{
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        if (answers[i].attribute == attribute) {
            return &answers[i];
        }
    }
    return NULL;
}

/* Device memory has no host address; pinned memory has both. */
static bool has(const answer *answer, const emu_allocation *what)
{
    return answer->attribute != CU_POINTER_ATTRIBUTE_HOST_POINTER || on_host(what);
}

EMU_EXPORT CUresult cuPointerGetAttribute(void *out, CUpointer_attribute attribute,
                                          CUdeviceptr address)
{
    EMU_ENTER(cuPointerGetAttribute, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(out, CUDA_ERROR_INVALID_VALUE);
    const answer *answer = find(attribute);
    EMU_CHECK(answer, CUDA_ERROR_NOT_SUPPORTED);
    emu_allocation what;
    EMU_CHECK(emu_memory_lookup(&what, address) && has(answer, &what), CUDA_ERROR_INVALID_VALUE);
    answer->tell(out, &what, address);
    return CUDA_SUCCESS;
}

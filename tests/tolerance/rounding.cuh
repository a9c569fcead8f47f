// Conversions to half precision and back, without cuda_fp16.h.
static __device__ unsigned short half_bits(float value)
{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return bits;
}

static __device__ float half_value(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}

static __device__ float rounded_to_half(float value)
{
    return half_value(half_bits(value));
}

__global__ void scale(float *y, const float *x, float a, int n)
{
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    float4 *y4 = (float4 *)y;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = x4[i];
        v.x *= a; v.y *= a; v.z *= a; v.w *= a;
        y4[i] = v;
    }
}

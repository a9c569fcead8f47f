namespace sim {
__global__ void __launch_bounds__(256) forces(float4 *acc, const float4 *__restrict__ pos, int n, float eps)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float4 p = pos[i];
    float ax = 0, ay = 0, az = 0;
    for (int j = 0; j < n; j++) {
        float4 q = pos[j];
        float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + eps);
        float s = q.w * r * r * r;
        ax += s * dx; ay += s * dy; az += s * dz;
    }
    acc[i] = make_float4(ax, ay, az, 0);
}
}

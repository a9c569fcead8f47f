// A kernel that declares a vector axis and does not use vectors
#pragma gputune kernel(narrow)
#pragma gputune problem(n = 4096)
#pragma gputune args(out float y[n], in float x[n], int n)
#pragma gputune vector(VEC = 1, 4 : x, y)
#pragma gputune block(64)
#pragma gputune grid(ceil_div(n, 64 * VEC))
#pragma gputune reference(narrow_reference)

__global__ void narrow(float *y, const float *x, int n)
{
    for (int k = 0; k < VEC; k++) {
        int i = (blockIdx.x * VEC + k) * 64 + threadIdx.x;
        if (i < n) {
            y[i] = x[i];
        }
    }
}

__global__ void narrow_reference(float *y, const float *x, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

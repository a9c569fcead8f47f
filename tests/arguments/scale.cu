// blur: a picture scaled by half, filtered
#pragma gputune kernel(scale)
#pragma gputune problem(w = 320, h = 200)
#pragma gputune args(out float y[h][w], in float image[h][ceil_div(w, 8) * 8], int w, int h)
#pragma gputune texture(image, filter = linear, address = border, width = w)
#pragma gputune tune(BX = 16, 32, 64) tune(BY = 1, 4, 8)
#pragma gputune block(BX, BY) grid(ceil_div(w, BX), ceil_div(h, BY))
#pragma gputune reference(scale_reference, block = (16, 16), grid = (ceil_div(w, 16), ceil_div(h, 16)))

__global__ void scale(float *y, cudaTextureObject_t image, int w, int h)
{
    int i = blockIdx.x * BX + threadIdx.x, j = blockIdx.y * BY + threadIdx.y;
    if (i < w && j < h)
        y[j * w + i] = tex2D<float>(image, 1.25f * i - 3, 0.75f * j);
}

__global__ void scale_reference(float *y, const float *image, int w, int h)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    int pitch = (w + 7) / 8 * 8;
    if (i < w && j < h) {
        float x = 1.25f * i - 3.5f, z = 0.75f * j - 0.5f, sum = 0;
        int a = floorf(x), b = floorf(z);
        for (int k = 0; k < 4; k++) {
            int u = a + k % 2, v = b + k / 2;
            float t = k % 2 ? x - a : 1 - (x - a), s = k / 2 ? z - b : 1 - (z - b);
            if (u >= 0 && u < w && v >= 0 && v < h)
                sum += t * s * image[v * pitch + u];
        }
        y[j * w + i] = sum;
    }
}

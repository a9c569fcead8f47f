// Running sums of rows: each launch adds the previous row, at an address inside the buffer
#pragma gputune kernel(running)
#pragma gputune problem(const rows = 9, n = 3000)
#pragma gputune args(inout float y[rows][n], int n)
#pragma gputune scratch(short marks[2 * n])
#pragma gputune tune(BLOCK = 64, 128)
#pragma gputune for(row = 1; row < rows; ++row)
#pragma gputune launch(add, block = BLOCK, grid = ceil_div(n, BLOCK), args = (y + row * n, y + (row - 1) * n, marks + n, n))
#pragma gputune reference(judge, grid = ceil_div(n, 256))

__global__ void add(float *y, const float *before, short *marks, int n)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        marks[i - n] = marks[i] = 1;
        y[i] += before[i];
    }
}

__global__ void judge(float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int row = 1; row < rows && i < n; row++) {
        y[row * n + i] += y[(row - 1) * n + i];
    }
}

struct item { float a, b; };
__global__ void k(item *y, const item *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) (y + i)->a = x[i].b;
}
__global__ void first(item *y, const item *x) { y->a = x->b; }

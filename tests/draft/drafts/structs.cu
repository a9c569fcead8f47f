struct params { int n; float alpha; float beta; };
struct particle { float x, y; int id; };
__global__ void move(particle *p, params q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < q.n) { p[i].x += q.alpha * p[i].y; p[i].y *= q.beta; }
}

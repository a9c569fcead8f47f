// What it calls knows the launch, and T is defined by nothing
__global__ void copied(T *to, const T *from, size_t n)
{
    copy_all(to, from, n);
}

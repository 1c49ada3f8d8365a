
__global__ void k(struct big s, int **p, float (*m)[4], half2 *h, int f(int), ...) { extern __shared__ int4 t[]; this_grid; blockIdx.y }
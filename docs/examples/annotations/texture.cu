// perflab: axis w = 64
// perflab: axis h = 32
// perflab: buffer image: f32[w * h] in
// perflab: buffer out: f32[w * h] out
// perflab: launch blur<<<(w / 16, h / 16), (16, 16)>>>(texture(image[w, h], linear), out)
// perflab: verify out = (image[i] + image[i % w == w - 1 ? i : i + 1]) / 2
__global__ void blur(cudaTextureObject_t image, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	out[y * gridDim.x * blockDim.x + x] = tex2D<float>(image, x + 1.0f, y + 0.5f);
}

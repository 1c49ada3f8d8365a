/* For the decoder: see test_decode_files.c. nvcc -ptx -arch=compute_90 (or 100) -std=c++17. */
__global__ void inline_asm(int *out, const float *in)
{
	int x = threadIdx.x, y;
	unsigned lo, hi;
	unsigned long long w;
	asm volatile("{\n .reg .pred p;\n .reg .u32 t;\n setp.lt.s32 p, %1, 7;\n mov.u32 t, 3;\n "
		     "@p add.u32 t, t, 9;\n selp.s32 %0, t, %1, p;\n}"
		     : "=r"(y)
		     : "r"(x));
	asm("{\n .reg .pred p, q;\n setp.gt.and.s32 p|q, %1, 3, 1;\n @!q mov.u32 %0, 5;\n @p bra "
	    "LAB;\n mov.u32 %0, 6;\nLAB:\n}"
	    : "+r"(y)
	    : "r"(x));
	asm("{\n .reg .pred p, q;\n setp.gt.and.s32 p|q, %1, 3, 1;\n @!q mov.u32 %0, 5;\n @p bra "
	    "LAB;\n mov.u32 %0, 6;\nLAB:\n}"
	    : "+r"(y)
	    : "r"(x + 1));
	asm("add.cc.u32 %0, %2, %3;\n addc.u32 %1, %2, %3;" : "=r"(lo), "=r"(hi) : "r"(x), "r"(y));
	asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.cc.u32 %1, %2, %3, %4; addc.u32 %1, %1, 0;"
	    : "=r"(lo), "=r"(hi)
	    : "r"(x), "r"(y), "r"(lo));
	asm("mov.b64 %0, {%1, %2};" : "=l"(w) : "r"(lo), "r"(hi));
	asm("mov.b64 {%0, %1}, %2;" : "=r"(lo), "=r"(hi) : "l"(w));
	asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(y) : "r"(y), "r"(lo), "r"(hi));
	asm("bfi.b32 %0, %1, %2, 3, 5;" : "=r"(y) : "r"(y), "r"(lo));
	asm("prmt.b32 %0, %1, %2, 0x1234;" : "=r"(y) : "r"(y), "r"(lo));
	asm("activemask.b32 %0;" : "=r"(lo));
	asm volatile("ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];"
		     : "=f"(*(float *)&hi)
		     : "l"(in));
	asm volatile("prefetch.global.L2 [%0];" ::"l"(in));
	asm volatile("discard.global.L2 [%0], 128;" ::"l"(in));
	asm volatile("fence.acq_rel.gpu;");
	asm volatile("membar.sys;");
	asm volatile("nanosleep.u32 100;");
	asm volatile("bar.arrive 1, 64;");
	asm volatile("bar.sync 1, 64;");
	asm volatile("barrier.cta.sync 2;");
	asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %1, 7};" ::"l"(out), "r"(x), "r"(y));
	asm volatile("red.global.add.u32 [%0], %1;" ::"l"(out), "r"(x));
	asm volatile("red.relaxed.gpu.global.max.s32 [%0], %1;" ::"l"(out), "r"(x));
	out[x] = y + lo + hi;
}

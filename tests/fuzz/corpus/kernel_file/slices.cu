// perflab: axis w = 16, 24
// perflab: axis h = 8
// perflab: buffer x: f16[w * h * 16] in
// perflab: buffer y: f32[w * h] inout
// perflab: launch k<<<h, 128>>>(tensormap(x[w, h, 2], box(8, 16, 1), interleave(16), swizzle(64)), tensormap(y[w / 8, h / 2, 2], box(8, 8, 1), swizzle(32), interleave(32)))
// perflab: verify none

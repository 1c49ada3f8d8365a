// perflab: axis w = 128, 136
// perflab: axis h = 64
// perflab: buffer x: f32[w * h] in
// perflab: buffer c: u8[w * h] inout
// perflab: launch k<<<(w / 32, h), 128>>>(tensormap(x[4, w / 4, 8, h / 8], im2col(4, w), lower(-1, -w / 32), upper(1 - 3, -1), steps(1, 2, 2, 1), swizzle(32)), tensormap(c[16, h, w / 16], strides(16, w), box(16, 1, 8), steps(1, 1, 2), promotion(64), interleave(none)))
// perflab: verify none

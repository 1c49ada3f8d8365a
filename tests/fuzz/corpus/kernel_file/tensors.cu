// perflab: axis w = 128, 136
// perflab: axis h = 64
// perflab: buffer x: f32[w * h] in
// perflab: buffer c: u8[w * h] inout
// perflab: launch k<<<(w / 32, h), 128>>>(tensormap(x[w, h], box(32, 16), swizzle(128), type(tf32), fill(nan)), tensormap(c[16, h, w / 16], strides(16, w), box(16, 1, 8), steps(1, 1, 2), promotion(64), interleave(none)))
// perflab: verify none

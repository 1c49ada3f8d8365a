# The results of the variant two-maps of eigenmaps.perflab: orthogonal iteration, written down again.
import array, os, struct

inputs, results = os.environ["PERFLAB_INPUTS"], os.environ["PERFLAB_RESULTS"]
points, coils = int(os.environ["PERFLAB_AXIS_n"]), int(os.environ["PERFLAB_AXIS_coils"])
maps, iterations = 2, 3


def load(name):
    data = open(os.path.join(inputs, name + ".npy"), "rb").read()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("f")
    values.frombytes(data[begin:])
    return values


def save(name, values):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(os.path.join(results, name + ".npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(array.array("f", values).tobytes())


def size(vector):
    return sum(abs(x) ** 2 for x in vector) ** 0.5


lower = load("in")
filled = [0.0] * (2 * coils * coils * points)
out = [0.0] * (2 * maps * coils * points)
vals = [0.0] * (2 * maps * points)
for point in range(points):
    matrix = [[0j] * coils for _ in range(coils)]
    element = 0
    for row in range(coils):
        for column in range(row + 1):
            at = 2 * (point + element * points)
            matrix[row][column] = complex(lower[at], lower[at + 1])
            if column < row:
                matrix[column][row] = matrix[row][column].conjugate()
            element += 1
    for row in range(coils):
        for column in range(coils):
            at = 2 * (point * coils * coils + row * coils + column)
            filled[at], filled[at + 1] = matrix[row][column].real, matrix[row][column].imag

    vectors = [[1.0 + 0j if c == m else 0j for c in range(coils)] for m in range(maps)]
    for _ in range(iterations):
        vectors = [[sum(v[k] * matrix[k][c] for k in range(coils)) for c in range(coils)] for v in vectors]
        sizes = [0.0] * maps
        for m in reversed(range(maps)):
            for other in vectors[m + 1:]:
                share = sum(a * b.conjugate() for a, b in zip(vectors[m], other))
                vectors[m] = [a - share * b for a, b in zip(vectors[m], other)]
            sizes[m] = size(vectors[m])
            vectors[m] = [a / sizes[m] for a in vectors[m]]
    for place, m in enumerate(reversed(range(maps))):
        vals[2 * (point + place * points)] = sizes[m]
        for c in range(coils):
            at = 2 * (point + (place * coils + c) * points)
            out[at], out[at + 1] = vectors[m][c].real, vectors[m][c].imag

save("filled", filled)
save("out", out)
save("vals", vals)

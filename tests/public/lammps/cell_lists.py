# The lists of neighbours for cell_lists.perflab: cell c holds the one atom particle[c]. The atoms of the cells
# around it, row by row, stay if they are within 0.5.
import array, os, struct

def load(name):
    with open(os.environ["PERFLAB_INPUTS"] + "/" + name + ".npy", "rb") as file:
        data = file.read()
    end = 10 + struct.unpack("<H", data[8:10])[0]
    values = array.array("i" if b"<i4" in data[:end] else "f")
    values.frombytes(data[end:])
    return data[:end], values

side, reach, lanes = (int(os.environ["PERFLAB_AXIS_" + name]) for name in ("side", "reach", "lanes"))
header, lists = load("lists")
x, particle = load("x")[1], load("particle")[1]
atoms = side * side * side
inner, around = range(reach, side - reach), range(-reach, reach + 1)
steps = [(z * side + y) * side + u for z in around for y in around for u in around]
for cell in ((z * side + y) * side + u for z in inner for y in inner for u in inner):
    i = particle[cell]
    a, b, c = x[4 * i:4 * i + 3]
    found = 0
    for step in steps:
        j = particle[cell + step]
        if j != i and (a - x[4 * j]) ** 2 + (b - x[4 * j + 1]) ** 2 + (c - x[4 * j + 2]) ** 2 < 0.25:
            lists[2 * atoms + found // lanes * lanes * atoms + i * lanes + found % lanes] = j
            found += 1
    lists[i] = i
    lists[atoms + i] = found
with open(os.environ["PERFLAB_RESULTS"] + "/lists.npy", "wb") as file:
    file.write(header + lists.tobytes())

# The neighbours within the cutoff of each atom, for nbor_forms.perflab and nbor_short.perflab.
# The lists are columns of the matrix "all"; "near" gets those that stay, in groups of as many as lanes.
import array, os, struct

def load(name):
    with open(os.environ["PERFLAB_INPUTS"] + "/" + name + ".npy", "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    kind = data[10:10 + size].decode()
    values = array.array("i" if "<i4" in kind else "f")
    values.frombytes(data[10 + size:])
    return data[:10 + size], values

n, lanes = int(os.environ["PERFLAB_AXIS_n"]), int(os.environ["PERFLAB_AXIS_lanes"])
header, near = load("near")
x, every = load("x")[1], load("all")[1]
if os.environ["PERFLAB_VARIANT"].startswith("kernel_nbor"):
    table, types = load("cut_form")[1], 11
    limit = lambda pair: table[2 * pair] if table[2 * pair + 1] == 1 else -1
else:
    table, types = load("cutoff")[1], 1
    limit = lambda pair: table[pair]
for atom in range(n):
    i, found = every[atom], 0
    for place in range(2, 2 + every[n + atom]):
        j = every[place * n + atom]
        distance = sum((x[4 * i + axis] - x[4 * j + axis]) ** 2 for axis in range(3))
        if distance < limit(types * int(x[4 * i + 3]) + int(x[4 * j + 3])):
            near[2 * n + found // lanes * lanes * n + atom * lanes + found % lanes] = j
            found += 1
    near[n + atom] = found
with open(os.environ["PERFLAB_RESULTS"] + "/near.npy", "wb") as file:
    file.write(header + near.tobytes())

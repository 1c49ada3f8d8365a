"""Writes compiled Triton kernels as files that `perflab sweep` measures.

    from export_triton import Buffer, export

    compiled = add_kernel[grid](x, y, out, n, BLOCK_SIZE=1024, num_warps=4)
    export(compiled, "kernels", name="add", grid="ceil_div(n, BLOCK_SIZE)", axes={"n": n},
           arguments={"x": Buffer(x), "y": Buffer(y), "out": Buffer("n", role="out"), "n": "n"},
           verify="out = x + y")

Each call writes one variant: the PTX or the cubin, and beside it a sidecar with the launch, the
buffers and the check. Afterwards, `perflab sweep kernels/*.ptx` compares the variants. Tried with
Triton 3.6. Needs neither torch nor numpy. docs/your-kernel-reference.md describes the lines of a
sidecar.
"""

import ctypes
import dataclasses
import math
import os
import re

# Types of pointers and of numbers, as Triton and as perflab name them. perflab has no type of 8-bit
# floats and of truth values; their bytes are u8.
TYPES = {
    "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64",
    "i1": "u8", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
    "u1": "u8", "u8": "u8", "u16": "u16", "u32": "u32", "u64": "u64",
    "fp8e4nv": "u8", "fp8e5": "u8", "fp8e4b8": "u8", "fp8e5b16": "u8", "fp8e4b15": "u8",
}
TYPE_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i8": 1, "i16": 2, "i32": 4, "i64": 8,
              "u8": 1, "u16": 2, "u32": 4, "u64": 8}

# The element types of .npy files, by torch's names and by the format characters of Python's buffer
# protocol, which numpy and the module array use. .npy has no bf16; perflab reads its bits from u2.
NPY_OF_TORCH = {"float16": "<f2", "bfloat16": "<u2", "float32": "<f4", "float64": "<f8",
                "int8": "|i1", "uint8": "|u1", "bool": "|u1", "int16": "<i2", "uint16": "<u2",
                "int32": "<i4", "uint32": "<u4", "int64": "<i8", "uint64": "<u8"}
NPY_OF_FORMAT = {"e": "f", "f": "f", "d": "f", "b": "i", "h": "i", "i": "i", "l": "i", "q": "i",
                 "B": "u", "H": "u", "I": "u", "L": "u", "Q": "u", "?": "u"}

POINTER_BYTES = 8
NAME_MAX_BYTES = 63  # of a variant


class ExportError(ValueError):
    """What is wrong with the kernel or the arguments, and what to do."""


@dataclasses.dataclass
class Buffer:
    """What a pointer of the kernel points to.

    content: the number of elements as an expression over the axes ("rows * columns"), or an array
        (torch, numpy, or any other contiguous one), which becomes a .npy file.
    role: "in", "out", "inout" or "scratch".
    fill: random content of another kind, such as "normal(0, 1)"; only without an array.
    expected: the right result as an array. Without it, `verify` says how the result is checked.
    """

    content: object
    role: str = "in"
    fill: str = ""
    expected: object = None


def compile_kernel(kernel, types, constants, capability=None, **options):
    """Compiles a function with @triton.jit without launching it: no GPU and no tensors are needed.

    types: the type of each argument that is not a constant: "*fp32" is a pointer, "i32" a number,
        and "i32:16" a number that is always a multiple of 16. As in a launch by Triton, pointers
        are taken to be multiples of 16; perflab's buffers are.
    constants: the value of each constexpr.
    capability: 90 for compute capability 9.0; None for the GPU of this machine.
    options: num_warps, num_stages and other options of a launch.
    """
    names = list(kernel.arg_names)
    for name in [*types, *constants]:
        if name not in names:
            raise ExportError(f"{kernel.__name__} has no parameter {name!r}; it has "
                              + ", ".join(names))
    for name in names:
        if (name in types) == (name in constants):
            raise ExportError(f"{kernel.__name__}: give {name!r} either a type or a constant")
    import triton  # late, so that the rest of this module works without Triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature, attributes = {}, {}
    for index, name in enumerate(names):
        kind, _, multiple = types.get(name, "constexpr").partition(":")
        if multiple not in ("", "16"):
            raise ExportError(f"{name}: {types[name]!r}: only multiples of 16 make a difference")
        signature[name] = kind
        if multiple or kind.startswith("*"):
            attributes[(index,)] = [["tt.divisibility", 16]]
    source = ASTSource(kernel, signature, constexprs=constants, attrs=attributes)
    target = GPUTarget("cuda", capability, 32) if capability else None
    return triton.compile(source, target=target, options=options)


def export(compiled, folder, *, name, grid, arguments, verify=(), axes=None, work="", tolerance="",
           variant="", lines=(), cubin=False):
    """Writes one variant and returns the path of its PTX or cubin.

    compiled: what `kernel[grid](…)`, `kernel.warmup(…)`, compile_kernel() or triton.compile() gave.
    name: the name of the operation; all its variants need the same.
    grid: the number of programs as an expression over axes and constants, or up to three.
    arguments: for each parameter that is not a constexpr: a Buffer, a number, an expression, or
        None for a null pointer.
    axes: the names in expressions and their values: a number or a text such as "2^20, 2^24".
        Expressions may use the integer constants of the kernel, too.
    verify: checks, such as "out = x + y"; see "verify" in docs/annotations-checks.md.
    work, tolerance: the lines of these names, such as "read = 8 * n, write = 4 * n".
    variant: its name; by default, made of the constants, num_warps and num_stages.
    lines: further lines for the sidecar.
    cubin: writes the machine code that Triton's own ptxas made; it runs on that architecture only.
    """
    ptx = _assembly(compiled, "ptx")
    entry, parameters, threads = _read_ptx(ptx)
    shared, warps = _metadata(compiled, "shared"), _metadata(compiled, "num_warps")
    if threads and threads != 32 * warps:
        raise ExportError(f"{entry}: the PTX wants {threads} threads, but num_warps is {warps}")
    if _metadata(compiled, "num_ctas", 1) > 1:
        raise ExportError(f"{entry} uses clusters (num_ctas > 1), which are not exported")
    sidecar = _Sidecar(compiled, name, arguments)
    constants = {**sidecar.constants, "num_warps": warps}
    if _metadata(compiled, "num_stages", None) is not None:
        constants["num_stages"] = _metadata(compiled, "num_stages")
    variant = _name("variant", variant or _variant_name(constants))
    if not isinstance(grid, (tuple, list)):
        grid = (grid,)
    passed = [*sidecar.passed, *sidecar.hidden_arguments(compiled, entry, parameters, grid)]
    _compare_parameters(entry, parameters, passed)
    if isinstance(verify, str):
        verify = [verify]
    checks = [*(f"verify {check}" for check in verify), *sidecar.checks]
    if not checks:
        raise ExportError(f"{name}: say how results are verified: verify=\"out = x + y\", or an "
                          "expected array; verify=\"none\" if you know that you do not need it")

    text = [f"# {entry}, compiled by Triton {_metadata(compiled, 'triton_version', '')}".rstrip(),
            f"operation {_name('operation', name)}", f"variant {variant}"]
    text += [f"axis {axis} = {_values(axis, values)}" for axis, values in (axes or {}).items()]
    shape = ", ".join(str(size) for size in grid)
    shape = f"({shape})" if len(grid) > 1 else shape
    cooperative = " cooperative" * bool(_metadata(compiled, "launch_cooperative_grid", False))
    described = [
        *sidecar.lines,
        f"launch {entry}<<<{shape}, {32 * warps}, {shared}>>>"
        f"({', '.join(value for value, _ in passed)}){cooperative}",
        *checks,
        *[f"work {work}"] * bool(work),
        *[f"tolerance {tolerance}"] * bool(tolerance),
        *lines,
    ]
    text += [line if line.startswith("verify by ") else _with_constants(line, constants)
             for line in described]

    path = os.path.join(folder, f"{name}.{variant}.{'cubin' if cubin else 'ptx'}")
    os.makedirs(folder, exist_ok=True)
    _write(path, _assembly(compiled, "cubin") if cubin else ptx.encode())
    for file, array in sidecar.arrays.items():
        write_npy(os.path.join(folder, file), array)
    _write(path + ".perflab", ("\n".join(text) + "\n").encode())
    return path


def as_reference(path, folder="."):
    """The check `verify` that compares other variants with the exported variant at `path`, for a
    sidecar in `folder` or a command line there."""
    with open(path + ".perflab", encoding="utf-8") as stream:
        lines = stream.read().splitlines()
    launches = [line.removeprefix("launch ") for line in lines if line.startswith("launch ")]
    if len(launches) != 1:
        raise ExportError(f"{path}.perflab has {len(launches)} launches; a reference has one")
    return f"{launches[0]} from \"{os.path.relpath(path, folder)}\""


def write_npy(path, array):
    """Writes a contiguous array as a .npy file of one dimension. Does not need numpy."""
    kind, _, data = _elements(array)
    count = len(data) // int(kind[2:])
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({count},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    _write(path, b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


class _Sidecar:
    """The lines for the arguments of one kernel."""

    def __init__(self, compiled, operation, arguments):
        source = compiled.src
        self.kernel = source.fn.__name__
        self.operation = operation
        self.lines = []  # buffers and conditions
        self.checks = []
        self.arrays = {}  # files and their contents
        self.passed = []  # the text and the bytes of each argument
        names = list(source.fn.arg_names)
        fixed = _constants(source, names)
        signature = {name: _type(kind) for name, kind in source.signature.items()}
        self._compare_names(signature, fixed, arguments)
        self.constants = {name: value for name, value in fixed.items() if name not in arguments}
        for name, kind in signature.items():
            if kind != "constexpr":
                self._add(name, kind, arguments[name], _multiple(source, names.index(name)))
            elif name in arguments and (arguments[name], fixed[name]) != (None, None):
                # Triton makes constants of arguments that are 1 or None.
                self._require(name, arguments[name], f"== {fixed[name]}", f"{name} = {fixed[name]}")

    def _compare_names(self, signature, fixed, arguments):
        for name in arguments:
            if name not in signature:
                raise ExportError(f"{self.kernel} has no parameter {name!r}; it has "
                                  + ", ".join(signature))
            if signature[name] == "constexpr" and name not in fixed:
                raise ExportError(f"{self.kernel}: the value of the constant {name!r} is not "
                                  "recorded")
        for name, kind in signature.items():
            if kind != "constexpr" and name not in arguments:
                raise ExportError(f"{self.kernel}: arguments lacks {name!r} ({kind})")

    def _add(self, name, kind, value, multiple):
        if isinstance(value, Buffer):
            if not kind.startswith("*"):
                raise ExportError(f"{name} is a number ({kind}), but the argument is a Buffer")
            self._add_buffer(name, TYPES[kind.lstrip("*")], value)
        elif value is None:
            self.passed.append(("nullptr", POINTER_BYTES))
        elif kind.startswith("*"):
            raise ExportError(f"{name} is a pointer ({kind}); pass a Buffer or None, not {value!r}")
        else:
            number = TYPES[kind]
            if isinstance(value, float) and not math.isfinite(value):
                raise ExportError(f"{name}: {value} cannot be written as a number")
            self.passed.append((f"{number}({_number(value)})", TYPE_BYTES[number]))
            if multiple:
                self._require(name, value, "% 16 == 0", f"{name} divisible by 16")

    def _require(self, name, value, condition, meaning):
        """The compiler relied on a property of an argument. Cases without it are skipped."""
        if isinstance(value, (Buffer, float)) or value is None:
            raise ExportError(f"{name}: the kernel was compiled for {meaning}; pass an integer")
        self.lines.append(f"skip \"compiled for {meaning}\" unless ({_number(value)}) {condition}")

    def _add_buffer(self, name, kind, buffer):
        length, fill = buffer.content, buffer.fill
        if not isinstance(length, (str, int)):
            if fill:
                raise ExportError(f"{name}: give an array or a fill, not both")
            if buffer.role in ("out", "scratch"):
                raise ExportError(f"{name}: the content of {buffer.role!r} is not read; give its "
                                  "length")
            file = f"{self.operation}.{name}.npy"
            length, fill = self._add_array(name, kind, file, buffer.content)
        self.lines.append(f"buffer {name}: {kind}[{length}] {buffer.role} {fill}".rstrip())
        self.passed.append((name, POINTER_BYTES))
        if buffer.expected is not None:
            file = f"{self.operation}.{name}.expected.npy"
            self._add_array(name, kind, file, buffer.expected)
            self.checks.append(f"verify {name} from \"{file}\"")

    def _add_array(self, name, kind, file, array):
        element, length, _ = _elements(array, copy=False)
        wanted = "u2" if kind == "bf16" else f"{kind[0]}{TYPE_BYTES[kind]}"
        if element[1:] != wanted:
            raise ExportError(f"{name}: the kernel has {kind}, but the array has {element} of .npy")
        self.arrays[file] = array
        return length, f"file \"{file}\""

    def hidden_arguments(self, compiled, entry, parameters, grid):
        """Triton appends pointers to scratch memory, which are null if the kernel needs none."""
        hidden = len(parameters) - len(self.passed)
        if hidden not in (0, 1, 2):
            raise ExportError(f"{entry} has {len(parameters)} parameters in its PTX; known are "
                              f"{len(self.passed)} arguments and at most 2 of Triton's own")
        if _metadata(compiled, "profile_scratch_size", 0):
            raise ExportError(f"{entry} was compiled with instrumentation; compile it without")
        size = _metadata(compiled, "global_scratch_size", 0)
        if size and not hidden:
            raise ExportError(f"{entry} needs global scratch memory, but has no parameter for it")
        if not size:
            return [("nullptr", POINTER_BYTES)] * hidden
        programs = " * ".join(f"({size})" for size in grid)
        self.lines.append(f"buffer global_scratch: bytes[{programs} * {size}] scratch")
        return [("global_scratch", POINTER_BYTES)] + [("nullptr", POINTER_BYTES)] * (hidden - 1)


def _metadata(compiled, name, *default):
    if not hasattr(compiled.metadata, name):
        if default:
            return default[0]
        raise ExportError(f"the metadata of the compiled kernel lacks {name!r}: this script does "
                          "not know this version of Triton")
    value = getattr(compiled.metadata, name)
    return default[0] if value is None and default else value


def _assembly(compiled, kind):
    if not hasattr(compiled, "asm") or not compiled.asm.get(kind):
        raise ExportError(f"there is no {kind}: this is no kernel that Triton compiled for NVIDIA")
    return compiled.asm[kind]


def _read_ptx(ptx):
    """The name of the only kernel, the bytes of its parameters, and the threads that it wants."""
    ptx = re.sub(r"//[^\n]*", "", ptx)
    entries = re.findall(r"\.entry\s+([\w$]+)\s*\(([^)]*)\)([^{]*)\{", ptx)
    if len(entries) != 1:
        raise ExportError(f"the PTX has {len(entries)} kernels, but should have one")
    entry, declared, directives = entries[0]
    sizes = []
    for declaration in filter(str.strip, declared.split(",")):
        scalar = re.match(r"\s*\.param\s+\.[a-z]+(\d+)\s+(?:\.ptr\s.*\s)?[\w$]+\s*$", declaration,
                          re.S)
        if not scalar:
            raise ExportError(f"{entry}: the parameter {declaration.strip()!r} is neither a number "
                              "nor a pointer; descriptors of tensors are not exported")
        sizes.append(int(scalar[1]) // 8)
    wanted = re.search(r"\.reqntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", directives)
    return entry, sizes, math.prod(int(n) for n in wanted.groups() if n) if wanted else 0


def _compare_parameters(entry, parameters, passed):
    for index, (size, (value, given)) in enumerate(zip(parameters, passed)):
        if size != given:
            raise ExportError(f"parameter {index} of {entry} has {size} bytes, but {value} has "
                              f"{given}")


def _constants(source, names):
    """Triton keys constants by paths: (3,) is the parameter with index 3."""
    constants = {}
    for key, value in source.constants.items():
        if isinstance(key, tuple):
            if len(key) != 1:
                raise ExportError(f"{names[key[0]]}: tuples are not exported")
            key = key[0]
        constants[names[key] if isinstance(key, int) else key] = value
    return constants


def _type(kind):
    if not isinstance(kind, str) or (kind != "constexpr" and kind.lstrip("*") not in TYPES):
        raise ExportError(f"arguments of the type {kind!r} are not exported")
    return kind


def _multiple(source, index):
    """Whether the compiler assumed a multiple of 16."""
    return any(list(attribute) == ["tt.divisibility", 16]
               for attribute in (source.attrs or {}).get((index,), []))


def _number(value):
    if isinstance(value, bool):
        value = int(value)
    return repr(value) if isinstance(value, float) else str(value)


def _values(axis, values):
    if isinstance(values, (tuple, list)):
        values = ", ".join(str(value) for value in values)
    if not str(values).strip():
        raise ExportError(f"the axis {axis} has no value")
    return values


def _with_constants(line, constants):
    """Puts the integer constants into the expressions of a line, but not into quoted texts."""
    return re.sub(r'"[^"]*"|\b[A-Za-z_]\w*', lambda word: str(int(constants[word[0]]))
                  if isinstance(constants.get(word[0]), int) else word[0], line)


def _variant_name(constants):
    parts = [f"{name.removeprefix('num_')}{value}" for name, value in constants.items()]
    return re.sub(r"[^\w.-]", "_", "-".join(parts))


def _name(what, name):
    if not re.fullmatch(r"[\w.-]+", name, re.A) or len(name) > NAME_MAX_BYTES:
        raise ExportError(f"the {what} name {name!r}: use letters, digits, _ . and -, at most "
                          f"{NAME_MAX_BYTES}")
    return name


def _elements(array, copy=True):
    """The element type of .npy, the number of elements, and the bytes in the order of memory."""
    if hasattr(array, "data_ptr"):  # a torch tensor
        kind = NPY_OF_TORCH.get(str(array.dtype).removeprefix("torch."))
        if not kind:
            raise ExportError(f"{array.dtype} has no type in .npy; use tensor.view(torch.uint8)")
        if not array.is_contiguous():
            raise ExportError("the tensor is not contiguous: a file would have another layout")
        if not copy:
            return kind, array.numel(), b""
        host = array.detach().cpu()
        size = host.numel() * host.element_size()
        return kind, array.numel(), ctypes.string_at(host.data_ptr(), size)
    try:
        view = memoryview(array)
    except TypeError:
        raise ExportError(f"{type(array).__name__} is no array: use torch, numpy or the module "
                          "array") from None
    kind = NPY_OF_FORMAT.get(view.format.lstrip("<=@"))
    if not kind:
        raise ExportError(f"elements of the format {view.format!r} have no type in .npy")
    if not view.c_contiguous:
        raise ExportError("the array is not contiguous: a file would have another layout")
    kind = f"{'|' if view.itemsize == 1 else '<'}{kind}{view.itemsize}"
    return kind, view.nbytes // view.itemsize, view.tobytes() if copy else b""


def _write(path, data):
    """A sweep that starts meanwhile sees the old file or the new one, never a half."""
    with open(path + ".new", "wb") as stream:
        stream.write(data)
    os.replace(path + ".new", path)

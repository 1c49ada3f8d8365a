"""Runs the notebooks of docs/examples and compares their outputs with those that are committed.

usage: run_notebooks.py SOURCE-FOLDER FOLDER-OF-PERFLAB

PERFLAB_NOTEBOOK_UPDATE=1 writes the outputs instead. Exits with 77 if nbclient, a kernel of Jupyter
or pandas is not installed.
"""
import copy
import glob
import importlib.util
import os
import sys
import tempfile


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


for name in ("nbclient", "nbformat", "ipykernel", "pandas"):
    if importlib.util.find_spec(name) is None:
        skip("%s is not installed" % name)

import nbclient  # noqa: E402
import nbformat  # noqa: E402


def environment(source, programs):
    """What the kernel inherits. An old database or another worker must not change the outputs."""
    for name in ("PERFLAB_DB", "PERFLAB_WORKER_CUDA", "PERFLAB_WORKER_PTX"):
        os.environ.pop(name, None)
    os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]
    os.environ["PYTHONPATH"] = os.path.join(source, "python")
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    # Jupyter writes its state there.
    for name in ("HOME", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
        os.environ[name] = tempfile.mkdtemp(dir=scratch)


def shown(cell):
    """What a reader sees below a cell, without its layout."""
    texts = []
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            texts.append("error: " + output.evalue)
        elif output.output_type == "stream":
            texts.append(output.text)
        else:
            texts.append(output.data.get("text/plain", ""))
    return " ".join(" ".join(texts).split())


def check(path):
    committed = nbformat.read(path, as_version=4)
    notebook = copy.deepcopy(committed)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        nbclient.NotebookClient(notebook, timeout=120, record_timing=False, allow_errors=True,
                                resources={"metadata": {"path": folder}}).execute()
    failures = 0
    for cell, old in zip(notebook.cells, committed.cells):
        if cell.cell_type != "code":
            continue
        now, before = shown(cell), shown(old)
        if any(output.output_type == "error" for output in cell.outputs) or (
                now != before and not os.environ.get("PERFLAB_NOTEBOOK_UPDATE")):
            failures += 1
            print("%s: after\n%s\n--- the output is\n%s\n--- committed is\n%s"
                  % (path, cell.source, now, before))
        if cell.cell_type == "code" and cell.execution_count is None:
            failures += 1
    if os.environ.get("PERFLAB_NOTEBOOK_UPDATE") and not failures:
        notebook.metadata = committed.metadata
        nbformat.write(notebook, path)
    return failures


with tempfile.TemporaryDirectory() as scratch:
    source, programs = (os.path.abspath(word) for word in sys.argv[1:])
    environment(source, programs)
    paths = sorted(glob.glob(os.path.join(source, "docs/examples/**/*.ipynb"), recursive=True))
    if not paths:
        sys.exit("there is no notebook")
    failed = sum([check(path) for path in paths])
    print("%d notebooks, %d failures" % (len(paths), failed))
    sys.exit(1 if failed else 0)

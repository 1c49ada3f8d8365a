"""Makes the package of perflab.py for pip (PEP 517), with nothing but Python.

A build backend from the network would be larger than the module. pip runs this file in the folder
of pyproject.toml, so `pip install ./python` works without a network, setuptools or wheel.
"""
import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

FILES = ("perflab.py", "perflab_build.py", "pyproject.toml")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes from the same files


def _read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def _version():
    return re.search(r'^__version__ = "([^"]+)"', _read("perflab.py"), re.MULTILINE).group(1)


def _metadata():
    project = _read("pyproject.toml")
    wanted = {key: re.search('^%s = "([^"]*)"' % key, project, re.MULTILINE).group(1)
              for key in ("name", "description", "requires-python")}
    return ("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nRequires-Python: %s\n"
            % (wanted["name"], _version(), wanted["description"], wanted["requires-python"]))


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (name, digest, len(data))


def _wheel(folder, modules):
    """Writes a wheel with these files, given as names and texts."""
    info = "perflab-%s.dist-info/" % _version()
    files = dict(modules)
    files[info + "METADATA"] = _metadata()
    files[info + "WHEEL"] = ("Wheel-Version: 1.0\nGenerator: perflab\nRoot-Is-Purelib: true\n"
                             "Tag: py3-none-any\n")
    record = "".join(_record_line(name, text.encode()) for name, text in files.items())
    files[info + "RECORD"] = record + info + "RECORD,,\n"
    wheel = "perflab-%s-py3-none-any.whl" % _version()
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, text)
    return wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, {"perflab.py": _read("perflab.py")})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """`pip install --editable`: Python then imports the module from this folder."""
    return _wheel(wheel_directory, {"perflab.pth": os.getcwd() + "\n"})


def build_sdist(sdist_directory, config_settings=None):
    base = "perflab-" + _version()
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz",
                      format=tarfile.PAX_FORMAT) as archive:
        texts = [(name, _read(name)) for name in FILES] + [("PKG-INFO", _metadata())]
        for name, text in texts:
            entry = tarfile.TarInfo(base + "/" + name)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return base + ".tar.gz"

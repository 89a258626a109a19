"""No ELF file of the build or of an installed tree has a search path with an empty or relative element, which the loader takes
for the current folder; a library that lies there is not loaded."""
import os
import re
import shutil
import subprocess
import sys

import run
from gate import Gate

BUILD = os.environ["RHEOPLEX_BUILD_DIR"]
TRAP = """#include <stdio.h>
__attribute__((constructor)) static void spring(void) { FILE *f = fopen("sprung", "w"); if (f) fclose(f); }
"""


def elf_files(folder):
    for place, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f not in ("work", "venv", "CMakeFiles")]
        for path in (f"{place}/{name}" for name in files):
            if os.path.islink(path) or not (os.access(path, os.X_OK) or ".so" in path):
                continue
            with open(path, "rb") as f:
                if f.read(4) == b"\x7fELF":
                    yield path


def elements(path):
    """Of RUNPATH and RPATH."""
    text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    return [e for paths in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", text) for e in paths.split(":")]


def check_tree(gate, name, folder, least):
    files = list(elf_files(folder))
    bad = [(f, e) for f in files for e in elements(f) if not e.startswith(("/", "$ORIGIN"))]
    print(*bad, sep="\n")
    gate.at_least(f"{name}: ELF files", len(files), least)
    gate.at_least(f"{name}: elements of their search paths", sum(len(elements(f)) for f in files), 4)
    gate.at_most(f"{name}: elements that are empty or relative", len(bad), 0)


def check_trap(gate, work, program, where):
    """Every library that the program needs and the loader finds in a folder of the system lies in the current folder too."""
    place = f"{work}/{where}"
    os.makedirs(place)
    libraries = re.findall(r"^\s*(\S+) => /", subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout, re.M)
    for name in libraries:
        if not name.startswith(("libc.", "ld-", "librheoplex")):
            shutil.copy(f"{work}/trap.so", f"{place}/{name}")
    gate.true(f"{where}: libmuparser is among the traps", any("muparser" in name for name in os.listdir(place)))
    done = subprocess.run([program, "--version"], cwd=place, capture_output=True, text=True)
    gate.near(f"{where}: exit code beside the traps", done.returncode, 0, 0)
    gate.true(f"{where}: no trap is sprung", not os.path.exists(f"{place}/sprung"))


def main():
    gate = Gate("trust_loader")
    work = run.folder("trust_loader")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", f"{work}/prefix"], check=True, stdout=subprocess.DEVNULL)
    check_tree(gate, "build", BUILD, 40)
    check_tree(gate, "installed", f"{work}/prefix", 15)
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", f"{work}/trap.so"], input=TRAP, text=True, check=True)
    check_trap(gate, work, run.RHEOPLEX, "build")
    check_trap(gate, work, f"{work}/prefix/bin/rheoplex", "installed")
    shutil.rmtree(work)
    return gate.finish()


sys.exit(main())

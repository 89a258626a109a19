"""The project of conditions, diagnostics and outputs, built out of the tree against an installed Rheoplex."""
import os
import shutil
import subprocess

import run

BUILD = os.environ["RHEOPLEX_BUILD_DIR"]
WORK = f"{BUILD}/work/extensions"
PREFIX = f"{WORK}/prefix"


def build():
    shutil.rmtree(WORK, ignore_errors=True)
    flags = ["-DCMAKE_C_FLAGS=-fsanitize=address,undefined"] if os.environ.get("RHEOPLEX_SANITIZE") else []
    shutil.copytree(os.path.dirname(os.path.abspath(__file__)) + "/project", f"{WORK}/source")
    for command in (["cmake", "--install", BUILD, "--prefix", PREFIX],
                    ["cmake", "-G", "Ninja", "-S", f"{WORK}/source", "-B", f"{WORK}/build", f"-DCMAKE_PREFIX_PATH={PREFIX}",
                     "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", *flags],
                    ["cmake", "--build", f"{WORK}/build"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def plugin(name):
    return ["-plugin", f"{WORK}/build/{name}.so"]


def rheoplex(*words, **keywords):
    run.RHEOPLEX = f"{PREFIX}/bin/rheoplex"
    return run.rheoplex(*words, **keywords)


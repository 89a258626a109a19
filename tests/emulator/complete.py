"""Without Boost.Context the configuration warns that tests are left out; with RHX_TESTS_COMPLETE, as share/check sets it, it stops."""
import os
import subprocess
import sys

import run

COMMAND = ["cmake", "-S", run.SOURCE, "-G", "Ninja", f"-DRHX_PYTHON={os.environ['RHEOPLEX_PYTHON']}", "-DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON"]


def configure(folder, *words):
    done = subprocess.run([*COMMAND, "-B", folder, *words], capture_output=True, text=True, timeout=300)
    return done.returncode, " ".join(done.stderr.split())


def main():
    folder = run.folder("complete")
    rc, said = configure(folder, "-DRHX_TESTS_COMPLETE=ON")
    assert rc and "Boost.Context was not found" in said and "RHX_TESTS_COMPLETE expects all tests" in said, (rc, said)
    rc, said = configure(folder, "-DRHX_TESTS_COMPLETE=OFF")
    assert not rc and "CMake Warning" in said and "Boost.Context was not found" in said, (rc, said)
    assert "-DRHX_TESTS_COMPLETE=ON" in open(f"{run.SOURCE}/share/check").read()
    return 0


sys.exit(main())

"""share/bundle: the folder, moved to a path with a space, runs in an empty environment with its own libraries and plugins."""
import os
import re
import shutil
import subprocess
import sys

import run
from gate import Gate

BUILD = os.environ["RHEOPLEX_BUILD_DIR"]
ROOT = os.environ["RHEOPLEX_SOURCE"]
CASE = ["-mesh_box_faces", "4,4", "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.1", "-physics_oldroydb_viscosity", "0.1",
        "-physics_oldroydb_lambda", "0.1", "-stabiliser", "devss,split_oss", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall",
        "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-scheme_lumped_dt", "0.01", "-stop_steps", "2", "-case_name", "moved"]


def call(*command, env=None, cwd=None):
    process = subprocess.run(command, env=env, cwd=cwd, capture_output=True, text=True, timeout=50)
    print("$", *command, "\n", process.stdout, process.stderr, flush=True)
    return process


def main():
    gate = Gate("bundle")
    work = run.folder("bundle")
    made, moved = f"{work}/made", f"{work}/moved to here"
    gate.near("exit code of share/bundle", call(f"{ROOT}/share/bundle", "--build", BUILD, "made", cwd=work).returncode, 0, 0)
    os.rename(made, moved)
    clean = {"PATH": "/usr/bin:/bin", "HOME": work, **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "OMPI_"))}}
    program = f"{moved}/rheoplex"
    version = call(program, "--version", env=clean)
    plugins = re.findall(r"interface .*, (/.*\.so)$", version.stdout, re.M)
    gate.at_least("plugins", len(plugins), 10)
    gate.true("every plugin comes from the folder, with its source", all(p.startswith(moved) and os.path.exists(p[:-3] + ".c") for p in plugins))
    loaded = re.findall(r"=> (/.*) \(0x", call("ldd", f"{moved}/bin/rheoplex", env={**clean, "LD_LIBRARY_PATH": f"{moved}/lib"}).stdout)
    ours = [path for path in loaded if re.search(r"lib(rheoplex|petsc|hdf5|muparser)", path)]
    gate.at_least("libraries of the program", len(ours), 4)
    gate.true("they come from the folder", all(path.startswith(moved) for path in ours))
    paths = [re.findall(r"(?:RUNPATH|RPATH)\).*\[(.*)\]", call("readelf", "-d", f).stdout) for f in (f"{moved}/bin/rheoplex", *(f"{moved}/lib/{n}" for n in os.listdir(f"{moved}/lib") if ".so" in n))]
    gate.true("no file looks for libraries outside of the folder", all(p in ([], ["$ORIGIN/../lib"]) for p in paths) and ["$ORIGIN/../lib"] in paths)
    gate.true("list names laws", "oldroydb" in call(program, "list", "physics", env=clean).stdout)
    gate.near("exit code of two steps", call(program, "run", *CASE, "-output_folder", f"{work}/out", env=clean).returncode, 0, 0)
    gate.true("the run left its files", os.path.exists(f"{work}/out/moved_checkpoint.h5"))
    gate.true("cases and documents come with it", f"Cases in {moved}/share/rheoplex/options" in call(program, "list", "cases", env=clean).stdout and os.path.exists(f"{moved}/share/rheoplex/doc/tutorial.md"))
    occupied = call(f"{ROOT}/share/bundle", "--build", BUILD, f"{work}/out")
    gate.true("a folder that holds something else is left alone", occupied.returncode == 1 and "holds something else" in occupied.stderr)
    shutil.rmtree(work)
    return gate.finish()


sys.exit(main())

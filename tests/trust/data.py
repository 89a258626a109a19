"""A case is data: it loads no code and writes below its output folder alone, unless the user allows more."""
import os
import subprocess
import sys

import run
from gate import Gate
from refused import SOUND, accepted, call, refused, write

TRAP = """#include <stdio.h>
__attribute__((constructor)) static void spring(void) { FILE *f = fopen("sprung", "w"); if (f) fclose(f); }
"""
# option: what a case may not set
NAMES = {
    "dll_append": "x.so", "on_error_attach_debugger": "gdb", "start_in_debugger": "", "info": "file",
    "history": "file", "malloc_dump": "", "malloc_view": "file", "saws_port": "8080", "display": "host:0",
    "pressure_pc_python_type": "module.class", "pressure_ksp_python_type": "module.class", "ts_python_type": "module.class",
    "pressure_mat_mumps_ooc_tmpdir": "/tmp", "ts_save_trajectory": "", "ts_trajectory_dirname": "/tmp", "ts_monitor_draw_solution": "",
    "ts_monitor_solution_vtk": "a%d.vts", "rheometer_ts_save_trajectory": "", "device_nvrtc": "x.so", "device_cudss": "x.so", "device_cache": "here", "Device_NVRTC": "x.so", "exchange_nccl": "x.so",
    "insitu_script": "a.py", "insitu_adaptor": "a.so",
}
# option: value that a case may not give it
VALUES = {
    "dm_view": ("ascii:/tmp/a", "ascii:../a", "ascii:b/../../a", "ascii:.bashrc", "ascii:$HOME/a", "ascii:~/a", "ascii:a.gz", "ascii:a,:b", ":/tmp/a", "draw", "socket:1",
                "binary", "vtk:a.vtu", "python", "ascii:a;b"),
    "log_view": (":/tmp/a", "ascii:../a"), "options_view": ("ascii:/tmp/a",), "pressure_ksp_view": ("ascii:/tmp/a",), "pressure_ksp_monitor": ("ascii:/tmp/a",),
    "ts_monitor": ("ascii:/tmp/a",), "rheometer_ts_monitor": ("ascii:/tmp/a",), "pressure_pc_type": ("python", "shell"), "rheometer_output": ("/tmp/a.csv", "../a.csv", ".a"),
}


def files(folder):
    return sorted(os.path.relpath(f"{place}/{name}", folder) for place, _, names in os.walk(folder) for name in names)


def check_options(gate, work):
    here = f"{work}/options"
    for name, value in NAMES.items():
        refused(gate, name, (f"-{name}", "a case may not", "command line"), "run", write(f"{here}/a.yaml", f"{SOUND}{name}: '{value}'\n"), cwd=here)
    for name, values in VALUES.items():
        for value in values:
            refused(gate, f"{name}: {value}", (f"-{name}", f"got '{value}'", "expected of a case"), "run", write(f"{here}/a.yaml", f"{SOUND}{name}: '{value}'\n"), cwd=here)
    gate.true("nothing was written", files(here) == ["a.yaml"])


VIEWS = "dm_view: 'ascii:views/mesh.txt'\npressure_ksp_view: ':solver.txt'\nlog_view: ':log.txt'\noptions_left: no\n"


def check_viewers(gate, work):
    here = f"{work}/viewers"
    case = write(f"{here}/a.yaml", SOUND + VIEWS)
    accepted(gate, "check of a case with viewers", "check", case, cwd=here)
    gate.true("check writes nothing", files(here) == ["a.yaml"])
    for np, folder in ((1, "out/a"), (2, "out/a"), (1, "elsewhere")):
        more = ("-output_folder", folder) if folder == "elsewhere" else ()
        accepted(gate, f"the case with viewers in {folder}", "run", case, *more, cwd=here, np=np)
        gate.true(f"{folder}: its files lie below the output folder", {f"{folder}/{f}" for f in ("views/mesh.txt", "solver.txt", "log.txt")} <= set(files(here)))
        gate.true(f"{folder}: and nowhere else", all(f == "a.yaml" or f.split("/")[0] in ("out", folder) for f in files(here)))
    for name in ("a_history.csv", "./a.pvd", "control"):
        refused(gate, f"a viewer that writes {name}", ("-dm_view", name, "none of the run's own files"), "run", write(f"{here}/b.yaml", SOUND + f"case_name: a\ndm_view: 'ascii:{name}'\n"), cwd=here)
    accepted(gate, "the options of that run", "run", f"{here}/out/a/a_effective.yaml", "-output_folder", f"{here}/again", cwd=here)
    accepted(gate, "a viewer of the user's", "run", case, "-dm_view", "ascii:mine.txt", cwd=here)
    gate.true("the user's goes where it says", os.path.exists(f"{here}/mine.txt"))
    text = open(f"{here}/out/a/a_effective.yaml").read()
    gate.true("what the command line alone may set is a remark of the options of the run", "log_view: ':out/a/log.txt'\n" in text)
    accepted(gate, "an absolute one of the user's", "run", case, "-dm_view", f"ascii:{here}/mine.txt", cwd=here)
    gate.true("it is a remark there", f"\n# on the command line alone: dm_view: 'ascii:{here}/mine.txt'\n" in open(f"{here}/out/a/a_effective.yaml").read())
    for link, target in (("views", "/tmp"), ("solver.txt", f"{here}/precious")):
        linked = f"{here}/linked_{link}"
        os.makedirs(linked)
        os.symlink(target, f"{linked}/{link}")
        refused(gate, f"a link {link} in the output folder", ("got a link", link), "run", case, "-output_folder", linked, cwd=here)
    gate.true("nothing is written through the link", not os.path.exists(f"{here}/precious"))


def check_plugins(gate, work):
    here, config = f"{work}/plugins", f"{work}/config"
    case = write(f"{here}/case/a.yaml", SOUND + "plugin: laws/trap.so\n")
    os.makedirs(f"{here}/case/laws")
    laws = os.path.realpath(f"{here}/case/laws")
    subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", f"{laws}/trap.so"], input=TRAP, text=True, check=True)
    listing = f"{config}/rheoplex/plugins"

    def sprung():
        there = os.path.exists(f"{here}/sprung")
        if there:
            os.remove(f"{here}/sprung")
        return there

    def kept_out(what, *expected, verb="run", np=1, **environment):
        refused(gate, what, ("trap.so", "not allowed", "-plugin", f"add the line {laws} to {listing}", *expected), verb, case, cwd=here, np=np, XDG_CONFIG_HOME=config,
                **environment)
        gate.true(f"{what}: nothing is loaded", not sprung())

    def let_in(what, *more, **environment):
        done = call("check", case, *more, cwd=here, **{"XDG_CONFIG_HOME": config, **environment})
        gate.true(f"{what}: the plugin is loaded", sprung() and "not allowed" not in done.stderr)

    kept_out("run of a case with a plugin")
    kept_out("run of a case with a plugin", np=2)
    kept_out("check of a case with a plugin", verb="check")
    write(listing, f"# {laws}\n{os.path.dirname(laws)}\n")
    kept_out("a list with a comment and the folder above")
    write(listing, f"# mine\n  {laws}/  # these\n")
    let_in("a list with the folder")
    let_in("a list in ~/.config", XDG_CONFIG_HOME="", HOME=os.path.dirname(write(f"{work}/home/.config/rheoplex/plugins", laws)).removesuffix("/.config/rheoplex"))
    os.chmod(listing, 0o666)
    kept_out("a list that others may write", "may be written by others")
    os.remove(listing)
    os.symlink(laws, f"{here}/innocent")
    os.makedirs(f"{here}/allowed")
    os.symlink(f"{laws}/trap.so", f"{here}/allowed/trap.so")
    write(listing, f"{here}/allowed\n")
    write(case, SOUND + f"plugin: {here}/allowed/trap.so\n")
    kept_out("a link in an allowed folder")
    write(case, SOUND + "plugin: laws/trap.so\n")
    let_in("-plugin on the command line", "-plugin", f"{laws}/trap.so")
    let_in("-plugin with a folder", "-plugin", laws)
    let_in("PETSC_OPTIONS", PETSC_OPTIONS=f"-plugin {laws}/trap.so")
    let_in("RHEOPLEX_PLUGIN_PATH", RHEOPLEX_PLUGIN_PATH=laws)


def main():
    gate = Gate(f"trust_{sys.argv[1]}")
    globals()[f"check_{sys.argv[1]}"](gate, run.folder(f"trust_{sys.argv[1]}"))
    return gate.finish()


sys.exit(main())

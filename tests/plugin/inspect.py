"""Plugins that are cut short, crash, exit when they are loaded, or whose parameters clash with core's: one sentence, exit code 1, no
signal, on one rank and on two; a sound one from outside is loaded. What says that it is taken unless told: from outside refused, a rival too."""
import os
import shutil
import subprocess
import sys
import tempfile

PLUGINS, CRASHING = sys.argv[1:3]
failed = 0


def check(what, good, text=""):
    global failed
    failed += not good
    print(f"{'ok    ' if good else 'FAILED'} {what}" + ("" if good else f"\n{text}"))


def rheoplex(plugin, np=1):
    start = [os.environ["RHEOPLEX_MPIEXEC"], "-n", str(np)] if np > 1 else []
    return subprocess.run([*start, os.environ["RHEOPLEX"], "list", "physics", "-plugin", plugin], capture_output=True, text=True, timeout=50)


def refused(what, plugin, expected, np=1):
    done = rheoplex(plugin, np)
    lines = [line for line in done.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    good = done.returncode == 1 and len(lines) == 1 and (np > 1 or len(done.stderr.splitlines()) == 1) and all(e in lines[0] for e in expected)
    check(f"{what}: {lines[0][:300] if lines else ''}", good, f"exit code {done.returncode}\n{done.stderr[-1500:]}")


CASE = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "1", "-physics_oldroydb_viscosity", "1", "-physics_oldroydb_lambda", "1", "-mesh_box_faces", "3,3",
        "-mesh_box_periodic", "xy", "-stop_steps", "1"]


def claims(folder):
    """A stabiliser beside the program's own that says it is taken where the case names none: one from a copy of the library's folder."""
    library = os.path.realpath(f"{PLUGINS}/../../librheoplex.so")
    name = next(line.split()[-1].strip("[]") for line in subprocess.run(["readelf", "-d", library], capture_output=True, text=True).stdout.splitlines() if "SONAME" in line)
    own = f"{folder}/lib/rheoplex/plugins"
    shutil.copytree(PLUGINS, own)
    shutil.copy(library, f"{folder}/lib/{name}")

    def checked(*words):
        return subprocess.run([os.environ["RHEOPLEX"], "check", *CASE, *words, "-output_folder", f"{folder}/out"], capture_output=True, text=True, timeout=50,
                              env={**os.environ, "LD_LIBRARY_PATH": f"{folder}/lib"})

    done = checked()
    check("a copy of the program's folder takes its own", done.returncode == 0 and "Stabiliser: devss (with a polymer), split_oss (in every flow)" in done.stdout, done.stdout + done.stderr)
    for name in ("claims", "claims_polymer"):
        shutil.copy(f"{CRASHING}/{name}.so", f"{own}/aclaim.so")
        done = checked()
        expected = "The stabilisers 'claiming' and 'split_oss' both say that they are taken where the case names none, and provide the same: got two, expected one (-stabiliser names it)"
        check(f"{name}: two for one thing", done.returncode == 1 and expected in done.stderr, done.stdout + done.stderr)
        check(f"{name}: one is named", checked("-stabiliser", "split_oss").returncode == 0)
    os.rename(f"{own}/aclaim.so", f"{folder}/aclaim.so")
    os.symlink(f"{folder}/aclaim.so", f"{own}/aclaim.so")
    done = checked()
    check("by a link in the own folder too", done.returncode == 1 and expected in done.stderr, done.stdout + done.stderr)


def main():
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"  # a signal stays one under sanitizers
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{PLUGINS}/newtonian.so", "rb") as f:
            whole = f.read()
        for n in (0, 3, 30, 200, 4000, len(whole) // 2, len(whole) - 1):
            with open(f"{folder}/cut.so", "wb") as f:
                f.write(whole[:n])
            refused(f"{n} bytes of {len(whole)}", f"{folder}/cut.so", [f"{folder}/cut.so", f"got {n} bytes", "expected", "is cut short" if n >= 4 else "ELF header"])
        refused("cut short, two ranks", f"{folder}/cut.so", ["is cut short"], np=2)
        refused("a folder that holds it", folder, [f"{folder}/cut.so", "is cut short"])
        sound = f"{folder}/outside.so"
        shutil.copy(f"{CRASHING}/sound.so", sound)
        done = rheoplex(sound)
        check("a sound plugin from outside", done.returncode == 0 and "outside_sound" in done.stdout, done.stderr)
    for name, expected in {
            "constructor_segv": ["signal 11", "when it was loaded"],
            "constructor_abort": ["signal 6", "when it was loaded"],
            "constructor_exit": ["an exit (code 0)", "when it was loaded"],
            "entry_segv": ["signal 11", "when it was loaded"],
            "modes": ["'modes'", "-physics_clash_modes", "core's own", "expected another name"],
            "twice": ["'lambda'", "is there twice"],
            "unprojected": ["got the auxiliary row 'slope' without the function project_mode", "OP(project_mode) in RHX_STAGES"],
            "claims": ["taken where -stabiliser names none", "own folder alone"],
            "claims_polymer": ["taken where -stabiliser names none", "own folder alone"],
    }.items():
        refused(name, f"{CRASHING}/{name}.so", [f"{name}.so cannot be used: ", "expected", *expected])
    check("a stabiliser from outside that claims nothing", rheoplex(f"{CRASHING}/claims_nothing.so").returncode == 0)
    with tempfile.TemporaryDirectory() as folder:
        claims(folder)
    refused("a crash, two ranks", f"{CRASHING}/constructor_segv.so", ["signal 11"], np=2)
    return 1 if failed else 0


sys.exit(main())

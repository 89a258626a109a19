"""Faults of the device: one clear sentence, nothing lost. faults.py <check>, one of the functions below.

Exit code 77, skipped: what the check needs (no driver, NVRTC, a device) is not so here."""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

import external
import numpy as np
import run

CAVITY = ["-mesh_box_faces", "12,11", "-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall",
          "-bc_top_type", "moving_wall", "-bc_top_velocity", "16*x^2*(1-x)^2,0", "-case_name", "cavity"]
FLUID = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.05", "-physics_oldroydb_viscosity", "0.05",
         "-physics_oldroydb_lambda", "0.3", "-stabiliser", "devss,split_oss", "-scheme_lumped_dt", "0.002"]
CASE = [*CAVITY, *FLUID]
PLUGIN = f"{run.SOURCE}/tests/external_plugin/project/outside_giesekus.c"
SKIP = 77


class Skip(Exception):
    pass


def loads(*names):
    for name in names:
        try:
            return bool(ctypes.CDLL(name))
        except OSError:
            pass
    return False


def need_no_driver():
    if loads("libcuda.so.1"):
        raise Skip("there is a driver")


def need_device():
    result = run.rheoplex("run", *CASE, "-device", "cuda", "-stop_steps", "1", out=run.folder("device"), expect=None)
    if result.rc and re.search("No device to compute on", result.stderr):
        raise Skip(result.stderr.strip())


def need_nvrtc(result):
    if result.rc and "needs NVRTC, which was not found" in result.stderr:
        raise Skip(result.stderr.strip())


def true(what, good, text=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(f"{what}\n{text}")


def refused(result, *words):
    """Exit code 1, one line of errors with these words."""
    lines = result.stderr.splitlines()
    print(result.stderr.strip())
    true("exit code 1", result.rc == 1, result.stderr)
    true("one line of errors", len(lines) == 1 and lines[0].startswith("rheoplex: error: "), result.stderr)
    for word in words:
        true(f"it says '{word}'", word in lines[0], lines[0])


def device_run(*words, out=None, **more):
    return run.rheoplex("run", *CASE, *words, out=out or run.folder("device"), **more)


# ---- without a device ----


def no_driver():
    """cuda is refused before the mesh is made; auto and cpu say nothing about a driver; --version does."""
    need_no_driver()
    out = run.folder("device")
    no_mesh = run.rheoplex("run", *CASE[2:], "-mesh_file", "/nonexistent.msh", "-device", "cuda", "-stop_steps", "1", out=out, expect=None)
    refused(no_mesh, "No device to compute on", "no NVIDIA driver", "libcuda.so.1")
    true("nothing was written", not os.listdir(out))
    text = device_run("-device", "auto", "-stop_steps", "1").stdout
    true("auto: on the CPU, no word about drivers", "on this machine's CPU," in text and "NVIDIA" not in text, text)
    true("auto: no figures of a device", "device: opened" not in text, text)
    text = device_run("-device", "cpu", "-stop_steps", "1").stdout
    true("cpu: no word about drivers", "on this machine's CPU," in text and "NVIDIA" not in text, text)
    text = run.rheoplex("--version", out=out).stdout
    true("--version: the driver is missing", re.search(r"GPU +no NVIDIA driver: .*libcuda", text), text)


def bench_compile(*words, environment=None):
    """The kernels compiled, without a device."""
    command = [run.RHEOPLEX, "bench", *CASE, "-bench_device", "compile", "-output_folder", run.folder("device"), *words]
    start = time.monotonic()
    process = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, **(environment or {})), timeout=120)
    return run.Run("", process, time.monotonic() - start)


def nvrtc_missing():
    refused(bench_compile("-device_nvrtc", "/nonexistent/libnvrtc.so"), "needs NVRTC", "/nonexistent/libnvrtc.so")


def cache_unwritable():
    """A warning, one, and the run goes on."""
    with open(f"{run.folder('device')}/file", "w") as f:
        cache = f.name  # a folder below a file cannot be made, whoever the user is
    result = bench_compile(environment={"XDG_CACHE_HOME": cache})
    need_nvrtc(result)
    true("exit code 0", result.rc == 0, result.stderr)
    warnings = [line for line in result.stderr.splitlines() if "cannot be written" in line]
    true("one warning with the file and the option", len(warnings) == 1 and cache in warnings[0] and "-device_cache" in warnings[0], result.stderr)
    true("the kernels are there", "rhx_residual: " in result.stdout, result.stdout)


def compiled_once():
    """The first start says that it compiles, what and where to, before anything else of it; the second compiles nothing, trials of passes included."""
    cache = run.folder("cache")
    modes = ["-physics_oldroydb_modes", "4", "-physics_oldroydb_viscosity", "0.0004,0.0003,0.0002,0.0001", "-physics_oldroydb_lambda", "0.4,0.2,0.1,0.05"]
    cold, warm = (bench_compile(*modes, environment={"XDG_CACHE_HOME": cache}) for _ in range(2))
    need_nvrtc(cold)
    told = re.findall(r"^Device programs are compiled for sm_90, the first of them '.+': seconds, once; later starts find them in (.+)$", cold.stdout, re.M)
    true("one line before the first", len(told) == 1 and told[0].startswith(cache) and cold.stdout.index("Device programs are") < cold.stdout.index("registers,"), cold.stdout)
    true("no word of it in the second", "Device programs are" not in warm.stdout, warm.stdout)
    count = [re.search(r"^(\d+) programs compiled, (\d+) from the cache$", r.stdout, re.M) for r in (cold, warm)]
    true("compiled, then found", all(count) and int(count[0][1]) >= 6 and count[1][1] == "0" and int(count[1][2]) >= 6, cold.stdout + warm.stdout)
    plans = [re.findall(r"^device, quadrilateral: .* bytes spilled$", r.stdout, re.M) for r in (cold, warm)]
    true("the same passes, in a line", len(plans[0]) == 1 and plans[0] == plans[1], cold.stdout)
    true("fewer blocks where limits spill", re.search(r"^device, quadrilateral: modes all at once, for 4 resident blocks \(2 with limits\), at most \d+ bytes spilled$", plans[0][0]), plans[0])


def plugin_host_only():
    """A law that needs a header of the host: file and line of the plugin."""
    folder = run.folder("device")
    bad = open(PLUGIN).read().replace("#include <rheoplex/plugin.h>", "#include <rheoplex/plugin.h>\n#include <stdlib.h>")
    with open(f"{folder}/outside_giesekus.c", "w") as f:
        f.write(bad)
    line = next(i for i, row in enumerate(bad.splitlines(), 1) if "<stdlib.h>" in row)
    with open(f"{folder}/CMakeLists.txt", "w") as f:
        f.write("cmake_minimum_required(VERSION 3.25)\nproject(HostOnly LANGUAGES C)\nfind_package(Rheoplex 0.1 REQUIRED)\n"
                "rheoplex_add_plugin(NAME outside_giesekus KIND physics SOURCE outside_giesekus.c)\n")
    law = ["-plugin", f"{external.build(folder, folder)}/outside_giesekus.so", "-physics", "newtonian,outside_giesekus",
           "-physics_newtonian_viscosity", "0.05", "-stabiliser", "split_oss"]
    host = run.rheoplex("run", *CAVITY, *law, "-device", "cpu", "-scheme_lumped_dt", "1e-3", "-stop_steps", "2", out=run.folder("device"))
    true("it runs on the CPU", "End at step 2" in host.stdout, host.stdout)
    process = subprocess.run([run.RHEOPLEX, "bench", *CAVITY, *law, "-bench_device", "compile", "-output_folder", folder], capture_output=True, text=True, timeout=120)
    result = run.Run("", process, 0)
    need_nvrtc(result)
    refused(result, "does not compile", f"outside_giesekus.c line {line}", "stdlib.h")


# ---- with a device ----


AAA = [f"{run.OPTIONS}/aaa_re50.yaml", "-mesh_file", f"{run.MESHES}/aaa_100x20.msh", "-stop_steady_tol", "0", "-diagnostic_forces", "wall_bottom,outlet",
       "-pressure_ksp_rtol", "1e-13"]


def aneurysm(device, steps, *words, np=1):
    return run.rheoplex("run", *AAA, "-device", device, "-stop_steps", steps, *words, out=run.folder("device"), np=np)


def near(what, got, expected, tolerance):
    """Relative to the largest value."""
    worst = float(np.abs(got - expected).max() / np.abs(expected).max()) if got.shape == expected.shape else float("nan")
    true(f"{what}: {worst:.1e} <= {tolerance:g}", worst <= tolerance)


def no_device():
    """A driver that lists no device."""
    if not loads("libcuda.so.1"):
        raise Skip("no driver")
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    refused(device_run("-device", "cuda", "-stop_steps", "1", expect=None), "No device to compute on", "an NVIDIA driver (", "but no device")
    text = device_run("-device", "auto", "-stop_steps", "1").stdout
    true("auto: on the CPU, because of the device", re.search(r"on this machine's CPU \(an NVIDIA driver \(.*but no device", text), text)


def taken():
    """auto takes the device and says which; the second start compiles nothing."""
    need_device()
    os.environ["XDG_CACHE_HOME"] = run.folder("cache")
    for start in ("cold", "warm"):
        result = device_run("-device", "auto", "-stop_steps", "2")
        found = re.search(r"device: opened in ([\d.]+) s, step set up there in ([\d.]+) s; (\d+) programs in ([\d.]+) s \((\d+) compiled, (\d+) from", result.stdout)
        true("the device is named", re.search(r" on NVIDIA .*, device 0 of \d+, sm_\d+", result.stdout), result.stdout)
        true("figures of the start-up", found, result.stdout)
        print(f"{start}: {found[0]}; {re.search('set-up.*', result.stdout)[0]}; {result.seconds:.2f} s in all")
        held = re.search(r"memory of the device: at most [\d.]+ GiB taken, (\d+) bytes a node", result.stdout)
        true("memory a node", held and 100 < int(held[1]) < 1e6, result.stdout)
        programs, compiled, cached = (int(found[i]) for i in (3, 5, 6))
        true(f"{start}: compiled {compiled}, cached {cached} of {programs}", programs == compiled + cached >= 3 and (compiled >= 3 if start == "cold" else compiled == 0))
    refused(device_run("-device", "cuda", "-stop_steps", "1", "-device_nvrtc", "/nonexistent/libnvrtc.so", expect=None), "NVRTC of the CUDA toolkit is missing", "/nonexistent/libnvrtc.so")
    text = device_run("-device", "auto", "-stop_steps", "1", "-device_nvrtc", "/nonexistent/libnvrtc.so").stdout
    true("auto without NVRTC: on the CPU", re.search(r"on this machine's CPU \(NVIDIA .*NVRTC of the CUDA toolkit is missing", text), text)


def contents(folder):
    return {name: open(f"{folder}/{name}", "rb").read() for name in os.listdir(folder)}


def memory():
    """Too little of it: what is needed and what is free; the results of the run before stay."""
    need_device()
    out = run.folder("device")
    device_run("-device", "cuda", "-stop_steps", "3", out=out)
    before = contents(out)
    result = device_run("-device", "cuda", "-device_memory", "0.001", "-stop_steps", "3", out=out, expect=None)
    refused(result, "Too little device memory for ", "needed ", "free 0 GiB of the 0.001 GiB that -device_memory allows on NVIDIA")
    needed = float(re.search(r"needed ([\d.e+-]+) GiB", result.stderr)[1])
    true(f"needed {needed:g} GiB is of the size of the arrays", 2e-5 < needed < 2e-3)
    true("the files of the run before are untouched", contents(out) == before)
    text = device_run("-device", "cuda", "-device_memory", "8", "-stop_steps", "1").stdout
    true("with enough it runs", "End at step 1" in text, text)


def blow_up():
    """A NaN on the device: the message of the CPU but for rounding, the last good state saved, the run can go on from it."""
    need_device()
    message, good = {}, {}
    for device in ("cpu", "cuda"):
        out = run.folder("device")
        result = device_run("-scheme_lumped_dt", "0.3", "-device", device, "-stop_steps", "4000", out=out, expect=None)
        refused(result, "the run is clearly lost", "the last good state (step ")
        message[device] = re.sub(r"/\S+", "", result.stderr)
        good[device] = int(re.search(r"last good state \(step (\d+)", result.stderr)[1])
        path = run.Run(out, subprocess.CompletedProcess([], 1, "", ""), 0).file("_last_good.h5")
        again = device_run("-device", device, "-case_restart", path, "-stop_steps", good[device] + 1, "-scheme_lumped_dt", "1e-9", expect=None)
        true(f"{device}: the state saved is finite and can be read", "End at step" in again.stdout or "finite" in again.stderr, again.stdout + again.stderr)
        import h5py

        with h5py.File(path) as f:
            true(f"{device}: every value of it is finite", np.isfinite(f["state"][...]).all())
    words = [re.sub(r"-?(\d[\d.e+-]*|nan|inf)", "#", m) for m in message.values()]
    true("the same sentence", words[0] == words[1], "\n".join(words))
    true(f"after the same step but one: {good}", abs(good["cpu"] - good["cuda"]) <= 1)


def restart():
    """A checkpoint continues on the device, and from the one to the other."""
    need_device()
    whole = {d: aneurysm(d, 40).checkpoint() for d in ("cpu", "cuda")}
    half = {d: aneurysm(d, 20).file("_checkpoint.h5") for d in ("cpu", "cuda")}
    near("cpu against cuda, 40 steps", whole["cuda"], whole["cpu"], 1e-10)
    for a, b, tolerance in (("cuda", "cuda", 1e-12), ("cpu", "cuda", 1e-10), ("cuda", "cpu", 1e-10)):
        near(f"20 steps on {a}, 20 on {b}", aneurysm(b, 40, "-case_restart", half[a]).checkpoint(), whole["cuda"], tolerance)
    loose = ["-pressure_pc_type", "graph_mg", "-pressure_ksp_type", "graph_cg", "-pressure_pc_graph_mg_dense", "50", "-pressure_ksp_rtol", "1e-3"]
    whole = aneurysm("cuda", 30, *loose, "-output_checkpoint_every", "20")  # after a checkpoint the guesses of the pressure begin anew
    half = aneurysm("cuda", 20, *loose).file("_checkpoint.h5")
    near("levels, loose tolerance", aneurysm("cuda", 30, *loose, "-case_restart", half).checkpoint(), whole.checkpoint(), 1e-9)  # sums of a GPU are in any order


def same_tables(a, b, ending, tolerance, noise):
    """Columns of two CSV files, relative to their largest value; columns of rounding errors in absolute terms."""
    a, b = a.table(ending), b.table(ending)
    true(f"{ending}: columns", list(a) == list(b))
    together = max(np.abs(a[name]).max() for name in a if name not in ("step", "t"))  # a component that vanishes has no scale of its own
    for name in a:
        if name in ("seconds", "pressure_iterations"):
            continue
        x, y = (np.abs(a[name]), np.abs(b[name])) if name == "min_eigenvalue_y" else (a[name], b[name])  # mirror images are equal
        true(f"{ending}: rows of {name}", x.shape == y.shape)
        scale = 1.0 if name in noise else together if ending != "_history.csv" else max(np.abs(x).max(), 1e-30)
        worst = float(np.abs(x - y).max() / scale)
        true(f"{ending}: {name}: {worst:.1e} <= {tolerance:g}", worst <= tolerance)


def same_results(a, b):
    same_tables(a, b, "_history.csv", 1e-8, ("continuity_residual", "mass_error"))
    same_tables(a, b, "_forces.csv", 1e-8, ())
    same_tables(a, b, "_wall_wall_bottom.csv", 1e-8, ())
    near("checkpoint, state", b.checkpoint(), a.checkpoint(), 1e-10)
    near("checkpoint, rate", b.checkpoint("rate"), a.checkpoint("rate"), 1e-8)
    fa, fb = a.fields(), b.fields()
    for name in ("velocity", "pressure", "stress"):
        near(f"field {name}", fb[name][fb.unique()], fa[name][fa.unique()], 1e-10)


def outputs():
    """Everything that a run writes is the CPU's."""
    need_device()
    same_results(aneurysm("cpu", 20, "-bc_inlet_ramp", "0.1"), aneurysm("cuda", 20, "-bc_inlet_ramp", "0.1"))


def ranks():
    """Two ranks that share the device against one."""
    need_device()
    alone, shared = aneurysm("cuda", 20), aneurysm("cuda", 20, np=2)
    same_results(alone, shared)
    true("one rank is not told that it shares the device", "shared by" not in alone.stdout, alone.stdout)
    true("two ranks on one device are told so", "device 0 of 1," not in shared.stdout or "shared by 2 ranks, which take turns" in shared.stdout, shared.stdout)


def stopped():
    """A signal ends the run after its step; what is on the device is saved."""
    need_device()
    out = run.folder("device")
    process = subprocess.Popen([run.RHEOPLEX, "run", *AAA, "-device", "cuda", "-stop_steps", "10000000", "-output_folder", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    rows = lambda: [open(f"{out}/{f}").read().count("\n") for f in os.listdir(out) if f.endswith("_history.csv")]
    run.wait(lambda: max(rows(), default=0) > 20, "its first steps", process)
    process.send_signal(signal.SIGTERM)
    text, errors = process.communicate(timeout=run.PATIENCE)
    true("exit code 143", process.returncode == 128 + signal.SIGTERM, text + errors)
    true("it says why", "signal 15 received" in text, text)
    last = int(re.search(r"End at step (\d+)", text)[1])
    stopped_run = run.Run(out, subprocess.CompletedProcess([], 0, text, errors), 0)
    true("the history ends there", stopped_run.table("_history.csv")["step"][-1] == last)
    true("the state is saved", np.isfinite(stopped_run.checkpoint()).all() and np.abs(stopped_run.checkpoint()).max() > 0)
    again = aneurysm("cuda", last + 1, "-case_restart", stopped_run.file("_checkpoint.h5"))
    true("it goes on from there", again.table("_history.csv")["step"][0] == last + 1)


CHECKS = {c.__name__: c for c in (no_driver, nvrtc_missing, cache_unwritable, compiled_once, plugin_host_only, no_device, taken, memory, blow_up, restart, outputs, ranks, stopped)}


def main(name):
    try:
        CHECKS[name]()
    except Skip as why:
        print(why)
        return SKIP
    except run.Failure as fault:
        print(fault, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

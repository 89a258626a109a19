"""Monitors of TS on 1 and 2 ranks: text, HDF5 with the names of the fields, VTK; a device's are the host's.  monitors.py [cuda]"""
import glob
import re
import sys

import h5py
import numpy as np
import run

CAVITY = {"case_name": "cavity", "mesh_box_faces": "6,6", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall",
          "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0", "form_density": "3", "physics": "newtonian,oldroydb",
          "physics_newtonian_viscosity": "0.05", "physics_oldroydb_viscosity": "0.03", "physics_oldroydb_lambda": "0.1",
          "stabiliser": "split_oss", "scheme_lumped_dt": "0.01", "stop_steps": "4", "pressure_ksp_rtol": "1e-13"}
COMPONENTS = {"velocity": ["x", "y"], "pressure": [""], "stress_0": ["xx", "yy", "xy"]}


def true(what, good):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(what)


def monitored(device, np_):
    """States of all steps by name, the last one of the checkpoint, and what was printed."""
    out = run.folder("petsc_monitors")
    words = [w for k, v in {**CAVITY, "device": device}.items() for w in ("-" + k, v)]
    result = run.rheoplex("run", *words, "-ts_monitor", "-ts_monitor_solution", f"hdf5:{out}/steps.h5:hdf5_viz", "-ts_monitor_solution_vtk", f"{out}/step-%03d.vtu",
                          "-ts_view_solution", f"ascii:{out}/last.txt", out=out, np=np_, timeout=300)
    with h5py.File(f"{out}/steps.h5") as f:
        fields = {name: f[f"vertex_fields/state_{name}"][...] for name in COMPONENTS}
        for name, components in COMPONENTS.items():
            attributes = f[f"vertex_fields/state_{name}"].attrs
            got = [attributes[f"componentName{k}"].decode() for k in range(len(components))]
            true(f"components of {name}: {got}", got == components or (name == "pressure" and len(got) == 1))
        times = f["time"][...].ravel()
    true(f"times {times}", np.allclose(times, 0.01 * np.arange(5), atol=1e-14))
    true("-ts_monitor: a line a step", len(re.findall(r"^\d+ TS dt 0.01 time ", result.stdout, re.M)) == 5)
    text = [float(line) for line in open(f"{out}/last.txt") if re.fullmatch(r"-?\d[\d.e+-]*", line.strip())]
    true("-ts_view_solution prints the last state", np.allclose(np.sort(text), np.sort(result.checkpoint().ravel()), atol=1e-5))
    files = sorted(glob.glob(f"{out}/step-*.vtu"))
    true(f"-ts_monitor_solution_vtk: {len(files)} files", len(files) == 5 and all(name.encode() in open(files[-1], "rb").read() for name in COMPONENTS))
    return fields, result.checkpoint()


def check(device):
    host = {}
    for np_ in (1, 2):
        fields, last = monitored(device, np_)
        host[np_] = fields if device == "cpu" else monitored("cpu", np_)[0]
        whole = np.concatenate([fields[name].reshape(5, 49, -1) for name in COMPONENTS], axis=2)
        true("each step changes the state", all(np.abs(b - a).max() > 1e-6 for a, b in zip(whole, whole[1:])))
        true("the last one is that of the checkpoint", np.abs(np.sort(whole[-1], axis=0) - np.sort(last, axis=0)).max() <= 1e-14)
        for name in COMPONENTS:
            worst = float(np.abs(fields[name] - host[np_][name]).max() / np.abs(host[np_][name]).max())
            true(f"{name} of {np_} ranks: {device} and host differ by {worst:.1e}", worst <= 1e-10)
            parted = np.sort(fields[name].reshape(5, 49, -1), axis=1) - np.sort(host[1][name].reshape(5, 49, -1), axis=1)
            true(f"{name}: {np_} ranks and one differ by {np.abs(parted).max():.1e}", np.abs(parted).max() <= 1e-9)


if __name__ == "__main__":
    try:
        check(sys.argv[1] if len(sys.argv) > 1 else "cpu")
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")

"""A run that blows up saves a state from before the growth, says which limit was passed and what helps: a restart from the
state with a smaller step runs on. blow_up.py <check> [ranks | cuda]"""
import re
import sys

import numpy as np
import mshwrite
import run

WALLS = {"bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall", "bc_top_type": "moving_wall"}
CAVITY = {"case_name": "cavity", "mesh_box_faces": "10,10", **WALLS, "bc_top_velocity": "16*x^2*(1-x)^2,0", "form_density": "3",
          "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.05", "physics_oldroydb_viscosity": "0.05",
          "physics_oldroydb_lambda": "0.1", "stabiliser": "split_oss", "case_report_every": "100000", "output_every": "100000"}
WHERE = {}


def go(out=None, expect=0, **changes):
    words = [w for k, v in {**CAVITY, "device": "cpu", **WHERE.get("options", {}), **changes}.items() if v is not None for w in ("-" + k, str(v))]
    return run.rheoplex("run", *words, out=out or run.folder("blow_up"), np=WHERE.get("np", 1), expect=expect, timeout=600)


def true(what, good, text=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(f"{what}\n{text}")


def nodes(path):
    import h5py

    with h5py.File(path) as f:
        return f["state"][...]


def state(path):
    """Largest |u|, |p|, |s|, and the step."""
    import h5py

    with h5py.File(path) as f:
        x, step = f["state"][...], int(f.attrs["step"]) if "step" in f.attrs else int(np.ravel(f["step"][...])[0])
    return [float(np.abs(x[:, a:b]).max()) for a, b in ((0, 2), (2, 3), (3, None))], step


def blown(start, **changes):
    """Error message, and path, sizes and step of what is saved by a run that loses finiteness."""
    result = go(expect=1, **changes)
    line = [row for row in result.stderr.splitlines() if row.startswith("rheoplex: ")]
    true("one line of errors", len(line) == 1 and line[0].startswith(("rheoplex: error: the state is not finite", "rheoplex: error: the run is clearly lost")), result.stderr)
    print(line[0])
    path = result.file("_last_good.h5")
    size, step = state(path)
    told = int(re.search(r"last good state \(step (\d+)", line[0])[1])
    last = int(result.table("_history.csv")["step"][-1])
    true(f"the step told, {told}, is that of the file, {step}, from {start} to {last}", told == step and start <= step <= last)
    return line[0], path, size, step


LIMITS = ("convective", "viscous", "elastic", "relaxation", "growth")


def rates(table):
    """Of the last row: 1/s, by name, and what they allow together: convection and the largest of the next three share a step."""
    rate = {name: table[f"cfl_{name}"][-1] / table["dt"][-1] for name in LIMITS}
    return rate, max(rate["convective"] + max(rate[k] for k in LIMITS[1:4]), rate["growth"])


def continues(path, step, dt, steps=200):
    result = go(scheme_lumped_dt=dt, case_restart=path, stop_steps=step + steps)
    size, _ = state(result.file("_checkpoint.h5"))
    true(f"{steps} steps of {dt:g} s from it: |u| {size[0]:.3g}, |s| {size[2]:.3g}", size[0] <= 1.01 and size[2] <= 3)


def developed():
    """Too large a step after a sound start: the newest state is not the first, and none of the noise is in it."""
    sound = go(scheme_lumped_dt="0.03", stop_steps="100")
    size, _ = state(sound.file("_checkpoint.h5"))
    dt = 0.18
    message, path, saved, step = blown(100, case_restart=sound.file("_checkpoint.h5"), scheme_lumped_dt=dt, stop_steps="5000")
    print(f"sizes before {size}, saved {saved}")
    true("nothing in it has grown by more than a half", all(s <= 1.5 * b for s, b in zip(saved, size)))
    noise = np.abs(nodes(path)[:, :2] - nodes(sound.file("_checkpoint.h5"))[:, :2]).max()
    true(f"of the steady flow it began with the velocity is off by {noise:.2g}", noise <= 0.05)
    rate, together = rates(sound.table("_history.csv"))
    found = re.search(r"dt = 0.18 s was ([\d.]+) times the ([\w +]+) limit", message)
    number = float(found[1])
    true(f"the {found[2]} limit is what the steady flow has, passed {number:g} times: {dt * together:.3g}, each alone {dt * max(rate.values()):.3g}",
         found[2] == "convective + elastic" and abs(number / (dt * together) - 1) < 0.02 and number > 1.3 * dt * max(rate.values()))
    remedy = float(re.search(r"try -scheme_lumped_dt ([\d.e-]+) or -scheme_lumped_cfl 0.5", message)[1])
    true("the step that it asks for is half of the limit", abs(remedy / (0.5 / together) - 1) < 0.04)
    for smaller in (remedy, dt / 10):
        continues(path, step, smaller)


def ranks():
    """As above, shorter: MPI on a busy machine is slow."""
    sound = go(scheme_lumped_dt="0.03", stop_steps="30")
    message, path, saved, step = blown(30, case_restart=sound.file("_checkpoint.h5"), scheme_lumped_dt="0.3", stop_steps="5000")
    true(f"saved: |u| {saved[0]:.3g}, |s| {saved[2]:.3g}", saved[0] <= 1.01 and saved[2] < 2)
    continues(path, step, 0.03, 50)


def slow():
    """Growth over thousands of steps, and in the stress: what is saved is from before all of it."""
    flow = {"physics_newtonian_viscosity": "0.5", "physics_oldroydb_viscosity": "0.5", "physics_oldroydb_lambda": "1", "form_density": "1",
            "scheme_lumped_dt": "0.0015"}
    message, path, saved, step = blown(1, **flow, mesh_box_faces="16,16", stop_time="10")
    true("log-conformation is named", "-polymer_variable logconf" in message, message)
    true(f"saved: |u| {saved[0]:.3g}, |s| {saved[2]:.3g}", saved[0] <= 1.01 and saved[2] < 30)


def start():
    """A step that nothing survives: the state that the run began with."""
    message, path, saved, step = blown(0, scheme_lumped_dt="2", stop_steps="5000")
    true("step 0 is told to be the beginning", step == 0 and "what the run began with" in message)
    continues(path, 0, 0.02)


def late():
    """After 9000 calm steps from rest, where p began with 0: a state of the last half, and the advice for the step that was too long."""
    still = dict(mesh_box_faces="4,4", scheme_lumped_dt="0.01", stop_steps="12000", bc_top_velocity="16*x^2*(1-x)^2*(t<90 ? 1 : 1+40*(t-90)),0")
    message, path, saved, step = blown(6500, **still)
    true(f"step {step} is of the calm", 6500 <= step <= 9100)


def again():
    """From the beginning, which is what is saved of a step that nothing survives, in the same folder: its rows go."""
    out = run.folder("blow_up")
    words = dict(diagnostic_e_kind="forces", diagnostic_e_label="top", diagnostic_e_every="1")
    go(expect=1, out=out, scheme_lumped_dt="2", stop_steps="5000", **words)
    done = go(out=out, case_restart=f"{out}/cavity_last_good.h5", scheme_lumped_dt="0.02", stop_steps="5", **words)
    for name in "_history.csv", "_e.csv":
        steps = [int(s) for s in done.table(name)["step"]]
        true(f"{name}: rows {steps}", steps in ([1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5]))


def floor():
    """A time step under control has a floor; the state is saved, and is the newest."""
    for least, words in ((None, "by default a millionth of -scheme_lumped_dt"), ("0.008", "below 0.008 s (-scheme_lumped_dt_min)")):
        result = go(expect=1, case_velocity="1e90", scheme_lumped_dt="0.02", scheme_lumped_cfl="0.5", scheme_lumped_dt_min=least, stop_steps="5000",
                    bc_top_velocity="16*x^2*(1-x)^2*exp(1000*t),0" if least is None else "16*x^2*(1-x)^2*(1+4*t),0", physics="newtonian",
                    physics_newtonian_viscosity="0.5", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None)
        print(result.stderr.strip())
        true(f"it says '{words}'", words in result.stderr and "limit asks for a time step of" in result.stderr, result.stderr)
        step = int(re.search(r"last good state \(step (\d+)", result.stderr)[1])
        last = int(result.table("_history.csv")["step"][-1])
        true(f"saved: step {step} of {last}", step == last if least else step <= last)
    above = go(expect=1, scheme_lumped_dt="0.02", scheme_lumped_cfl="0.5", scheme_lumped_dt_min="0.03", stop_steps="5")
    true("a floor above the largest step", "-scheme_lumped_dt_min: got 0.03, expected at most -scheme_lumped_dt 0.02" in above.stderr, above.stderr)
    rate, together = rates(result.table("_history.csv"))
    asked = float(re.search(r"the convective \+ viscous limit asks for a time step of ([\d.e-]+) s", result.stderr)[1])
    true(f"{asked:g} s is half of what both allow, {1 / together:.3g} s; each alone {1 / max(rate.values()):.3g} s", abs(asked * 2 * together - 1) < 0.03)


def copies(result):
    return sum(map(int, re.findall(r"^RhxCopyToHost +(\d+)", result.stdout, re.M)))


def seat():
    """What is told is the place where the velocity is largest, among the smallest cells, not that of the first node that is lost with it."""
    width = [1 + abs(i - 11.5) for i in range(16)]
    x = np.concatenate([[0], np.cumsum(width)]) / sum(width)
    mesh = mshwrite.channel(f"{run.folder('graded')}/graded.msh", 16, 16, lambda i, j: (x[i], x[j]))
    creeping = {"mesh_file": mesh, "mesh_box_faces": None, "physics": "newtonian", "physics_oldroydb_viscosity": None, "physics_oldroydb_lambda": None, "form_convection": "false", "case_velocity": "1e94"}
    told = re.search(r"velocity is \S+ at \(([^,]+), ([^)]+)\) m", go(expect=1, **creeping, scheme_lumped_dt="0.04", stop_steps="1000").stderr)
    at = [float(v) for v in told.groups()]
    print(f"largest at {at}, smallest cell {x[11]:.3g} to {x[12]:.3g}")
    true("at a corner of the smallest cell", all(min(abs(v - x[11]), abs(v - x[12])) < 1e-5 for v in at))


def short():
    """Device memory that is enough for the run, but not for copies of the state: they go to the host, and are as good."""
    few = {"stop_steps": "8", "log_view": ""}
    normal, low, high = copies(go(**few)), 0.0, 1.0
    while high - low > 2e-5:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if go(expect=None, **few, device_memory=f"{middle:.7g}").rc else (low, middle)
    told = f"{high:.7g}"
    more = copies(go(**few, device_memory=told)) - normal
    true(f"with -device_memory {told} {more} copies more in 8 steps: of steps 0 and some of 1, 2, 4, 8", 2 <= more <= 5)
    message, path, saved, step = blown(0, scheme_lumped_dt="0.18", stop_steps="5000", device_memory=told)
    true("the state that is saved is sound", saved[0] <= 1.01 and saved[2] < 2, f"{saved}")


def inflow():
    """Flow that comes in through an open label, where nothing keeps it stable, is told with what does."""
    flow = dict(bc_left_type="outlet", bc_right_type="outlet", bc_top_type="wall", bc_top_velocity=None, bc_left_pressure="40", physics="newtonian", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None,
                scheme_lumped_dt="0.01", initial_velocity="y*(1-y),0", stop_lost="2", stop_steps="1000")
    remedy = "flow comes in through 'left' there, which is open: stable with -bc_left_tangential zero, or -bc_left_backflow 0.5 where vortices pass"
    for what, words, told in (("as it is", {}, True), ("with it", {"bc_left_backflow": 0.5}, False), ("an inlet", {"bc_left_type": "inlet", "bc_left_velocity": "4*y*(1-y)*exp(9*t),0", "bc_left_pressure": None}, False)):
        error = go(expect=1, **{**flow, **words}).stderr
        true(f"{what}: told {told}", "clearly lost" in error and (remedy in error) == told and "-bc_right" not in error, error)


if __name__ == "__main__":
    place = sys.argv[2] if len(sys.argv) > 2 else "1"
    WHERE.update({"options": {"device": "cuda"}} if place == "cuda" else {"np": int(place)})
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")

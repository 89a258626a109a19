"""What an adaptor in situ is shown, by one that writes it down: hook.py <adaptor> <adaptor of another version> cpu|cuda; on cuda what
crosses from the device."""
import csv
import os
import re
import sys

import common
import numpy as np
import run
from common import PLANE, SPACE, go, script, tells_and_goes_on
from gate import Gate


def rows(done):
    found = []
    for name in sorted(os.listdir(done.out)):
        if name.startswith("seen_"):
            with open(f"{done.out}/{name}") as f:
                found += [{k: v if k == "field" else float(v) for k, v in row.items()} for row in csv.DictReader(f)]
    return found


def of(found, step, field):
    return [row for row in found if row["step"] == step and row["field"] == field]


def check_fields(gate, adaptor):
    """The values are those of the .vtu; two ranks show what one does."""
    every = ["-insitu_script", script("every 3\n"), "-insitu_adaptor", adaptor, "-output_every", "4"]
    for name, case, ranks in (("2D", PLANE, 1), ("2D", PLANE, 2), ("3D", SPACE, 2)):
        done = go(*case, *every, np=ranks)
        found, saved = rows(done), done.fields()
        gate.true(f"{name}, np {ranks}: steps 0, 3, 6 and the last", sorted({row["step"] for row in found}) == [0, 3, 6, 8])
        gate.near(f"{name}, np {ranks}: points", sum(row["npoints"] for row in of(found, 8, "velocity")), len(saved.points), 0)
        if ranks == 1:
            gate.near(f"{name}: extent of the mesh", found[0]["volume"], 1, 1e-12)
        for field, values in saved.arrays.items():
            here = of(found, 8, field)
            gate.near(f"{name}, np {ranks}: sum of {field}", sum(row["sum"] for row in here), float(values.sum()), 1e-11 * float(np.abs(values).sum()) + 1e-300)
            gate.relative(f"{name}, np {ranks}: squares of {field}", sum(row["squares"] for row in here), float((values**2).sum()), 1e-12)
        gate.true(f"{name}, np {ranks}: all fields and the ranks of cells", {row["field"] for row in found} == {*saved.arrays, "rank"})
        gate.true(f"{name}, np {ranks}: the cost is told", re.search(r"in situ: begun in .* 3 further in", done.stdout) is not None)


def check_times(gate, adaptor):
    """Exact times by -insitu_every_dt, beside those of -output_dt."""
    done = go(*PLANE, "-insitu_script", script("# fields: pressure\n"), "-insitu_adaptor", adaptor, "-insitu_every_dt", "0.005", "-output_dt", "0.007", "-stop_steps", "0", "-stop_time", "0.016")
    found = rows(done)
    gate.true("times of -insitu_every_dt", np.allclose([row["t"] for row in found], [0, 0.005, 0.01, 0.015, 0.016], rtol=0, atol=1e-12))
    gate.true("the last is told", [row["last"] for row in found] == [0, 0, 0, 0, 1])
    gate.true("only the field that is asked for", {row["field"] for row in found} == {"pressure"})
    gate.true("times of -output_dt", np.allclose(run.series(f"{done.out}/c.pvd")[0], [0, 0.007, 0.014, 0.016], rtol=0, atol=1e-12))
    both = go(*PLANE, "-insitu_script", script("# fields: pressure\n"), "-insitu_adaptor", adaptor, "-insitu_every", "5", "-insitu_every_dt", "0.008")
    gate.true("-insitu_every and -insitu_every_dt", [row["step"] for row in rows(both)] == [0, 4, 5, 8])


def copied(done):
    """Copies to the host, of -log_view, in all stages."""
    return sum(int(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("RhxCopyToHost"))


def check_device(gate, adaptor):
    """Arrays that cross: the state's part that is asked for, at the steps that a script wants."""
    few, many = (go(*PLANE, "-insitu_script", script(f"# fields: {fields}\nevery 2\n"), "-insitu_adaptor", adaptor, "-log_view", *more, device="cuda")
                 for fields, more in (("velocity", []), ("velocity, stress", ["-insitu_every", "4"])))
    plain = go(*PLANE, "-log_view", device="cuda")
    gate.near("copies to the host for steps 0, 2, 4, 6, where 0 is there and 8 is the output's", copied(few) - copied(plain), 3, 0)
    gate.near("and for step 4 alone", copied(many) - copied(plain), 1, 0)
    host = go(*PLANE, "-insitu_script", script("# fields: velocity\nevery 2\n"), "-insitu_adaptor", adaptor)
    for step in (2, 4, 6, 8):
        gate.relative(f"velocity of step {step} as on the host", of(rows(few), step, "velocity")[0]["squares"], of(rows(host), step, "velocity")[0]["squares"], 1e-9)
    lagging = [w for k, w in enumerate(PLANE) if "-scheme_lumped_dt" not in PLANE[max(0, k - 1):k + 1]] + ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", "2e-3"]
    heat, cold = (go(*lagging, "-insitu_script", script("# fields: pressure\nevery 2\n"), "-insitu_adaptor", adaptor, device=device) for device in ("cuda", "cpu"))
    gate.relative("a pressure that lags as on the host", of(rows(heat), 4, "pressure")[0]["squares"], of(rows(cold), 4, "pressure")[0]["squares"], 1e-8)


def check_faults(gate, adaptor, other):
    plain = {ranks: go(*PLANE, np=ranks) for ranks in (1, 2)}
    good = script("every 2\n")
    shown = go(*PLANE, "-insitu_script", good, "-insitu_adaptor", adaptor, np=2)
    gate.true("shown, the state is that of a run without, bit by bit", not common.sentences(shown) and common.same(shown, plain[2]))
    failing = go(*PLANE, "-insitu_script", script("fail 3\n"), "-insitu_adaptor", adaptor, np=2)
    tells_and_goes_on(gate, "a script fails on one rank", failing, plain[2], "-insitu_script", "has failed at step 3")
    gate.true("and is asked no more", max(row["step"] for row in rows(failing)) == 3)
    tells_and_goes_on(gate, "no script", go(*PLANE, "-insitu_script", f"{good},/none/b.py", "-insitu_adaptor", adaptor, np=2), plain[2], "got '/none/b.py'")
    tells_and_goes_on(gate, "no adaptor", go(*PLANE, "-insitu_script", good, "-insitu_adaptor", "/none/a.so", np=2), plain[2], "there is no /none/a.so", "share/insitu")
    tells_and_goes_on(gate, "unknown field", go(*PLANE, "-insitu_script", script("# fields: velocity, sped\n"), "-insitu_adaptor", adaptor), plain[1], "'sped'", "expected some of velocity, pressure")
    tells_and_goes_on(gate, "an adaptor of another version", go(*PLANE, "-insitu_script", good, "-insitu_adaptor", other), plain[1], "another Rheoplex", "version")
    tells_and_goes_on(gate, "no shared object", go(*PLANE, "-insitu_script", good, "-insitu_adaptor", good), plain[1], "cannot be opened")


def check_signals(gate, adaptor):
    """SIGTERM while an adaptor begins or shows the initial state: the step in hand ends, state and fields are there."""
    for what, ending, ranks in (("an adaptor begins", -1, 1), ("the initial state is shown", 0, 2)):
        done = go(*PLANE, "-insitu_script", script(f"end {ending}\n"), "-insitu_adaptor", adaptor, np=ranks, expect=143)
        gate.true(f"SIGTERM while {what}: told, after step 1", "signal 15 received" in done.stdout and len(done.fields().points) > 0)
        gate.near(f"SIGTERM while {what}: steps", max(row["step"] for row in rows(done)), 1, 0)
        gate.true(f"SIGTERM while {what}: the state is saved", bool(np.abs(done.checkpoint()).max() > 0))


def main(adaptor, other, device):
    gate = Gate(f"insitu_hook_{device}")
    if device == "cuda":
        check_device(gate, adaptor)
        return gate.finish()
    check_fields(gate, adaptor)
    check_times(gate, adaptor)
    check_faults(gate, adaptor, other)
    check_signals(gate, adaptor)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

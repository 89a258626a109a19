"""The DM of Newton's SNES and KSP: what PETSc makes of it is what its manual says. splits.py <check> [cpu|cuda] [np]
  fields   PCFIELDSPLIT by fields of the DM, named or numbered, nested, by components of the block; residuals and solutions by fields
  refused  fields that are not there, or in no split; preconditioners that ask for elements
  others   preconditioners that could ask the DM and do not; what is split by groups, scalar fields too"""
import re
import sys

import numpy as np
import run

CAVITY = {"case_name": "cavity", "mesh_box_faces": "6,6", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall",
          "bc_top_type": "moving_wall", "bc_top_velocity": "16*x^2*(1-x)^2,0", "form_density": "3", "physics": "newtonian,oldroydb",
          "physics_newtonian_viscosity": "0.05", "physics_oldroydb_modes": "2", "physics_oldroydb_viscosity": "0.03,0.02", "physics_oldroydb_lambda": "0.1,0.05",
          "stabiliser": "split_oss", "output_fields": "false", "ksp_rtol": "1e-4"}
SCHEMES = {"steady": {"scheme": "steady"}, "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": "0.05", "stop_steps": "2", "pc_renew": "always", "snes_rtol": "1e-11"}}
SPLIT = {"pc_type": "fieldsplit"}
NAMES = ["velocity", "pressure", "stress_0", "stress_1"]
HERE = {"device": "cpu", "np": 1}


def go(*given, expect=0):
    """Options of dictionaries, the later ones last."""
    words = {**CAVITY, "device": HERE["device"]}
    for more in given:
        words.update(more)
    if HERE != {"device": "cpu", "np": 1}:
        words["mesh_box_faces"] = "4,4"
    return run.rheoplex("run", *(w for k, v in words.items() for w in ("-" + k, v) if w != ""), out=run.folder("splits"), np=HERE["np"], expect=expect, timeout=200)


def true(what, good, text=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}", flush=True)
    if not good:
        raise run.Failure(f"{what}\n{text}")


def same(what, a, b, bound=1e-7):
    a, b = a.checkpoint(), b.checkpoint()
    off = float(np.abs(a - b).max() / np.abs(a).max())
    true(f"{what}: the state differs by {off:.1e}", off <= bound)


def solves(result):
    return re.findall(r"Linear solve converged due to \w+ iterations (\d+)", result.stdout)


def prefixes(result):
    """Of the splits' solvers that a view shows, in turn, without those of a rank's part."""
    return [p for p in dict.fromkeys(re.findall(r"KSP Object: \((\w+?)_\) \d", result.stdout)) if not p.endswith("_sub")]


def fields():
    names = {"pc_fieldsplit_0_fields": "velocity,pressure", "pc_fieldsplit_1_fields": "stress_0", "pc_fieldsplit_2_fields": "stress_1", "ksp_converged_reason": ""}
    numbers = {**names, "pc_fieldsplit_0_fields": "0,1", "pc_fieldsplit_1_fields": "2", "pc_fieldsplit_2_fields": "3"}
    block = {**names, "pc_fieldsplit_dm_splits": "false", "pc_fieldsplit_0_fields": "0,1,2", "pc_fieldsplit_1_fields": "3,4,5", "pc_fieldsplit_2_fields": "6,7,8"}
    for name, scheme in SCHEMES.items():
        direct = go(scheme)
        bare = go(scheme, SPLIT, {"snes_view": "", "ksp_max_it": "2000"})
        true(f"{name}: fieldsplit by itself splits by the fields of the DM", prefixes(bare)[:4] == [f"fieldsplit_{n}" for n in NAMES], bare.stdout)
        same(name, direct, bare)
        found = [go(scheme, SPLIT, words, {"snes_view": ""}) for words in (names, numbers, block)]
        true(f"{name}: fields by names, {solves(found[0])} iterations", prefixes(found[0])[:3] == ["fieldsplit_0", "fieldsplit_stress_0", "fieldsplit_stress_1"] and solves(found[0]), found[0].stdout)
        for kind, other in ("numbers", found[1]), ("components of the block", found[2]):
            true(f"{name}: by {kind}: the same iterations", solves(found[0]) == solves(other), other.stdout)
            same(f"{name}: by {kind}", found[0], other, 1e-12)
        schur = {"fieldsplit_0_pc_type": "fieldsplit", "fieldsplit_0_pc_fieldsplit_type": "schur", "fieldsplit_0_fieldsplit_pressure_pc_type": "none", "ksp_type": "fgmres"}
        nested = go(scheme, SPLIT, names, schur, {"snes_view": ""})
        true(f"{name}: a split in a split, by its fields", {"fieldsplit_0_fieldsplit_velocity", "fieldsplit_0_fieldsplit_pressure"} <= set(prefixes(nested)), nested.stdout)
        same(f"{name}: a split in a split", direct, nested)
    shown()


def shown():
    """Residuals of fields and vectors by fields."""
    import h5py

    folder = run.folder("splits")
    for name, scheme in SCHEMES.items():
        go(scheme, {"snes_view_solution": f"hdf5:{folder}/{name}.h5"})
        done = go(scheme, {"snes_monitor_fields": ""}, expect=None)
        rows = re.findall(r"SNES Function norm (\S+) \[(.*)\]", done.stdout)
        if HERE["np"] > 1:
            true(f"{name}: -snes_monitor_fields is of one rank", done.rc == 1 and "-snes_monitor_fields: got it on 2 ranks" in done.stderr, done.stderr)
        else:
            off = max(abs(float(np.sqrt(sum(float(x) ** 2 for x in parts.split(",")))) / float(whole) - 1) for whole, parts in rows)
            true(f"{name}: -snes_monitor_fields: {len(rows)} norms of fields, together the whole to {off:.0e}", off <= 1e-9 and all(p.count(",") == 3 for _, p in rows), done.stdout)
        with h5py.File(f"{folder}/{name}.h5") as f:
            kept = list(f.get("vertex_fields", {"state_" + n: 0 for n in NAMES}))
        true(f"{name}: -snes_view_solution hdf5: fields by name", sorted(kept) == sorted("state_" + n for n in NAMES), str(kept))
    text = go(SCHEMES["steady"], {"dm_view": ""}).stdout
    true("-dm_view names the fields", all(f"Field {n}:" in text for n in NAMES), text)


def refused():
    for words, part in (({"pc_fieldsplit_0_fields": "velocity,pres", "pc_fieldsplit_1_fields": "2,3"}, "-pc_fieldsplit_0_fields: got 'pres', expected fields of velocity, pressure, stress_0, stress_1"),
                        ({"pc_fieldsplit_0_fields": "0-1", "pc_fieldsplit_1_fields": "2,4"}, "-pc_fieldsplit_1_fields: got field 4, expected numbers from 0 to 3"),
                        ({"pc_fieldsplit_0_fields": "velocity,pressure", "pc_fieldsplit_1_fields": "stress_1"}, "got stress_0 0 times in 2 splits"),
                        ({"pc_fieldsplit_0_fields": "0,1,2", "pc_fieldsplit_1_fields": "2,3"}, "got stress_0 2 times in 2 splits"),
                        ({"pc_fieldsplit_0_fields": ",".join(["velocity"] * 113) + ",pressure", "pc_fieldsplit_1_fields": "2,3"}, "-pc_fieldsplit_0_fields: got 1023 characters or more, expected fewer"),
                        ({"pc_fieldsplit_0_fields": "0-3"}, "in 1 splits, expected every field once in two splits or more"),
                        ({"fieldsplit_polymer_pc_type": "lu"}, "Unknown option: got -fieldsplit_polymer_pc_type"),
                        ({"pc_fieldsplit_groups": "", "pc_fieldsplit_0_fields": "0"}, "Unknown option: got -pc_fieldsplit_0_fields"),
                        ({"pc_type": "patch"}, "-pc_type: got patch"), ({"fieldsplit_velocity_pc_type": "patch"}, "-fieldsplit_velocity_pc_type: got patch"),
                        ({"snes_type": "nasm"}, "-snes_type: got nasm"), ({"snes_type": "fas", "snes_fas_levels": "2"}, "-snes_fas_levels: got 2")):
        for scheme in SCHEMES.values():
            result = go(scheme, SPLIT, words, expect=None)
            lines = result.stderr.splitlines()
            true(f"{scheme['scheme']}, {words}: {lines[0][17:] if lines else result.rc}", result.rc == 1 and len(lines) == 1 and part in lines[0], result.stdout + result.stderr)


def others():
    steady, count = SCHEMES["steady"], {"ksp_converged_reason": "", "ksp_max_it": "2000"}
    bjacobi = go(steady, count, {"pc_type": "bjacobi"})
    for words in {"pc_type": "telescope"}, {"pc_type": "asm"}, {"pc_type": "gasm"}, {"pc_type": "composite", "pc_composite_pcs": "bjacobi"}, {"pc_type": "renew", "renew_pc_type": "bjacobi"}:
        other = go(steady, count, words)
        same(f"{words['pc_type']}, {solves(other)} iterations", bjacobi, other)
        if words["pc_type"] == "composite":
            true("those of bjacobi", solves(other) == solves(bjacobi) != [], other.stdout)
    for name, scheme in SCHEMES.items():
        many = {k: v for k, v in scheme.items() if k != "pc_renew"}
        for rule, most in ({"pc_renew": "interval", "pc_renew_interval": "2"}, 2), ({"pc_renew": "iterations", "pc_renew_a": "1e6", "pc_renew_b": "1"}, 100), ({"pc_renew": "demand", "pc_renew_x": "0"}, 1):
            kept = go(many, {"pc_type": "renew", "renew_pc_type": "lu" if HERE["np"] == 1 else "bjacobi", "ksp_max_it": "2000"}, rule)
            line = re.search(r"-pc_type renew \((\w+)\): (\d+) set-ups, \S+ s; (\d+) solves", kept.stdout)
            true(f"{name}: PC renew at the top takes -pc_renew {rule['pc_renew']} for itself: {line and line.groups()}",
                 line and line[1] == rule["pc_renew"] and "preconditioner (always)" in kept.stdout and (most == 1 or int(line[2]) == -(-int(line[3]) // most)) and (int(line[2]) > 1 or most > 1), kept.stdout + kept.stderr)
    inner = go(steady, {"pc_type": "renew", "renew_pc_type": "fieldsplit", "ksp_max_it": "2000", "snes_view": ""})
    true("PC renew hands the DM on", [f"renew_fieldsplit_{n}" for n in NAMES] == prefixes(inner)[:4], inner.stdout)
    dye = {"physics": "newtonian,oldroydb,passive", "physics_passive_diffusivity": "0.1", "bc_top_concentration": "value 1", "bc_bottom_concentration": "value 0"}
    for solver in "split", "points":
        split = go(steady, count, dye, {"solver": solver, "snes_view": ""})
        same(f"{solver} with a scalar field", go(steady, dye), split)
        true(f"{solver}: its splits", [p for p in prefixes(split) if p.count("_") == 1] == ["fieldsplit_polymer", "fieldsplit_flow", "fieldsplit_scalars"], split.stdout)


if __name__ == "__main__":
    HERE.update(device=sys.argv[2] if len(sys.argv) > 2 else "cpu", np=int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    try:
        globals()[sys.argv[1]]()
    except run.Failure as failure:
        sys.exit(f"FAILED: {failure}")

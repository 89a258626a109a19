"""A format of output from outside: one text a time, beside the fields or alone. output.py cpu|cuda"""
import os
import sys

import common
import numpy as np
import run
from gate import Gate, largest

FLOW = [*common.plugin("outside_text"), "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss", "-mesh_box_faces", "7,6", "-bc_left_type", "inlet",
        "-bc_left_velocity", "6*y*(1-y)*(1+t),0", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_right_type", "outlet", "-initial_velocity", "6*y*(1-y),0",
        "-scheme_lumped_dt", "0.002", "-output_every", "3", "-stop_steps", "7"]


def case(device, *words, **keywords):
    return common.rheoplex("run", "-case_name", "o", *FLOW, *words, "-device", device, out=run.folder("text"), **keywords)


def texts(result):
    return {f[2:-4]: [float(v) for v in open(f"{result.out}/{f}").read().split()] for f in sorted(os.listdir(result.out)) if f.endswith(".txt")}


def modes(gate):
    """Of a mode, which is no state, `rheoplex eigen` writes nothing in this format."""
    done = common.rheoplex("eigen", "-case_name", "m", *common.plugin("outside_text"), "-physics", "newtonian", "-physics_newtonian_viscosity", "1", "-stabiliser", "split_oss",
                           "-mesh_box_faces", "4,3", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_left_type", "wall", "-bc_right_type", "wall", "-scheme", "steady",
                           "-device", "cpu", "-output_formats", "outside_text,vtu", "-eigen_number", "1", out=run.folder("modes"), expect=None)
    if "this build has no SLEPc" in done.stderr:
        return
    names = os.listdir(done.out)
    gate.true("a mode: fields alone", done.rc == 0 and "m_mode_real_000000.vtu" in names and not [f for f in names if "_mode_" in f and f.endswith(".txt")])
    gate.true("and a sentence", "m_mode_real: not written in the format 'outside_text'" in done.stdout)


def main(device):
    gate = Gate(f"extensions_output_{device}")
    both = case(device, "-output_formats", "vtu,outside_text", "-output_outside_text_digits", "12")
    alone = case(device, "-output_formats", "outside_text", np=2)
    files = texts(both)
    gate.true("a file a time", list(files) == ["000000", "000003", "000006", "000007"])
    gate.true("counted", [f[2] for f in files.values()] == [1, 2, 3, 4] and [f[0] for f in files.values()] == [0, 3, 6, 7])
    gate.at_most("the last is the state's largest", float(np.abs(np.array(files["000007"][3:]) - both.checkpoint().max(axis=0)).max()), 1e-10)
    gate.true("fields beside it", len([f for f in os.listdir(both.out) if f.endswith(".vtu")]) == 4 and os.path.exists(f"{both.out}/o.pvd"))
    gate.true("alone: no fields", not [f for f in os.listdir(alone.out) if f.endswith((".vtu", ".pvd", ".tmp"))] and len(texts(alone)) == 4)
    gate.at_most("np 2: as np 1", largest(float(np.abs(np.array(texts(alone)[k]) - np.array(files[k])).max()) for k in files), 1e-8)
    for words, sentence in ((["-output_formats", "vtx"], "unknown format of output 'vtx', did you mean 'vtu'?"), (["-output_formats", "vtu,vtu"], "got 'vtu' twice"),
                            (["-output_formats", "vtu", "-output_outside_text_digits", "3"], "output_outside_text_digits")):
        done = case("cpu", *words, expect=None)
        gate.true(f"refused: {' '.join(words)}", done.rc != 0 and sentence in done.stderr)
    if device == "cpu":
        modes(gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))

"""One point a simplex (-form_quadrature centroid) beside as many as nodes, on manufactured flows of an Oldroyd-B fluid and, in the
plane, of two modes with slip under full gls: errors and orders side by side; what is refused. quadrature.py <cell>"""
import sys

import manufactured
import run
from gate import Gate

CENTROID = ["-form_quadrature", "centroid"]
MOST = 1.005  # of full's errors


def compare(gate, dim, cell, variable, meshes):
    rows = {q: [manufactured.errors(dim, cell, n, 0.2, variable, "-form_quadrature", q) for n in meshes] for q in ("full", "centroid")}
    for name, k, least in (("velocity", 0, 1.8 if variable == "gls" else 1.9), ("pressure", 1, 1.0), ("conformation", 2, 1.4)):
        full, centroid = ([row[k] for row in rows[q]] for q in ("full", "centroid"))
        gate.order(f"{name}, {variable}, full", meshes, full, 0.0)
        gate.order(f"{name}, {variable}", meshes, centroid, least)
        gate.at_most(f"{name}, {variable}: error over full's", centroid[-1] / full[-1], MOST)
        gate.true(f"{name}, {variable}: not the same numbers", variable == "stress" or centroid[-1] != full[-1])


def refusals(gate):
    words = manufactured.case(2, "stress")
    for changes, expected in ((["-mesh_box_cell", "quadrilateral"], "a mesh without triangles"), (["-mesh_box_cell", "triangle", "-form_axisymmetric"], "an axisymmetric flow"),
                              (["-mesh_box_cell", "triangle", "-polymer_variable", "logconf"], "a polymer stress that is not linear")):
        result = run.rheoplex("run", *words, "-mesh_box_faces", "2,2", "-mesh_box_lower", "0,0.5", "-mesh_box_upper", "1,1", "-scheme_lumped_dt", 0.01, *changes, *CENTROID,
                              out=run.folder("refused"), expect=None)
        gate.refused(result, ["-form_quadrature centroid: got", expected, "expected full, or"])


def main(cell):
    dim, meshes = (2, (8, 16)) if cell == "triangle" else (3, (3, 6))
    gate = Gate(f"order_quadrature_{cell}")
    for variable in ("stress", "gls") if dim == 2 else ("stress",):
        compare(gate, dim, cell, variable, meshes)
    if dim == 2:
        refusals(gate)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

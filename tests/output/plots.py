"""plots.py <output driver>: the plot scripts draw what a run writes, and refuse what they cannot draw with one line."""
import contextlib
import io
import os
import runpy
import sys

import numpy as np
import output
import run
from gate import Gate

SCRIPTS = f"{run.SOURCE}/share/scripts"


def script(name, *arguments):
    """Runs a script in this process (one import of the libraries): exit code, text, errors."""
    out, errors, code = io.StringIO(), io.StringIO(), 0
    saved = sys.argv
    sys.argv = [f"plot_{name}.py", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            runpy.run_path(f"{SCRIPTS}/plot_{name}.py", run_name="__main__")
        except SystemExit as end:
            code = end.code or 0
    sys.argv = saved
    return code, out.getvalue(), errors.getvalue()


def draws(gate, what, name, *arguments):
    """A picture with more than a few colours at the place named."""
    from matplotlib.image import imread

    target = f"{run.folder('plots')}/picture.png"
    code, out, errors = script(name, *arguments, "-o", target)
    good = code == 0 and os.path.exists(target)
    colours = len(np.unique(imread(target).reshape(-1, 4)[::7], axis=0)) if good else 0
    gate.at_least(f"{what}: colours in the picture", colours, 20)
    if not good:
        print(out + errors)


def refuses(gate, what, words, name, *arguments):
    code, _, errors = script(name, *arguments)
    lines = errors.strip().splitlines()
    gate.true(f"{what}: one line: {lines[-1] if lines else ''}", code == 1 and len(lines) == 1 and all(w in lines[0] for w in words))


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def numbers_apart(gate):
    """Numbers at points that lie close together do not overlap."""
    import matplotlib.pyplot as plt
    import plot_wall

    figure, axis = plt.subplots(figsize=(9, 4))
    axis.plot([0, 10], [-1, 1])
    plot_wall.number_points(axis, [2.0, 2.01, 2.02, 2.5, 5.0, 9.9])
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axis.texts]
    gate.near("numbers at points", len(boxes), 6, 0)
    gate.true("none overlaps another or the title", not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]) and max(b.y1 for b in boxes) < axis.get_window_extent().y1)
    plt.close(figure)


def main():
    gate = Gate("output_plots")
    sys.path.insert(0, SCRIPTS)
    folder = run.folder("plots")
    for name in ("mixed, jittered", "periodic hexes"):
        dim, mesh = output.CASES[name]
        out = f"{folder}/{dim}d"
        output.drive("fields", "-", *output.PHYSICS, *output.MODES, *mesh, *output.state(dim), "-output_folder", out, np_=2)
        draws(gate, f"fields, {name}", "fields", out)
    draws(gate, "a section and an array by name", "fields", out, "-s", "x=0.3", "-f", "conformation_1")
    refuses(gate, "section off the mesh", ["misses the mesh", "0 to 1"], "fields", out, "-s", "x=3")
    refuses(gate, "no such array", ["got the field temperature", "expected one of "], "fields", out, "-f", "temperature")
    refuses(gate, "no series", ["*.pvd"], "fields", run.folder("plots"))

    s = np.linspace(0, 4, 41)
    rows = "".join(f"0,{v},{v},0,0,0,{np.cos(v)},1,{v},{v},0,{np.cos(v)}\n" for v in s)
    wall = write(f"{folder}/a_wall_b.csv", "part,s,x,y,wss_x,wss_y,shear_rate,pressure,s_scaled,x_scaled,y_scaled,shear_rate_scaled\n" + rows)
    write(f"{folder}/a_wall_b_points.csv", "kind,part,s,x,y,s_scaled,x_scaled,y_scaled\nseparation,0,1.57,1.57,0,1.57,1.57,0\nreattachment,0,1.58,1.58,0,1.58,1.58,0\n")
    draws(gate, "wall with reference points", "wall", wall, "-r", f"{run.SOURCE}/share/reference/aaa_points.csv", "-s", "re=50")
    refuses(gate, "reference without such rows", ["no row fits"], "wall", wall, "-r", f"{run.SOURCE}/share/reference/aaa_points.csv", "-s", "re=51")
    history = write(f"{folder}/a_history.csv", "step,t,du_dt,mass_error,min_eigenvalue\n" + "".join(f"{k},{k / 10},{2.0**-k},{-1e-3 / k},{1 - k / 99}\n" for k in range(1, 40)))
    draws(gate, "history", "history", history)
    spectrum = write(f"{folder}/a_spectrum.csv", "mode,shift_real,shift_imaginary,growth_rate,angular_frequency,residual\n0,0,0.7,0.01,0.74,1e-12\n1,0,0.7,-0.2,0.9,0\n")
    draws(gate, "spectrum", "spectrum", spectrum)
    rough = write(f"{folder}/b_spectrum.csv", "mode,shift_real,shift_imaginary,growth_rate,angular_frequency,residual,roughness\n0,0,0.7,0.01,0.74,1e-12,0.03\n1,0,0.7,-0.2,0.9,0,0.98\n")
    draws(gate, "spectrum with a rough mode", "spectrum", rough)
    refuses(gate, "a history is no spectrum", ["expected also shift_real"], "spectrum", history)
    refuses(gate, "a history is no wall", ["expected also"], "wall", history)
    refuses(gate, "a word for a number", ["data row 2", "t: got \"x\""], "history", write(f"{folder}/bad.csv", "t,du_dt\nx,1\n"))
    numbers_apart(gate)
    for name in ("fields", "wall", "history"):
        gate.true(f"plot_{name}.py --help", "usage" in script(name, "--help")[1])
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())

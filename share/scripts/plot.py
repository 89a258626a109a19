#!/usr/bin/env python3
"""Pictures of a run: `rheoplex plot <folder>` draws all that fits it, `rheoplex plot <folder> <kind> [options]` one kind:

  fields      a plane flow: any component or magnitude, N1, vorticity, streamfunction; times side by side; animation
  space       a flow in space: slices, walls by shear rate or stress, streamtubes; surfaces of the wall diagnostics
  profile     fields along lines, with reference data
  history     residuals, limits of the time step, conformation, mass error
  tables      forces, probes and other diagnostics over time, with reference lines
  wall        wall shear stress along a plane wall
  along       what the run wrote along lines and walls: profiles, averages of wall shear stress
  spectrum    modes that `rheoplex eigen` found: growth rates over frequencies
  rheometer   tables of `rheoplex rheometer`

`rheoplex plot <folder> <kind> --help` tells the options of a kind."""
import importlib
import importlib.util
import os
import sys

KINDS = ("fields", "space", "profile", "history", "tables", "wall", "along", "spectrum", "rheometer")
NEEDED = {"numpy": "numpy", "scipy": "scipy", "matplotlib": "matplotlib", "vtkmodules": "vtk"}


def complain(text):
    print(f"rheoplex plot: error: {text}", file=sys.stderr)
    return 1


def draw(kind, words):
    module = importlib.import_module(f"plot_{kind}")
    sys.argv = [f"rheoplex plot {kind}", *words]
    module.main()


def kinds_of(folder):
    """What a folder of results can show, with its words."""
    import plot_along
    import plot_fields
    import results

    names = sorted(os.listdir(folder))
    series = [f"{folder}/{name}" for name in names if name.endswith(".pvd")]
    for path in series:
        grid = plot_fields.read(results.series(path)[-1][0])
        low, high = grid.GetBounds()[4:]
        yield ("space" if high > low or grid.GetPointData().HasArray("wall_shear_stress") else "fields"), [path]
    if any(name.endswith("_history.csv") for name in names):
        yield "history", [folder]
    along = False
    for name in names:
        if not name.endswith(".csv") or name.endswith(("_history.csv", "_points.csv")):
            continue
        header = results.text_rows(f"{folder}/{name}")[0]
        if {"wss_x", "x_scaled"} <= set(header) and "z" not in header:
            yield "wall", [f"{folder}/{name}"]
        elif plot_along.is_along(header):
            along = True
        elif {"osi", "z"} <= set(header) and (surface := f"{name[:-len('.csv')]}.vtu") in names:
            yield "space", [f"{folder}/{surface}"]
            yield "space", [f"{folder}/{surface}", "-f", "osi", "-o", f"{folder}/{name[:-len('.csv')]}_osi_space.png"]
        elif {"growth_rate", "shift_real"} <= set(header):
            yield "spectrum", [f"{folder}/{name}"]
        elif header[:2] == ["step", "t"]:
            yield "tables", [f"{folder}/{name}"]
    if along:
        yield "along", [folder]


def main():
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    missing = [package for module, package in NEEDED.items() if not importlib.util.find_spec(module)]
    if missing:
        here = os.path.dirname(os.path.abspath(__file__))
        return complain(f"{sys.executable} has no {', '.join(missing)}: pip install -r {here}/requirements.txt in an environment, whose Python RHEOPLEX_PYTHON names")
    kind = next((word for word in (*words[1:2], words[0]) if word in KINDS), None)
    if kind is None and len(words) == 1 and os.path.isdir(words[0]):
        found = list(kinds_of(words[0].rstrip("/")))
        if not found:
            return complain(f"{words[0]}: got a folder without results, expected the output folder of a run")
        for one, more in found:
            draw(one, more)
        return 0
    if kind is None:
        return complain(f"got '{words[1] if words[1:] and words[1][0] != '-' else ' '.join(words)}', expected the output folder of a run, then one of {', '.join(KINDS)}")
    draw(kind, [words[0], *words[2:]] if kind in words[1:2] else words[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Draws tables of `rheoplex rheometer`: flow curves, moduli, stress against time, loops of oscillatory shear."""
import argparse
import os

import matplotlib.pyplot as plt
import numpy as np
import results

UNITS = {"rate": "rate, 1/s", "frequency": "angular frequency, rad/s", "time": "time, s", "shear": "shear", "strain": "strain",
         "amplitude": "amplitude", "shear_stress": "shear stress, Pa", "viscosity": "viscosity, Pa s", "modulus": "relaxation modulus, Pa",
         "first_normal_difference": "first normal stress difference, Pa", "second_normal_difference": "second normal stress difference, Pa",
         "stress_difference": "stress difference, Pa", "second_stress_difference": "second stress difference, Pa",
         "extensional_viscosity": "extensional viscosity, Pa s", "storage_modulus": "storage modulus, Pa", "loss_modulus": "loss modulus, Pa",
         "complex_viscosity": "complex viscosity, Pa s", "tan_delta": "tan delta"}
# first columns of a table -> what is drawn against what, in panels
KINDS = [
    (("amplitude", "frequency", "time"), "shear", [["shear_stress"], ["first_normal_difference"]]),
    (("rate", "time"), "time", [["viscosity"], ["extensional_viscosity"], ["first_normal_difference"], ["second_stress_difference"]]),
    (("strain", "time"), "time", [["modulus"], ["stress_difference"], ["first_normal_difference"]]),
    (("frequency",), "frequency", [["storage_modulus", "loss_modulus"], ["complex_viscosity"]]),
    (("rate",), "rate", [["viscosity"], ["extensional_viscosity"], ["shear_stress", "first_normal_difference", "second_normal_difference"],
                         ["stress_difference", "second_stress_difference"]]),
]


def kind_of(path, data):
    names = tuple(data)
    for first, against, panels in KINDS:
        if names[:len(first)] == first:
            return first, against, [kept for panel in panels if (kept := [n for n in panel if n in data])]
    results.fail(f"{path}: got columns {', '.join(names)}; expected a table of `rheoplex rheometer`")


def lines(data, first):
    """Rows of each run of the table: one line a rate, strain or pair of amplitude and frequency."""
    if "time" not in first:
        yield "", slice(None)
        return
    controls = np.array([data[name] for name in first[:-1]]).T
    for control in np.unique(controls, axis=0):
        label = ", ".join(f"{name} {value:.3g}" for name, value in zip(first, control))
        yield label, (controls == control).all(axis=1)


def draw_panel(axis, tables, names, first, against, linear):
    for path, data in tables:
        for label, rows in lines(data, first):
            for name in names:
                x, y = data[against][rows], data[name][rows]
                if not linear:
                    good = (np.abs(y) > 0) & (x > 0)
                    x, y = x[good], np.abs(y[good])
                words = [os.path.basename(path)[:-len(".csv")] if len(tables) > 1 else "", label, UNITS[name].split(",")[0] if len(names) > 1 else ""]
                if x.size:
                    axis.plot(x, y, label=", ".join(w for w in words if w), linewidth=1.2, marker="." if x.size < 30 else None)
    axis.set_xlabel(UNITS[against])
    axis.set_ylabel(UNITS[names[0]] if len(names) == 1 else "stress, Pa")
    if not linear:
        axis.set_xscale("log")
        axis.set_yscale("log")
    axis.grid(alpha=0.3)
    if axis.get_legend_handles_labels()[1] not in ([], [""]):
        axis.legend(fontsize=7)


def draw(paths, output, linear):
    tables = [(path, results.table(path)) for path in paths]
    kinds = [kind_of(path, data) for path, data in tables]
    if any(kind != kinds[0] for kind in kinds):
        results.fail(f"tables of different kinds: {', '.join(paths)}; expected the same protocol and kind of flow")
    first, against, panels = kinds[0]
    figure, axes = plt.subplots(1, len(panels), figsize=(5 * len(panels), 4), squeeze=False)
    for axis, names in zip(axes[0], panels):
        draw_panel(axis, tables, names, first, against, linear or against == "shear")
    results.save(figure, output or paths[0][:-len(".csv")] + ".png")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", nargs="+", help="tables of one protocol, -rheometer_output; several are drawn together")
    parser.add_argument("-l", "--linear", action="store_true", help="linear axes (default: logarithmic, sizes without sign)")
    parser.add_argument("-o", "--output", help="picture (default: beside the first table)")
    arguments = parser.parse_args()
    draw([p for path in arguments.table for p in results.inputs(path, ".csv")], arguments.output, arguments.linear)


if __name__ == "__main__":
    main()

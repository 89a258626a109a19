#!/usr/bin/env python3
"""Draws the history of a run: residuals, time-step limits, conformation health, mass error."""
import os

import matplotlib.pyplot as plt
import numpy as np
import results

PANELS = [
    ("rate of change", True, [("du_dt", "max |du/dt|, U$^2$/D"), ("dc_dt", "max |dc/dt|, U/D"), ("continuity_residual", "continuity residual, U/D")]),
    ("dt times rate", True, [("cfl_convective", "convective (CFL)"), ("cfl_viscous", "viscous"), ("cfl_elastic", "elastic"), ("cfl_relaxation", "relaxation"),
                             ("cfl_growth", "growth of waves")]),
    ("conformation", False, [("min_eigenvalue", "smallest eigenvalue of c")]),
    ("mass error", True, [("mass_error", "|outflow/inflow - 1|")]),
]


def drawable(values, log):
    """The values that can be drawn: finite, and on a logarithmic axis the sizes that are not zero."""
    good = np.isfinite(values)
    if log:
        values = np.abs(values)
        good &= values > 0
    return good, values


def draw(path, output):
    data = results.table(path, ("t",))
    panels = []
    for title, log, rows in PANELS:
        curves = [(label, *drawable(data[name], log)) for name, label in rows if name in data]
        curves = [c for c in curves if c[1].any()]
        if curves:
            panels.append((title, log, curves))
    if not panels:
        results.fail(f"{path}: got no column to draw, expected some of {', '.join(n for p in PANELS for n, _ in p[2])}")
    figure, axes = plt.subplots(len(panels), 1, sharex=True, figsize=(8, 2.2 * len(panels)), squeeze=False, layout="constrained")
    for axis, (title, log, curves) in zip(axes[:, 0], panels):
        for label, good, values in curves:
            axis.plot(data["t"][good], values[good], label=label, linewidth=1.2, marker="." if good.sum() < 5 else None)
        axis.set_ylabel(title)
        if log:
            axis.set_yscale("log")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    axes[-1, 0].set_xlabel("t, s")
    axes[0, 0].set_title(f"history of the run, case {os.path.basename(path)[:-len('_history.csv')]}", fontsize=10)
    figure.align_ylabels()
    results.save(figure, output or path[: -len(".csv")] + ".png")


def main():
    results.draw_each(__doc__, "history", "the output folder of a run", draw)


if __name__ == "__main__":
    main()

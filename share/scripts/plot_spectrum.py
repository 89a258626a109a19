#!/usr/bin/env python3
"""Draws the spectrum that `rheoplex eigen` found: growth rates over frequencies, residuals as colours, shifts as crosses."""
import os

import matplotlib.pyplot as plt
import numpy as np
import results
from matplotlib.colors import LogNorm

NEEDED = ("shift_real", "shift_imaginary", "growth_rate", "angular_frequency", "residual")
ROUGH = 0.5  # as the program has it (scheme/spectrum.h)


def draw(path, output):
    data = results.table(path, NEEDED)
    figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
    residual = np.clip(data["residual"], 1e-16, None)
    points = axis.scatter(data["angular_frequency"], data["growth_rate"], c=residual, norm=LogNorm(), cmap="viridis", s=36, zorder=3, label="modes")
    rough = data["roughness"] > ROUGH if "roughness" in data else np.zeros(len(residual), bool)
    if rough.any():
        axis.plot(data["angular_frequency"][rough], data["growth_rate"][rough], "o", markersize=11, markerfacecolor="none", color="tab:gray", zorder=2, label=f"roughness above {ROUGH}: of the mesh")
    axis.plot(data["shift_imaginary"], data["shift_real"], "x", color="tab:red", zorder=2, label="shifts")
    axis.axhline(0, color="black", linewidth=0.8)
    axis.set_xlabel("angular frequency, rad/s")
    axis.set_ylabel("growth rate, 1/s")
    axis.set_title(f"modes about the steady state, case {os.path.basename(path)[:-len('_spectrum.csv')]}", fontsize=10)
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)
    figure.colorbar(points, label="residual, 1/s")
    results.save(figure, output or path[: -len(".csv")] + ".png")


def main():
    results.draw_each(__doc__, "spectrum", "the output folder of rheoplex eigen", draw)


if __name__ == "__main__":
    main()

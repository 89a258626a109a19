"""Poiseuille flow of steady.py, channel, on triangles, in log c and on a third mesh: DEVSS with consistent projections changes little. dp/dx of an independent
code; its triangles have other diagonals, which of 28 cells add 1.3e-5 by whatever theta."""
import sys

from gate import Gate
from steady import middle

TABLE = {("quadrilateral", 0): (-0.749903, 2e-6), ("quadrilateral", 1): (-0.75000004, 5e-8), ("triangle", 0): (-0.749893, 1.5e-5), ("triangle", 1): (-0.749980, 1.5e-5)}


def main():
    gate = Gate("scheme_neutral")
    for (cell, theta), table in TABLE.items():
        name, words = f"{cell}s, theta {theta}", ("-mesh_box_cell", cell)
        fine = middle(28, theta, *words)
        gate.near(f"{name}, 28 cells: dp/dx", fine[0], *table)
        if theta == 1:
            coarse, log = middle(14, theta, *words), middle(14, theta, *words, "-polymer_variable", "logconf")
            gate.at_least(f"{name}: errors of the velocity, ratio", coarse[1] / fine[1], 3.5)
            gate.near(f"{name}, 14 cells, log c: dp/dx", log[0], coarse[0], 1e-7)
            gate.at_most(f"{name}, 14 cells, log c: error of the velocity", log[1], 4e-6 if cell == "quadrilateral" else 8e-4)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main())

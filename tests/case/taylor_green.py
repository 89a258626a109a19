"""Taylor-Green vortex at Re 100 in the cube of edge 2 pi: taylor_green.py <cell> [device]: an octant between planes of symmetry in 16^3 cubes of one hex or six tets, 32^3 of the whole cube,
against taylor_green.csv. taylor_green.py make: writes that file, by a pseudo-spectral method of 48^3 Fourier modes, 2/3 of which are kept, with Runge and Kutta's classical
method and the viscous term exactly."""
import os
import sys

import numpy as np

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "taylor_green.csv")
NU, END = 0.01, 8.0


def spectral(n, dt):
    """t, mean of u.u/2, its rate of dissipation; each step."""
    x = np.arange(n) * 2 * np.pi / n
    x, y, z = np.meshgrid(x, x, x, indexing="ij")
    k, half = np.fft.fftfreq(n, 1 / n), np.fft.rfftfreq(n, 1 / n)
    wave = np.stack(np.meshgrid(k, k, half, indexing="ij"))
    square = (wave**2).sum(0)
    keep, count = (np.abs(wave) < n / 3).all(0), np.where((half == 0) | (half == n / 2), 1, 2) / n**6
    there = lambda a: np.fft.rfftn(a, axes=(1, 2, 3)) * keep
    back = lambda a: np.fft.irfftn(a, (n,) * 3, axes=(1, 2, 3))

    def rate(h):
        convection = there(np.cross(back(h), back(1j * np.cross(wave, h, axis=0)), axis=0))
        return convection - wave * ((wave * convection).sum(0) / np.where(square == 0, 1, square))

    h = there(np.stack([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x]))
    decay, rows = np.exp(-NU * square * dt / 2), []
    for step in range(round(END / dt) + 1):
        power = count * np.abs(h) ** 2
        rows.append((step * dt, 0.5 * power.sum(), NU * (square * power).sum()))
        a = rate(h)
        b = rate(decay * (h + dt / 2 * a))
        c = rate(decay * h + dt / 2 * b)
        d = rate(decay * (decay * h + dt * c))
        h = decay * (decay * (h + dt / 6 * a) + dt / 3 * (b + c)) + dt / 6 * d
    return np.array(rows)


def make():
    table = spectral(48, 0.04)
    with open(TABLE, "w") as f:
        f.write("# Taylor-Green vortex, Re 100, by tests/case/taylor_green.py make: 48^3 Fourier modes, time steps of 0.04\nt,energy,dissipation\n")
        f.writelines("{:.2f},{:.9f},{:.9f}\n".format(*row) for row in table)


def mean(fields):
    """Of u.u/2 by the trapezoidal rule, which is exact for what the nodes resolve."""
    half = ((fields.points > 1e-9) & (fields.points < np.pi - 1e-9)).astype(float) * 0.5 + 0.5
    weight = half.prod(1)
    return float((weight * 0.5 * (fields["velocity"] ** 2).sum(1)).sum() / weight.sum())


def main(cell, device="cpu"):
    import run
    from gate import Gate

    gate = Gate(f"case_taylor_green_{cell}")
    sides = [w for s in ("left", "right", "bottom", "top", "back", "front") for w in (f"-bc_{s}_type", "symmetry")]
    edge = ",".join(["3.141592653589793"] * 3)
    words = ("-case_name", "taylor_green", "-mesh_box_upper", edge, "-mesh_box_faces", "16,16,16", "-mesh_box_cell", cell, *sides, "-physics", "newtonian", "-physics_newtonian_viscosity", NU,
             "-stabiliser", "split_oss", "-initial_velocity", "sin(x)*cos(y)*cos(z),-cos(x)*sin(y)*cos(z),0", "-initial_pressure", "(cos(2*x)+cos(2*y))*(cos(2*z)+2)/16",
             "-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", 0.04, "-device", device)
    result = run.rheoplex("run", *words, "-stop_time", 7.2, "-output_every", 5, out=run.folder("taylor_green"))
    t, table = 0.2 * np.arange(37), np.loadtxt(TABLE, delimiter=",", skiprows=2)
    energy = np.array([mean(result.fields(k)) for k in range(len(t))])
    wanted = lambda column: np.interp(t, table[:, 0], table[:, column])
    gate.relative("kinetic energy at t = 0", energy[0], 0.125, 1e-9)
    gate.relative("kinetic energy at t = 4", energy[20], wanted(1)[20], 0.01 if cell == "tetrahedron" else 0.015)
    if cell != "tetrahedron":
        once = run.rheoplex("run", *words, "-stabiliser_split_oss_projection_corrections", 1, "-stop_time", 4, "-output_every", 100, out=run.folder("taylor_green"))
        gate.relative("with one correction of the projections (2 by default)", mean(once.fields(-1)), wanted(1)[20], 0.01)
    lost, expected = (-np.diff(e)[5:] / 0.2 for e in (energy, wanted(1)))
    gate.relative("largest loss of energy in 0.2 s", lost.max(), expected.max(), 0.03)
    middle = t[5:-1] + 0.1
    gate.near("its time", middle[lost.argmax()], middle[expected.argmax()], 0.41)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(make() if sys.argv[1:] == ["make"] else main(*sys.argv[1:]))

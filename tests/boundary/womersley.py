"""Womersley's flow of two harmonics and a mean through a resolved tube of tetrahedra by bdf2: velocity at all nodes and the pressure's fall over the second half,
from Bessel functions, from the exact flow of t = 0 on. womersley.py short (a period, on one and two ranks) | long (three, on 28 rows of nodes
from the axis to the wall for 20)"""
import math
import sys

import mshwrite
import numpy as np
import run
from gate import Gate, largest
from scipy.special import jv

RADIUS, RHO, NU, PERIOD = 0.5, 1.5, 0.04, 0.4
FLOW = {"mean": 0.5, 1: -0.4j, 3: 0.2}  # of exp(i k 5 pi t), m^3/s


def prism(name, n, layers, length):
    """Tetrahedra over triangles between rings that are closer towards the wall."""
    plane, triangles = mshwrite.rings(n, 0, lambda k: RADIUS * (1 - (1 - k / n) ** 1.5))
    m = len(plane)
    points = [(length * layer / layers, *x) for layer in range(layers + 1) for x in plane]
    edges, tets, sides = {}, [], {"inlet": [], "outlet": [], "wall": []}
    for t in triangles:
        a, b, c = sorted(t)
        for edge in (a, b), (b, c), (a, c):
            edges[edge] = edges.get(edge, 0) + 1
        sides["inlet"].append((a, b, c))
        sides["outlet"].append(tuple(k + m * layers for k in (a, b, c)))
        for at in range(0, m * layers, m):
            for tet in ((a, b, c, c + m), (a, b, b + m, c + m), (a, a + m, b + m, c + m)):
                tet = tuple(k + at for k in tet)
                x = np.array([points[k] for k in tet])
                tets.append(tet if np.linalg.det(x[1:] - x[0]) > 0 else (tet[1], tet[0], *tet[2:]))
    for (a, b), count in edges.items():
        for at in range(0, m * layers, m) if count == 1 else ():
            sides["wall"] += [(a + at, b + at, b + m + at), (a + at, a + m + at, b + m + at)]
    return mshwrite.solid(f"{run.folder('womersley')}/{name}.msh", points, tets, sides)


def exact(r, t):
    """Velocity and the pressure's slope."""
    s, area = r / RADIUS, math.pi * RADIUS**2
    mean = FLOW["mean"] / area
    u, slope = 2 * mean * (1 - s**2), -8 * RHO * NU * mean / RADIUS**2
    for k in (1, 3):
        w = 2 * math.pi * k / PERIOD
        z = 1j**1.5 * RADIUS * math.sqrt(w / NU)
        amplitude = FLOW[k] / area * np.exp(1j * w * t) / (1 - 2 * jv(1, z) / (z * jv(0, z)))
        u = u + (amplitude * (1 - jv(0, z * s) / jv(0, z))).real
        slope -= (RHO * 1j * w * amplitude).real
    return u, slope


def initial():
    """The exact velocity of t = 0 as a polynomial of (r/R)^2."""
    s = np.linspace(0, 1, 400)
    found = np.polynomial.Chebyshev.fit(s**2, exact(RADIUS * s, 0)[0], 14, domain=[0, 1])
    c = found.convert(kind=np.polynomial.Polynomial).coef
    missed = largest(abs(found(s**2) - exact(RADIUS * s, 0)[0]))
    text = ""
    for value in c[::-1]:
        text = f"{value:.15g}" + (f"+(y^2+z^2)*{1 / RADIUS**2!r}*({text})" if text else "")
    return text, missed


def main(which):
    gate = Gate(f"boundary_womersley_{which}")
    rows, layers, dt, end, ranks = (20, 8, 0.002, PERIOD, (1, 2)) if which == "short" else (28, 8, 0.001, 3 * PERIOD, (2,))
    velocity, missed = initial()
    gate.at_most("polynomial of the initial velocity: largest miss", missed, 1e-9)
    words = {"case_name": "womersley", "mesh_file": prism("tube", rows, layers, 0.5), "physics": "newtonian", "physics_newtonian_viscosity": RHO * NU, "form_density": RHO, "stabiliser": "split_oss", "bc_inlet_type": "inlet",
             "bc_inlet_profile": "womersley", "bc_inlet_flow_rate": "0.5+0.4*sin(5*pi*t)+0.2*cos(15*pi*t)", "bc_inlet_period": PERIOD, "bc_outlet_type": "outlet", "bc_wall_type": "wall",
             "initial_velocity": f"{velocity},0,0", "initial_pressure": f"{exact(0.0, 0)[1]:.15g}*(x-0.5)", "scheme": "fractional_step", "scheme_fractional_step_integrator": "bdf2",
             "scheme_fractional_step_dt": dt, "stop_time": end, "output_fields": "false", "device": "cpu"}
    states = []
    for np_ in ranks:
        result = run.rheoplex("run", *(w for key, value in words.items() for w in (f"-{key}", value)), out=run.folder("womersley"), np=np_)
        x, state = result.checkpoint("positions"), result.checkpoint()
        states.append(state)
        u, slope = exact(np.linalg.norm(x[:, 1:], axis=1), end)
        apart = np.abs(state[:, :3] - np.stack([u, 0 * u, 0 * u], axis=1)).max(axis=1) / np.abs(u).max()
        for place in (0, 0.25, 0.5):
            gate.at_most(f"np {np_}: velocity at {place} of 0.5 m, of the largest", float(apart[np.abs(x[:, 0] - place) < 1e-9].max()), 0.01)
        half = x[:, 0] > 0.25 - 1e-9
        gate.relative(f"np {np_}: slope of the pressure over the second half", float(np.polyfit(x[half, 0], state[half, 3], 1)[0]), float(slope), 0.01)
    if len(states) == 2:
        gate.at_most("np 2: state, from that of one rank", float(np.abs(states[1] - states[0]).max()), 1e-7)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Diagnostic scalar_flux: what the flow carries through labels, its mean and deviation, against integrals of the interpolated fields by Gauss points here:
a plane, axisymmetric and in space, one to three ranks; a flow that turns back within the label; walls; a case without a scalar field. Diagnostic scalar_diffusion in time. flux.py [cuda]: on a device, the plane; exit code 77: there is none"""
import sys

import numpy as np
import run
from gate import Gate

BASE = ["-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.7, "-physics_passive_diffusivity", 1e-3, "-form_density", 3, "-stabiliser", "split_oss",
        "-scheme_lumped_dt", 1e-9, "-stop_steps", 1, "-output_fields", "false", "-diagnostic_s_kind", "scalar_flux", "-stop_lost", 0]
GAUSS = np.polynomial.legendre.leggauss(4)


def rule(n, height=1.0):
    """Points and weights of n equal cells of 0..height."""
    x, w = GAUSS
    h = height / n
    return ((np.arange(n)[:, None] + (x + 1) / 2) * h).ravel(), np.tile(w * h / 2, n)


def expect(u, c, w):
    through = np.sum(np.abs(u) * w)
    mean = np.sum(np.abs(u) * c * w) / through
    return np.sum(u * c * w), mean, np.sqrt(np.sum(np.abs(u) * (c - mean) ** 2 * w) / through)


def interpolate(f, n, y, height=1.0):
    at = np.linspace(0, height, n + 1)
    return np.interp(y, at, f(at))


def case(gate, what, options, want, np_=1, tol=1e-6, labels=("right", "left")):
    result = run.rheoplex("run", *BASE, *options, "-diagnostic_s_label", ",".join(labels), out=run.folder("scalars_flux"), np=np_)
    table = result.table("_s.csv")
    got = {label: [float(table[f"{label}_concentration_{end}"][-1]) for end in ("flux", "mean", "deviation")] for label in labels}
    for label, values in want.items():
        for end, value, expected in zip(("flux", "mean", "deviation"), got[label], values):
            gate.near(f"{what}: {label} {end}", value, expected, tol * (abs(expected) + 1e-3))
    return result


def uptake(gate, device="cpu"):
    """scalar_diffusion in time, between walls whose values swing: what the labels let in is what the domain takes up."""
    walls = ["-bc_left_type", "wall", "-bc_right_type", "wall", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_left_concentration", "value 1+sin(9*t)", "-bc_top_concentration", "flux 0.3*x", "-bc_right_concentration", "value 0"]
    for scheme, words in {"bdf2": ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "bdf2", "-scheme_fractional_step_dt", 1e-3], "lumped": ["-scheme", "lumped", "-scheme_lumped_dt", 1e-3, "-scheme_lumped_stepper", "heun"],
                          "monolithic": ["-scheme", "monolithic", "-scheme_monolithic_dt", 1e-3]}.items():
        result = run.rheoplex("run", "-mesh_box_faces", "8,5", "-mesh_box_cell", "mixed", "-mesh_box_jitter", 0.1, "-physics", "newtonian,passive", "-physics_newtonian_viscosity", 0.7, "-physics_passive_diffusivity", 0.3, "-form_density", 3,
                              "-stabiliser", "split_oss", *walls, *words, "-stop_steps", 40, "-output_fields", "false", "-diagnostic_d_kind", "scalar_diffusion", "-diagnostic_d_label", "left,right,top,bottom", "-diagnostic_i_kind", "integral",
                              "-diagnostic_i_fields", "concentration", "-device", device, out=run.folder("scalars_uptake"))
        t, held = (result.table("_i.csv")[name] for name in ("t", "concentration_integral"))
        out = sum(result.table("_d.csv")[f"{side}_concentration_diffusion"] for side in ("left", "right", "top", "bottom"))
        rate = (held[2:] - held[:-2]) / (t[2:] - t[:-2])
        gate.at_most(f"{scheme}: what is taken up, less what the labels let in, over that", float(np.abs(rate + out[1:-1])[20:].max() / np.abs(rate[20:]).max()), 3e-3)


def main(device="cpu"):
    gate = Gate("scalars_flux" + ("" if device == "cpu" else "_device"))
    n = 7
    y, w = rule(n)
    speed, field = lambda y: 6 * y * (1 - y) * (1 + y / 3), lambda y: 0.3 + y * y
    text = ["-initial_velocity", "6*y*(1-y)*(1+y/3),0", "-initial_concentration", "0.3+y^2", "-bc_bottom_type", "wall", "-bc_top_type", "wall", "-bc_right_type", "outlet"]
    inlet = ["-bc_left_type", "inlet", "-bc_left_velocity", "6*y*(1-y)*(1+y/3),0", "-bc_left_concentration", "value 0.3+y^2"]
    if device == "cuda":
        words = ["-mesh_box_faces", f"5,{n}", *text, *inlet, "-device", "cuda"]
        if "No device to compute on" in run.rheoplex("run", *BASE, *words, "-diagnostic_s_label", "right", out=run.folder("scalars_flux"), expect=None).stderr:
            return 77
        flux, mean, deviation = expect(interpolate(speed, n, y), interpolate(field, n, y), w)
        uptake(gate, device)
        for ranks in (1, 2):
            case(gate, f"device, {ranks} ranks", words, {"right": (flux, mean, deviation), "left": (-flux, mean, deviation)}, ranks)
        return gate.finish()
    uptake(gate)
    flux, mean, deviation = expect(interpolate(speed, n, y), interpolate(field, n, y), w)
    for cell in ("quadrilateral", "triangle"):
        for ranks in (1, 3):
            case(gate, f"plane, {cell}, {ranks} ranks", ["-mesh_box_faces", f"5,{n}", "-mesh_box_cell", cell, *text, *inlet], {"right": (flux, mean, deviation), "left": (-flux, mean, deviation)}, ranks)
    result = case(gate, "walls", ["-mesh_box_faces", f"5,{n}", *text, *inlet], {}, labels=("top", "right"))
    top = [float(result.table("_s.csv")[f"top_concentration_{end}"][-1]) for end in ("flux", "mean", "deviation")]
    gate.true(f"walls: nothing passes, no mean: {top}", top[0] == 0 and np.isnan(top[1:]).all())
    rest = case(gate, "walls, settled", ["-mesh_box_faces", f"5,{n}", *text, *inlet, "-stop_steps", 30, "-stop_settled", "s:0.1:5e-9"], {}, labels=("top", "right"))
    gate.true("walls: what has no value does not keep a run from its end", "settled: -stop_settled s:0.1:5e-9" in rest.stdout)
    units = open(result.file("_units.csv")).read()
    gate.true("units", all(line in units for line in ("s,right_concentration_flux,m^2/s", "s,right_concentration_mean,1", "s,right_concentration_deviation,1")))

    turns = ["-mesh_box_faces", "5,8", "-initial_velocity", "0.5-y,0", "-initial_concentration", "0.3+y^2", "-bc_left_type", "outlet",
             "-bc_right_type", "outlet", "-bc_bottom_type", "symmetry", "-bc_top_type", "symmetry"]
    y, w = rule(8)
    case(gate, "a flow that turns back", turns, {"right": expect(0.5 - y, interpolate(field, 8, y), w)})

    y, w = rule(n, 0.8)
    half = ["-mesh_box_upper", "1,0.8", "-mesh_box_faces", f"5,{n}", "-form_axisymmetric", "true", "-initial_velocity", "1-y^2,0", "-initial_concentration", "0.3+y^2", "-bc_left_type", "inlet",
            "-bc_left_velocity", "1-y^2,0", "-bc_left_concentration", "value 0.3+y^2", "-bc_bottom_type", "symmetry", "-bc_top_type", "moving_wall", "-bc_top_velocity", "1-y^2,0", "-bc_right_type", "outlet"]
    want = expect(interpolate(lambda r: 1 - r * r, n, y, 0.8), interpolate(field, n, y, 0.8), 2 * np.pi * y * w)
    result = case(gate, "axisymmetric", half, {"right": want[:2]})
    gate.near("axisymmetric: deviation", float(result.table("_s.csv")["right_concentration_deviation"][-1]), want[2], 1e-3 * want[2])
    gate.true("axisymmetric: units", "s,right_concentration_flux,m^3/s" in open(result.file("_units.csv")).read())

    (y, wy), (z, wz) = rule(4), rule(3)
    f, g = interpolate(lambda y: y * (1 - y), 4, y), interpolate(lambda z: z * (1 - z), 3, z)
    c = interpolate(field, 4, y)[:, None] + interpolate(lambda z: 0.5 * z * z, 3, z)[None, :]
    flow, scalar = "16*y*(1-y)*z*(1-z),0,0", "0.3+y^2+0.5*z^2"
    space = ["-mesh_box_faces", "3,4,3", "-initial_velocity", flow, "-initial_concentration", scalar, "-bc_left_type", "inlet", "-bc_left_velocity", flow, "-bc_left_concentration", f"value {scalar}",
             *(word for side in ("bottom", "top", "back", "front") for word in (f"-bc_{side}_type", "wall")), "-bc_right_type", "outlet"]
    case(gate, "space, 2 ranks", space, {"right": expect(16 * f[:, None] * g[None, :], c, wy[:, None] * wz[None, :])}, 2)

    words = [str(word).replace("newtonian,passive", "newtonian") for word in BASE if not str(word).startswith("-physics_passive")]
    words.remove("0.001")
    alone = run.rheoplex("run", *words, "-diagnostic_s_label", "right", "-mesh_box_faces", "3,3", *text[:2], *text[4:], *inlet[:4], out=run.folder("scalars_flux"), expect=1)
    gate.true(f"without a scalar field: {alone.stderr}", "got scalar_flux without a scalar field" in alone.stderr and "-diagnostic_s_kind" in alone.stderr)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

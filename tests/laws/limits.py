"""Laws where their parameters make another law of them: a channel at rho 3 is that of the other law by explicit steps, by implicit ones and in the steady state. limits.py viscous|polymer"""
import sys

import numpy as np
import run
from gate import Gate, largest

CHANNEL = {"case_name": "limit", "device": "cpu", "mesh_box_lower": "0,0", "mesh_box_upper": "1.6,0.8", "mesh_box_faces": "6,5", "mesh_box_cell": "mixed", "mesh_box_jitter": 0.2,
           "form_density": 3, "bc_left_type": "inlet", "bc_left_velocity": "6*y*(0.8-y),0", "bc_right_type": "outlet", "bc_bottom_type": "wall", "bc_top_type": "wall", "output_fields": "false"}
ROOM = {**CHANNEL, "mesh_box_lower": "0", "mesh_box_upper": "1.6,0.8,0.7", "mesh_box_faces": "3,3,3", "mesh_box_cell": "tetrahedron", "bc_left_velocity": "60*y*(0.8-y)*z*(0.7-z),0,0",
        "bc_front_type": "wall", "bc_back_type": "wall"}
SCHEMES = {"heun": {"scheme": "fractional_step", "scheme_fractional_step_integrator": "heun", "scheme_fractional_step_dt": 0.002, "stop_steps": 5, "pressure_ksp_rtol": 1e-12},
           "monolithic": {"scheme": "monolithic", "scheme_monolithic_dt": 0.02, "stop_steps": 3, "snes_rtol": 1e-11, "ksp_rtol": 1e-10}, "steady": {"scheme": "steady", "snes_rtol": 1e-11, "ksp_rtol": 1e-10}}
ETA = 0.35
VISCOUS = {"carreau_yasuda": {"viscosity": ETA, "lambda": 0.3, "n": 1}, "cross": {"viscosity": ETA, "viscosity_inf": ETA, "lambda": 0.3, "m": 0.7}, "power_law": {"consistency": ETA, "n": 1, "viscosity_max": 1e3},
           "herschel_bulkley": {"consistency": ETA, "n": 1, "yield_stress": 0, "m": 100, "viscosity_max": 1e3}, "casson": {"viscosity": ETA, "yield_stress": 0, "m": 100}}
MODES = {"modes": 2, "viscosity": "0.3,0.2", "lambda": "0.25,0.05"}
POLYMER = {"giesekus": {"alpha": 0}, "ptt": {"epsilon": 0}, "johnson_segalman": {"xi": 0}, "white_metzner": {"time": 0.2, "n": 1}}


def flow(physics, parameters, scheme, np_=1, where=CHANNEL, **words):
    laws = {f"physics_{law}_{name}": value for law, values in parameters.items() for name, value in values.items()}
    line = [w for key, value in {**where, "physics": physics, **laws, **SCHEMES[scheme], **words}.items() for w in (f"-{key}", value)]
    return run.rheoplex("run", *line, out=run.folder("laws"), np=np_, timeout=200).checkpoint()


def compare(gate, what, found, wanted):
    gate.at_most(f"{what}, of the largest of each field", largest(np.abs(found - wanted).max(axis=0) / np.maximum(np.abs(wanted).max(axis=0), 1e-3)), 1e-8)


def viscous(gate):
    for scheme in SCHEMES:
        wanted = flow("newtonian", {"newtonian": {"viscosity": ETA}}, scheme)
        gate.at_least(f"{scheme}: largest pressure", float(np.abs(wanted[:, 2]).max()), 0.1)
        for law, values in VISCOUS.items():
            compare(gate, f"{scheme}: {law} less newtonian", flow(law, {law: values}, scheme), wanted)
    wanted = flow("newtonian", {"newtonian": {"viscosity": ETA}}, "monolithic", where=ROOM)
    compare(gate, "monolithic in space, 3 ranks: casson less newtonian", flow("casson", {"casson": VISCOUS["casson"]}, "monolithic", 3, where=ROOM), wanted)


def polymer(gate):
    solvent = {"newtonian": {"viscosity": ETA}}
    for variable in "stress", "logconf":
        words = {"polymer_variable": variable, "stabiliser": "devss,split_oss", "stabiliser_devss_theta": 0.5, "bc_left_polymer": "rest"}
        for scheme in "heun", "monolithic":
            wanted = flow("newtonian,oldroydb", {**solvent, "oldroydb": MODES}, scheme, **words)
            gate.at_least(f"{variable}, {scheme}: largest of the second mode", float(np.abs(wanted[:, 6:]).max()), 0.01)
            for law, values in POLYMER.items():
                compare(gate, f"{variable}, {scheme}: {law} less oldroydb", flow(f"newtonian,{law}", {**solvent, law: {**MODES, **values}}, scheme, 2 if law == "ptt" else 1, **words), wanted)


def main(check):
    gate = Gate(f"laws_limits_{check}")
    {"viscous": viscous, "polymer": polymer}[check](gate)
    return gate.finish()


sys.exit(main(sys.argv[1]))

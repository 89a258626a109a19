"""Solvers of implicit schemes, -solver. solvers.py
  same <np> [points]  split, or another, finds the state of direct, in steady and monolithic runs
  colours <np>  ILU(1) by colours, of the tensors and as a smoother: the state of direct; iterations beside those of the natural order
  absent     cuDSS asked for where it is not, where it is damaged, and with a matrix on the host
  cudss      factors on a device: the state of the host, kept and renewed, a singular matrix told; 77: no cuDSS
  superlu <np>  factors of SuperLU_DIST, kept and renewed, begun anew for a projected pressure, or of no use to a flow at rest
  choice     what auto chooses and says, what is refused, options that are read late
  rescue <np> <scheme>  a cross-slot of which multigrid by fields fails: chosen by size it ends in the state of direct, by factors; asked for it stays and fails
  failures <np>  linear solves that fail in attempts at steps are told once and counted
  viscosity  without one in momentum split and points are not chosen, and refused
  pressure <np>  the derivative of the projected pressure in the matrix: the same states by fewer iterations, chosen where steps are small, refused
  space <np> the same in 3D, of hexahedra and with two modes on tetrahedra
  parts      options of a Schur complement that is chosen later are judged at the start
  turn <np>  that choice turns with the time step, there and back: states of a fixed one, iterations of the better one
  renew <np> set-ups inside splits by PC renew: fewer, and the states of always
  table [points]      iterations of split, or another, over meshes in 2D and 3D, Wi and Courant numbers (share/validate_long); needs gmsh"""
import re
import sys

import numpy as np
import run
from gate import Gate
from monolithic import channel
from steady import STEADY, drag, mixed

COUNT = ("-ksp_converged_reason",)
FIXED = (*COUNT, "-ksp_rtol", 1e-4)  # every solve as exact as the other


def iterations(result):
    """Of each linear solve; one that failed counts as infinite."""
    found = re.findall(r"Linear solve (converged|did not converge) due to \w+ iterations (\d+)", result.stdout)
    return [int(n) if how == "converged" else np.inf for how, n in found]


def same(gate, ranks, solver="split"):
    words = ("-snes_rtol", 1e-11, *FIXED)
    direct = mixed(*STEADY, *words)
    split = mixed(*STEADY, *words, "-solver", solver, np_=int(ranks))
    a, b = direct.checkpoint(), split.checkpoint()
    most = {"split": 20, "points": 40}[solver]
    gate.at_most(f"steady: difference of {solver} from direct", abs(a - b).max() / abs(a).max(), 1e-9)
    gate.at_most("steady: iterations of a solve", max(iterations(split)), most)
    step = ("-scheme_monolithic_dt", 0.1, "-snes_rtol", 1e-11, *COUNT)
    a = channel(0.1, *step).checkpoint()
    split = channel(0.1, *step, "-solver", solver, np_=int(ranks))
    gate.at_most(f"monolithic: difference of {solver} from direct", abs(a - split.checkpoint()).max() / abs(a).max(), 1e-9)
    gate.at_most("monolithic: iterations of a solve", max(iterations(split)), most)


COLOURS = [x for part in ("polymer_sub", "flow_mg_levels_sub") for x in (f"-fieldsplit_{part}_pc_factor_mat_ordering_type", "colours2")]


def colours(gate, ranks):
    words = (*STEADY, "-snes_rtol", 1e-11, *FIXED)
    direct = mixed(*words).checkpoint()
    natural, coloured = (mixed(*words, "-solver", "split", *more, np_=int(ranks)) for more in ((), COLOURS))
    gate.at_most("difference from direct", abs(coloured.checkpoint() - direct).max() / abs(direct).max(), 1e-9)
    print(f"iterations of the solves: {iterations(natural)} in the natural order, {iterations(coloured)} by colours")
    gate.at_most("iterations over those in the natural order", sum(iterations(coloured)) / sum(iterations(natural)), 1.3)
    gate.true("the factors have the order", "matrix ordering: colours2" in mixed(*STEADY, "-solver", "split", *COLOURS, "-fieldsplit_polymer_ksp_view", np_=int(ranks)).stdout)
    wrong = mixed(*STEADY, "-solver", "split", "-fieldsplit_polymer_sub_pc_factor_mat_ordering_type", "colours3", np_=int(ranks), expect=None)
    gate.true("an order that is not there is refused", wrong.rc != 0 and "colours3" in wrong.stderr)


def melt(*more, stabilisers=("devss,split_oss",), expect=0):
    """PTT without a solvent, creeping, in a channel."""
    return run.rheoplex("run", "-case_name", "melt", "-mesh_box_faces", "14,6", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "4,1", "-physics", "ptt", "-physics_ptt_viscosity", 1.7,
                        "-physics_ptt_lambda", 0.4, "-physics_ptt_epsilon", 0.2, "-polymer_variable", "logconf", "-stabiliser", *stabilisers, "-form_density", 2, "-form_convection", "false",
                        "-bc_left_type", "inlet", "-bc_left_flow_rate", 1.5, "-bc_right_type", "outlet", "-bc_top_type", "wall", "-bc_bottom_type", "wall", *STEADY, *more, out=run.folder("melt"), expect=expect)


def viscosity(gate):
    """Multigrid and incomplete factors want a viscosity of momentum: of a solvent or by DEVSS."""
    large = melt("-mesh_box_faces", "180,90", "-snes_max_it", 1, expect=None)
    gate.true("large, without it: direct, with the remedy", re.search(r"^solver direct: \d+ nodes in 2D, more than \d+, but a polymer without a solvent, .*; split would want -stabiliser_devss_theta 1 \(-solver auto\)$", large.stdout, re.M))
    coupled = ("-stabiliser_devss_theta", 0.6, "-snes_rtol", 1e-11)
    direct, split = (melt(*coupled, *words).checkpoint() for words in ((), ("-solver", "split")))
    gate.at_most("with DEVSS: difference of split from direct", abs(split - direct).max() / abs(direct).max(), 1e-8)
    large = melt(*coupled, "-mesh_box_faces", "180,90", "-snes_max_it", 1, expect=None)
    gate.true("large, with DEVSS: split", "solver split: " in large.stdout)
    for solver in "split", "points":
        for stabilisers, remedy in ((("devss,split_oss",), "or -stabiliser_devss_theta 1"), (("split_oss",), "or a -stabiliser of the coupling of velocity and stress")):
            error = melt("-solver", solver, stabilisers=stabilisers, expect=1).stderr
            gate.true(f"{solver} with {stabilisers[0]} is refused, {remedy}", f"-solver {solver}: got a polymer without a solvent" in error and "expected -solver direct" in error and remedy in error)


def absent(gate):
    words = (*STEADY, "-pc_type", "lu", "-pc_factor_mat_solver_type", "cudss")
    for path, parts in (("/nowhere/libcudss.so.1", ("got /nowhere/libcudss.so.1", "option -device_cudss")), ("libm.so.6", ("damaged or too old: it has no cudss",))):
        result = mixed(*words, "-device_cudss", path, expect=None)
        print(result.stderr.strip())
        gate.true(f"{path} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in ("-pc_factor_mat_solver_type cudss", *parts)))
    result = mixed(*words, expect=None)
    print(result.stderr.strip())
    gate.true("no library or no device: why", result.rc != 0 and ("nvidia-cudss-cu13 of the Python package index" in result.stderr or "expected -device cuda, a PETSc with CUDA and one rank" in result.stderr))


def superlu(gate, ranks):
    if not run.has("SuperLU_DIST"):
        gate.note("this PETSc has no SuperLU_DIST: its factors are not looked at", 0)
        return
    words = ("-snes_rtol", 1e-11, "-pc_type", "lu", "-pc_factor_mat_solver_type", "superlu_dist")
    steps = ("-scheme_monolithic_dt", 0.1, "-stop_time", 0.3)
    for what, flow, more in ("steady", mixed, STEADY), ("monolithic", channel, (0.1, *steps)):
        usual, found = flow(*more, *words[:2]).checkpoint(), flow(*more, *words, np_=int(ranks))
        gate.at_most(f"{what}: difference from the usual factors", abs(found.checkpoint() - usual).max() / abs(usual).max(), 1e-9)
    gate.true("they are begun anew", "of a matrix with the derivative of the projected pressure" in found.stdout)
    gate.near("a flow at rest: largest value", abs(mixed(*STEADY, *words, "-bc_left_velocity", "0,0", np_=int(ranks)).checkpoint()[:, :2]).max(), 0, 0)


def cudss(gate):
    words = (*STEADY[:2], "-snes_rtol", 1e-11, "-ksp_rtol", 1e-8)
    there = mixed(*words, "-solver", "direct", "-device", "cuda")
    print(there.stdout)
    if "cuDSS is not there" in there.stdout:
        sys.exit(77)
    host = mixed(*words, "-device", "cpu").checkpoint()
    gate.true("direct takes cuDSS", "solver direct, factors by cuDSS on the device (-solver)" in there.stdout)
    gate.at_most("difference from the host", abs(there.checkpoint() - host).max() / abs(host).max(), 1e-10)
    steps = ("-scheme_monolithic_dt", 0.05, "-snes_rtol", 1e-11)
    runs = [channel(0.5, *steps, "-device", device, "-pc_renew", rule) for device, rule in (("cpu", "always"), ("cuda", "always"), ("cuda", "demand"))]
    states = [x.checkpoint() for x in runs]
    sets = [int(re.search(r"(\d+) set-ups", x.stdout)[1]) for x in runs]
    for k, rule in (1, "always"), (2, "demand"):
        gate.at_most(f"{rule}: difference from the host", abs(states[k] - states[0]).max() / abs(states[0]).max(), 1e-9)
    gate.at_most("set-ups on demand over always", sets[2] / sets[1], 0.5)


def choice(gate):
    auto = mixed(*STEADY)
    gate.true("small: direct, with nodes and why", re.search(r"^solver direct: \d+ nodes in 2D, a polymer, at most \d+, .*\(-solver auto\)$", auto.stdout, re.M))
    four = mixed(*STEADY, "-physics_giesekus_modes", 4, "-physics_giesekus_viscosity", "0.2,0.2,0.1,0.1", "-physics_giesekus_lambda", "0.1,0.2,0.3,0.4")
    most = [int(re.search(r"a polymer, at most (\d+)", x.stdout).group(1)) for x in (auto, four)]
    gate.true(f"four modes: as many unknowns, 15 for 6 a node: {most}", most[1] == most[0] * 6 // 15)
    large = mixed(*STEADY, "-mesh_box_faces", "180,90", "-snes_max_it", 1, expect=None)
    gate.true("large: split", re.search(r"^solver split: \d+ nodes in 2D, a polymer, more than \d+, GMRES and multigrid by fields \(-solver auto\)$", large.stdout, re.M))
    own = mixed(*STEADY, "-pc_type", "bjacobi", "-sub_pc_type", "lu")
    gate.true("-pc_type is given: nothing is chosen", not re.search("^solver", own.stdout, re.M))
    read = mixed(*STEADY, "-solver", "split", "-fieldsplit_polymer_ksp_view")
    gate.true("options of a split act", "bjacobi" in read.stdout and "fieldsplit_polymer_" in read.stdout)
    named = mixed(*STEADY, "-pc_type", "fieldsplit", "-pc_fieldsplit_dm_splits", "-ksp_max_it", 2000, "-ksp_gmres_restart", 2000, "-fieldsplit_velocity_pc_type", "lu",
                  "-fieldsplit_stress_0_pc_type", "bjacobi", "-fieldsplit_stress_0_ksp_view", "-fieldsplit_pressure_pc_type", "lu", *COUNT)
    gate.true("fields of the DM are splits by their names", re.search(r"fieldsplit_stress_0_\) 1 MPI process[\s\S]*type: bjacobi", named.stdout))
    gate.at_most("difference of named fields from direct", abs(named.checkpoint() - auto.checkpoint()).max() / abs(auto.checkpoint()).max(), 1e-6)
    for words, parts in ((("-scheme", "lumped", "-stop_steps", 1, "-solver", "split"), ("-solver: got split with the scheme lumped", "steady or monolithic")),
                         ((*STEADY, "-solver", "multigrid"), ("-solver", "multigrid", "auto, direct, split or points")),
                         ((*STEADY, "-solver", "split", "-ksp_max_it", 2), ("did not converge in 2 iterations: -solver direct", "-ksp_max_it")),
                         ((*STEADY, "-solver", "direct", "-ksp_max_it", 1, "-ksp_rtol", 1e-14), ("did not converge in 1 iterations: more of them (-ksp_max_it)",)),
                         ((*STEADY, "-solver", "split", "-fieldsplit_stress_pc_type", "lu"), ("Unknown option", "-fieldsplit_stress_pc_type"))):
        result = mixed(*words, expect=None)
        print(result.stderr.strip())
        gate.true(f"{words[-2]} {words[-1]} is refused, with {parts}", result.rc != 0 and all(part in result.stderr for part in parts))


CROSS = {"steady": (*STEADY, "-scheme_steady_time", 100, "-form_body_force", "0,0", "-physics_oldroydb_lambda", 0.2, "-ksp_max_it", 100),
         "monolithic": ("-scheme_monolithic_dt", 0.1, "-stop_steps", 2, "-ksp_max_it", 60, "-ts_max_snes_failures", 1, "-device", "cpu")}
RESCUED = re.compile(r"^solver split: a linear solve with a preconditioner of its own failed \(DIVERGED_\w+\); from here on factors by MUMPS, \S+ MB of \S+ MB available \(-solver split: never\)$", re.M)


def cross(scheme, *more, np_=1, expect=0):
    return run.rheoplex("run", f"{run.OPTIONS}/cross_slot_oldroydb.yaml", "-mesh_file", f"{run.MESHES}/cross_slot.msh", "-output_fields", "false", "-snes_rtol", 1e-10, *COUNT, *CROSS[scheme], *more, out=run.folder("cross"), np=np_, expect=expect)


def rescue(gate, ranks, scheme):
    if not run.has("MUMPS"):
        gate.note("this PETSc has no MUMPS, whose factors are what is gone on with", 0)
        return
    small = ("-solver_nodes", 1000)
    direct, auto = cross(scheme, "-solver", "direct"), cross(scheme, *small, np_=int(ranks))
    gate.true("split is chosen beyond the nodes that are given", re.search(r"^solver split: 1332 nodes in 2D, a polymer, more than 1000, ", auto.stdout, re.M))
    gate.near("what is done is told once", len(RESCUED.findall(auto.stdout)), 1, 0)
    after = iterations(auto)
    gate.true(f"no solve fails after that, {len(after)} of them", np.inf not in after[after.index(np.inf) + 1:] or scheme == "monolithic")
    gate.at_most("difference from direct", abs(auto.checkpoint() - direct.checkpoint()).max() / abs(direct.checkpoint()).max(), 1e-6)
    if ranks == "1":
        asked = cross(scheme, "-solver", "split", expect=None)
        print(asked.stderr.strip())
        gate.true("split that is asked for stays, and fails", asked.rc != 0 and "did not converge in" in asked.stderr and not RESCUED.search(asked.stdout))
        gate.refused(cross(scheme, *small, "-solver", "split", expect=None), ("-solver_nodes: got 1000 with -solver split, where it does nothing",))
        gate.refused(run.rheoplex("run", f"{run.OPTIONS}/cross_slot_oldroydb.yaml", "-mesh_file", f"{run.MESHES}/cross_slot.msh", "-scheme", "lumped", *small, out=run.folder("cross"), expect=None), ("-solver_nodes: got 1000 with the scheme lumped",))


def failures(gate, ranks):
    """Steps that are tried again, shorter, where GMRES does not come to its end: against PETSc's own reports of each solve."""
    few = jet("-scheme_monolithic_dt", 0.5, "-snes_rtol", 1e-6, "-ksp_rtol", 0.01, "-solver", "split", "-ksp_max_it", 14, np_=int(ranks))
    ends = re.findall(r"Linear solve (converged|did not converge) due to \w+ iterations (\d+)", few.stdout)
    lost = [int(n) for how, n in ends if how != "converged"]
    gate.at_least("solves that failed", len(lost), 3)
    told = re.findall(r"^rheoplex: warning: -scheme monolithic: 2 linear solves of Newton's method failed \(DIVERGED_ITS\), preconditioned by the splits flow \(preonly, gamg\) and (.+): their (\d+) iterations are lost; expected -solver direct where .*, shorter steps .* "
                      r"or more iterations \(-ksp_max_it\); later ones", few.stderr, re.M)
    gate.near("told once, with the iterations of two", int(told[0][1]) if len(told) == 1 else np.nan, sum(lost[:2]), 0)
    counted = re.search(r"linear solves, (\d+) iterations, \S+ s; of them (\d+) failed, after (\d+) iterations", few.stdout)
    gate.true(f"counted at the end: {counted and counted[0]}", counted and [int(n) for n in counted.groups()] == [sum(int(n) for _, n in ends), len(lost), sum(lost)])
    enough = jet("-scheme_monolithic_dt", 0.05, "-solver", "split", np_=int(ranks))
    gate.true("where none fails nothing is told", "linear solves of Newton's method failed" not in enough.stderr and not re.search("of them .* failed", enough.stdout))


PRESSURE = "-scheme_monolithic_pc_pressure"
POLYMERS = ("-physics", "newtonian,oldroydb,ptt", "-physics_oldroydb_viscosity", 0.003, "-physics_oldroydb_lambda", 0.2, "-physics_ptt_viscosity", 0.004, "-physics_ptt_lambda", 0.7, "-physics_ptt_epsilon", 0.1, "-polymer_variable",
            "stress", "-bc_left_polymer", "rest", "-bc_right_polymer", "zero")


def jet(*more, np_=1, expect=0):
    """Quadrilaterals between walls; two steps from the inlet's profile, which moves on."""
    return run.rheoplex("run", "-case_name", "jet", "-mesh_box_faces", "30,14", "-mesh_box_lower", "0,-1", "-mesh_box_upper", "4,1", "-mesh_box_jitter", 0.15, "-physics", "newtonian",
                        "-physics_newtonian_viscosity", 0.002, "-form_density", 3, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "(1-y^4)*(1+0.3*sin(3*y)),0",
                        "-initial_velocity", "(1-y^4)*(1+0.3*sin(3*y)),0", "-bc_right_type", "outlet", "-bc_right_form", "gradient", "-bc_top_type", "wall", "-bc_bottom_type", "wall", "-scheme", "monolithic",
                        "-scheme_monolithic_dt", 0.004, "-stop_steps", 2, "-snes_rtol", 1e-13, *FIXED, *more, out=run.folder("jet"), np=np_, expect=expect)


def pressure(gate, ranks):
    told = re.compile(r"^preconditioner: (a Schur complement of the pressure, )?of a matrix with the derivative of the projected pressure, .* more than 8 \(-scheme_monolithic_pc_pressure\)$", re.M)
    for physics, words, most in (("newtonian", (), 0.5), ("two modes", POLYMERS, 0.6))[int(ranks) > 1:]:
        reference = None
        for solver in "direct", "split":
            fixed, auto = (jet("-solver", solver, *words, PRESSURE, kind, np_=int(ranks)) for kind in ("fixed", "auto"))
            a, b = fixed.checkpoint(), auto.checkpoint()
            reference = a if reference is None else reference
            for what, state in ("fixed", a), ("auto", b):
                gate.at_most(f"{physics}, {solver}, {what}: difference from direct, fixed", abs(state - reference).max() / abs(reference).max(), 1e-8)
            its = [sum(iterations(x)) / len(iterations(x)) for x in (fixed, auto)]
            print(f"{physics}, {solver}: {its[0]:.1f} iterations of a solve, {its[1]:.1f} with the derivative")
            gate.at_most(f"{physics}, {solver}: iterations over those at a fixed projection", its[1] / its[0], most)
            said = told.search(auto.stdout)
            gate.true(f"{physics}, {solver}: what was chosen is told", said and bool(said[1]) == (solver == "split"))
            gate.true(f"{physics}, {solver}, fixed: nothing is told", "projected pressure" not in fixed.stdout)
    parts = jet("-solver", "split", "-fieldsplit_flow_fieldsplit_1_ksp_view", "-fieldsplit_flow_fieldsplit_1_pc_type", "gamg", "-stop_steps", 1, np_=int(ranks)).stdout
    gate.true("options of its parts act", told.search(parts) and "type: gamg" in parts)
    own = jet("-solver", "split", "-fieldsplit_flow_ksp_view", "-stop_steps", 1, np_=int(ranks)).stdout
    gate.true("options of the flow leave it its multigrid", not told.search(own) and "type: gamg" in own)
    levels = ("-solver", "split", "-fieldsplit_flow_mg_levels_ksp_max_it", 3, "-stop_steps", 1)  # an option that the solver's file has too
    kept = [re.search(r"multigrid of velocity and pressure stays, of which -fieldsplit_flow_mg_levels_ksp_max_it is given; the stabilisation is (\S+) times", jet(*levels, *words, np_=int(ranks)).stdout)
            for words in ((), ("-scheme_monolithic_dt", 0.4))]
    gate.true("those that its file has too, and what they cost is told where it is", kept[0] and float(kept[0][1]) > 8 and not kept[1])
    norms = re.findall(r"KSP \S+ resid norm (\S+) true resid norm (\S+)", jet("-ksp_monitor_true_residual", "-stop_steps", 1, np_=int(ranks)).stdout)
    gate.at_least("residuals that GMRES tells", len(norms), 20)
    gate.at_most("true ones over them", max(float(true) / float(told) for told, true in norms), 1.05)
    large = jet("-scheme_monolithic_dt", 0.4, "-stop_steps", 1, np_=int(ranks))
    gate.true("large steps: it is not chosen", "projected pressure" not in large.stdout)
    forced = jet("-scheme_monolithic_dt", 0.4, "-stop_steps", 1, PRESSURE, "projected", np_=int(ranks))
    gate.true("unless it is asked for", "of a matrix with the derivative of the projected pressure (-scheme_monolithic_pc_pressure)" in forced.stdout)
    gate.at_most("large steps: difference", abs(forced.checkpoint() - large.checkpoint()).max() / abs(large.checkpoint()).max(), 1e-8)
    for stabiliser in ("gls",), ("devss,gls",):
        refused = jet("-stabiliser", *stabiliser, PRESSURE, "projected", np_=int(ranks), expect=None)
        print(refused.stderr.strip())
        gate.true(f"{stabiliser[0]}: refused", refused.rc != 0 and f"{PRESSURE} projected: got no projection of the pressure's gradient, expected" in refused.stderr)


def parts(gate):
    """Options of the parts of a Schur complement that no step has chosen yet are read at the start: wrong ones end the run there, those that it reads later are not called unknown."""
    one = lambda option, value, np_=1: jet("-solver", "split", f"-fieldsplit_flow_fieldsplit_{option}", value, "-scheme_monolithic_dt", 0.4, "-stop_steps", 1, np_=np_, expect=None)
    for option, value in ("0_ksp_max_itt", 4), ("pressure_pc_type", "lu"), ("0_ksp_rtol", "x"):
        gate.refused(one(option, value), (f"-fieldsplit_flow_fieldsplit_{option}" if value != "x" else "Input string x has no numeric value",))
    late = one("0_ksp_gmres_restart", 20, 2)
    gate.true("one that is read when it is chosen is not refused, nor is it chosen", late.rc == 0 and "projected pressure" not in late.stdout)


def square_jet(cell, *more, np_=1):
    return run.rheoplex("run", "-case_name", "jet", "-mesh_box_faces", "6,4,4", "-mesh_box_lower", "0,-1,-1", "-mesh_box_upper", "3,1,1", "-mesh_box_cell", cell, "-mesh_box_jitter", 0.1, "-physics",
                        "newtonian", "-physics_newtonian_viscosity", 0.01, "-form_density", 3, "-stabiliser", "split_oss", "-bc_left_type", "inlet", "-bc_left_velocity", "(1-y^4)*(1-z^4)*(1+0.3*sin(3*y)),0,0",
                        "-initial_velocity", "(1-y^4)*(1-z^4)*(1+0.3*sin(3*y)),0,0", "-bc_right_type", "outlet", "-bc_right_form", "gradient", *(x for label in ("top", "bottom", "front", "back") for x in
                        (f"-bc_{label}_type", "wall")), "-scheme", "monolithic", "-scheme_monolithic_dt", 0.1, "-stop_steps", 1, "-snes_rtol", 1e-11, "-solver", "split", *FIXED, *more, out=run.folder("jet"), np=np_)


def space(gate, ranks):
    for cell, words in (("hexahedron", ()), ("tetrahedron", POLYMERS))[: 3 - int(ranks)]:
        direct = square_jet(cell, *words, "-solver", "direct", np_=int(ranks))
        gate.true(f"{cell}: factors keep a fixed projection", "projected pressure" not in direct.stdout)
        fixed, auto = (square_jet(cell, *words, PRESSURE, kind, np_=int(ranks)) for kind in ("fixed", "auto"))
        want = direct.checkpoint()
        for what, result in ("fixed", fixed), ("auto", auto):
            gate.at_most(f"{cell}, {what}: difference from direct", abs(result.checkpoint() - want).max() / abs(want).max(), 1e-8)
        its = [sum(iterations(x)) / len(iterations(x)) for x in (fixed, auto)]
        print(f"{cell}: {its[0]:.1f} iterations of a solve, {its[1]:.1f} with the derivative")
        gate.at_most(f"{cell}: iterations over those at a fixed projection", its[1] / its[0], 0.8)
        gate.true(f"{cell}: what was chosen is told", re.search(r"^preconditioner: a Schur complement of the pressure, .*, more than 1 \(", auto.stdout, re.M))


TURNS = re.compile(r"^preconditioner: .*(derivative|fixed)[^,]*, whose stabilisation is (\S+) times what the time step makes of it, (more|not more) than (\S+) \(-scheme_monolithic_pc_pressure\)$", re.M)


def stream(profile, speed):
    """A given velocity that follows its speed, in steps by the Courant number, set up with every sixth solve."""
    v = f"{profile}*({speed}),0"
    return ("-bc_left_velocity", v, "-initial_velocity", v, "-scheme_monolithic_dt", 1, "-stop_steps", 100, "-pc_renew", "interval", "-pc_renew_interval", 6)


def slow(first, last):
    """1, but 0.02 between two times, s."""
    return f"0.02+0.98*(exp(-(t/{first})^8)+1-exp(-(t/{last})^8))"


def turned(gate, what, want, kinds, most=1.3):
    """By the choices fixed, projected and auto, the last of which turns as wanted."""
    states = [x.checkpoint() for x in kinds]
    its = [sum(iterations(x)) for x in kinds]
    print(f"{what}: {len(iterations(kinds[2]))} solves with {its} iterations at a fixed projection, with the derivative, by choice")
    found = TURNS.findall(kinds[2].stdout)
    gate.true(f"{what}: each turn is told once: {found}", [x[0] for x in found] == want)
    gate.true(f"{what}: by the share: {found}", all((float(share) > float(bound)) == (how == "more") for _, share, how, bound in found))
    gate.true(f"{what}: it is given up at half the share: {found}", len({float(bound) * (1 if how == "more" else 2) for _, _, how, bound in found}) == 1)
    for k, kind in (1, "projected"), (2, "auto"):
        gate.at_most(f"{what}, {kind}: difference from fixed", abs(states[k] - states[0]).max() / abs(states[0]).max(), 1e-8)
    gate.at_most(f"{what}: iterations over those of the better choice", its[2] / min(its[:2]), most)


def turn(gate, ranks):
    there, back = "derivative", "fixed"
    profile = "(1-y^4)*(1+0.3*sin(3*y))"
    words = ("-physics_newtonian_viscosity", 1, "-scheme_monolithic_cfl", 0.1, "-stop_time", 0.58)
    if ranks == "1":
        flow = (*stream(profile, slow(0.03, 0.5)), *words)
        for solver, most in ("split", 1.3), ("direct", 1.4):
            turned(gate, solver, [there, back, there], [jet(*flow, "-solver", solver, PRESSURE, kind) for kind in ("fixed", "projected", "auto")], most)
        wrong = jet(*flow, "-solver", "direct", "-fieldsplit_flow_fieldsplit_1_pc_type", "gamg", "-stop_steps", 4, expect=None)
        gate.refused(wrong, ("Unknown option: got -fieldsplit_flow_fieldsplit_1_pc_type",))
        demand = jet(*flow, "-solver", "split", "-pc_renew", "demand", "-pc_renew_x", 15)
        gate.at_least("set up on demand: turns", len(TURNS.findall(demand.stdout)), 2)
        return
    flow = (*stream(profile, f"1.02-({slow(0.12, 0.3)})"), *words, "-scheme_monolithic_dt", 0.06, "-stop_time", 0.6, "-solver", "split", *POLYMERS)
    turned(gate, "two modes", [there, back], [jet(*flow, PRESSURE, kind, np_=2) for kind in ("fixed", "projected", "auto")])
    late = jet(*flow, "-pc_fieldsplit_type", "symmetric_multiplicative", "-fieldsplit_flow_fieldsplit_1_pc_type", "gamg", "-fieldsplit_flow_fieldsplit_1_ksp_view", "-ksp_view", np_=2).stdout
    gate.true("options of its parts act when it is chosen", "type: gamg" in late[late.index("derivative"):])
    gate.true("options of the splits stay", "SYMMETRIC_MULTIPLICATIVE" in late[late.rindex("fixed projection"):])
    own = jet(*flow, "-fieldsplit_flow_fieldsplit_0_pc_type", "jacobi", "-fieldsplit_flow_fieldsplit_0_ksp_type", "preonly", np_=2).stdout
    gate.true("options of its velocity take what was chosen with theirs along", "derivative" in own and "final time is reached" in own)
    wrong = jet(*flow, "-fieldsplit_flow_fieldsplit_1_pc_typ", "gamg", np_=2, expect=None)
    gate.true("one that nothing reads is refused", wrong.rc != 0 and "-fieldsplit_flow_fieldsplit_1_pc_typ" in wrong.stderr)


SAID = re.compile(r"-fieldsplit_(\w+)_pc_type renew \((\w+)\): (\d+) set-ups, (\S+) s; (\d+) solves, (\d+) applications, (\S+) s")


def renew(gate, ranks):
    """A channel that pulsates, 30 steps, 15 on two ranks; the matrix changes with each solve."""
    inner = [x for split, pc in (("polymer", "bjacobi"), ("flow", "gamg")) for x in (f"-fieldsplit_{split}_pc_type", "renew", f"-fieldsplit_{split}_renew_pc_type", pc)]
    inner += ["-fieldsplit_flow_renew_mg_levels_ksp_type", "gmres", "-fieldsplit_flow_renew_mg_levels_pc_type", "bjacobi", "-fieldsplit_polymer_renew_sub_pc_type", "ilu"]
    words = ("-scheme_monolithic_dt", 0.04, "-solver", "split", "-pc_renew", "always", *inner)
    found = {}
    for rule, more in (("always", ("-fieldsplit_polymer_pc_renew", "always", "-fieldsplit_flow_pc_renew", "always")), ("demand", ("-fieldsplit_polymer_pc_renew_x", 200, "-fieldsplit_flow_pc_renew_x", 40))):
        found[rule] = channel(1.2 if ranks == "1" else 0.6, *words, *more, np_=int(ranks), wave="3*sin(2.6*t)^2")
    a, b = (found[rule].checkpoint() for rule in ("always", "demand"))
    gate.at_most("demand: difference from always", abs(a - b).max() / abs(a).max(), 1e-6)
    said = {rule: {x[0]: x for x in SAID.findall(result.stdout)} for rule, result in found.items()}
    for split in "polymer", "flow":
        always, demand = said["always"][split], said["demand"][split]
        gate.true(f"{split}: always is a set-up a solve: {always}", always[2] == always[4] and always[1] == "always")
        gate.true(f"{split}: the rule is told: {demand}", demand[1] == "demand")
        gate.at_least(f"{split}: share of set-ups saved", 1 - int(demand[2]) / int(always[2]), 0.86 if ranks == "1" else 0.8)
        gate.at_least(f"{split}: set-ups", int(demand[2]), 1)


def say(gate, case, size, result, most):
    its = iterations(result)
    print(f"{case:34s}{size:8d} nodes: {len(its):3d} solves of {' '.join(map(str, its))}")
    gate.at_most(f"{case}, {size} nodes: iterations of a solve", max(its), most)
    return max(its[:2])


def flow2d(gate, solver):
    developed = ("-bc_{}_polymer", "developed")
    growth = {}
    for n in (14, 27, 54):
        mesh = run.gmsh("confined_cylinder.geo", f"c{n}", ("n", n))
        result, _ = drag(mesh, "-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41, "-physics_oldroydb_lambda", 0.1,
                         "-polymer_variable", "stress", "-scheme_steady_continuation", "physics_oldroydb_lambda=0.1:0.2:0.5", "-solver", solver, *FIXED, sides=developed)
        growth[n] = say(gate, "cylinder, creeping, Wi 0.1 to 0.5", len(result.checkpoint()), result, 100)
    gate.at_most("cylinder: growth from 2k to 27k nodes", growth[54] / growth[14], 2)
    first = {}
    for scale in (2, 1, 0.64):
        mesh = run.gmsh("dfg_cylinder.geo", f"d{scale}", *((k, v * scale) for k, v in (("hc", 0.002964), ("hw", 0.00855), ("hf", 0.01425))))
        for re_, nu in (20, 1e-3), (60, 1e-3 / 3):
            result = run.rheoplex("run", "-case_name", "dfg", "-mesh_file", mesh, "-physics", "newtonian", "-physics_newtonian_viscosity", nu, "-stabiliser", "gls",
                                  "-bc_inlet_type", "inlet", "-bc_inlet_velocity", "4*0.3*y*(0.41-y)/0.41^2,0", "-bc_outlet_type", "outlet", "-bc_outlet_form", "gradient",
                                  "-bc_walls_type", "wall", "-bc_cylinder_type", "wall", "-solver", solver, *FIXED, *STEADY, out=run.folder("steady"))
            first[scale, re_] = say(gate, f"DFG channel, Re {re_}", len(result.checkpoint()), result, 60)
    for re_ in 20, 60:
        gate.at_most(f"DFG, Re {re_}: growth from 3k to 27k nodes", first[0.64, re_] / first[2, re_], 2)


def flow3d(gate, solver):
    for cell in "hexahedron", "tetrahedron":
        for n in (8, 14):
            words = ("-mesh_box_faces", f"{2 * n},{n},{n}", "-mesh_box_lower", "0,-1,-1", "-mesh_box_upper", "4,1,1", "-mesh_box_cell", cell, "-physics", "newtonian,oldroydb",
                     "-physics_newtonian_viscosity", 0.59, "-physics_oldroydb_viscosity", 0.41, "-physics_oldroydb_lambda", 0.3, "-polymer_variable", "stress", "-stabiliser", "split_oss",
                     "-form_density", 1, "-bc_left_type", "inlet", "-bc_left_velocity", "(1-y^2)*(1-z^2),0,0", "-bc_left_polymer", "rest", "-bc_right_type", "outlet",
                     "-bc_right_form", "gradient", "-bc_right_polymer", "zero", *(x for side in ("top", "bottom", "front", "back") for x in (f"-bc_{side}_type", "wall")),
                     "-solver", solver, *COUNT)
            steps = run.rheoplex("run", "-case_name", "box", *words, "-scheme", "monolithic", "-device", "cpu", "-scheme_monolithic_dt", 0.1, "-stop_steps", 2, out=run.folder("steady"), timeout=3000)
            say(gate, f"{cell}, two steps", len(steps.checkpoint()), steps, 40)


def table(gate, solver="split"):
    flow2d(gate, solver)
    flow3d(gate, solver)


def main(check, *more):
    gate = Gate("_".join(("scheme_solvers", check) + more))
    {"same": same, "colours": colours, "absent": absent, "cudss": cudss, "superlu": superlu, "choice": choice, "rescue": rescue, "failures": failures, "viscosity": viscosity, "pressure": pressure, "parts": parts, "space": space, "turn": turn, "renew": renew, "table": table}[check](gate, *more)
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

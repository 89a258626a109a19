"""What boundary and initial conditions refuse: labels inside the domain, formulas that assign, states that no law has, profiles that
overflow; each in one sentence, on one rank and on two."""
import os
import subprocess
import sys

import run

HERE = run.folder("inside")
BOX = {
    "mesh_box_faces": "4,4", "physics": "newtonian,oldroydb", "physics_newtonian_viscosity": "0.3", "physics_oldroydb_viscosity": "0.6",
    "physics_oldroydb_lambda": "0.2", "stabiliser": "split_oss", "bc_left_type": "wall", "bc_right_type": "wall", "bc_bottom_type": "wall",
    "bc_top_type": "moving_wall", "bc_top_velocity": "1,0", "scheme_lumped_dt": "0.001", "stop_steps": "1", "output_fields": "false",
}
PLATES = {"mesh_box_faces": None, "bc_left_type": None, "bc_right_type": None, "bc_bottom_type": None, "bc_top_type": None, "bc_top_velocity": None}


def words(changes):
    return [word for key, value in {**BOX, **changes}.items() if value is not None for word in (f"-{key}", value)]


def refused(expected, np=1, **changes):
    result = run.rheoplex("run", *words(changes), out=f"{HERE}/out", np=np, expect=None, timeout=50)
    lines = [line for line in result.stderr.splitlines() if line.startswith("rheoplex: error: ")]
    print("\n".join(lines))
    missing = [e for e in expected if not lines or e not in lines[0]]
    if result.rc != 1 or len(lines) != 1 or missing or "PETSC ERROR" in result.stderr:
        raise run.Failure(f"{changes}: exit code {result.rc}, missing {missing}\n{result.stdout[-1500:]}\n{result.stderr[-1500:]}")


def accepted(**changes):
    run.rheoplex("run", *words(changes), out=f"{HERE}/out", timeout=50)


def mesh(name, inside, periodic=False):
    """4 x 2 quads of a channel whose walls are named 'wall'; `inside`: a name for the two faces across its middle."""
    nodes = [(i, j) for j in range(3) for i in range(5)]
    quads = [(5 * j + i, 5 * j + i + 1, 5 * j + i + 6, 5 * j + i + 5) for j in range(2) for i in range(4)]
    tags = {"wall": 1, "left": 2, "right": 3, "middle": 4}
    edges = [(tags["wall"], i + j, i + j + 1) for j in (0, 10) for i in range(4)]
    edges += [(tags["left"], 5 * j, 5 * j + 5) for j in range(2)] + [(tags["right"], 5 * j + 4, 5 * j + 9) for j in range(2)]
    edges += [(tags[inside], 5 * j + 2, 5 * j + 7) for j in range(2)] if inside else []
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "5", *(f'1 {tag} "{key}"' for key, tag in tags.items()), '2 9 "fluid"', "$EndPhysicalNames"]
    lines += ["$Nodes", str(len(nodes)), *(f"{k + 1} {x} {y} 0" for k, (x, y) in enumerate(nodes)), "$EndNodes", "$Elements", str(len(edges) + len(quads))]
    rows = [(1, tag, rest) for tag, *rest in edges] + [(3, 9, quad) for quad in quads]
    lines += [f"{k + 1} {kind} 2 {tag} {tag} " + " ".join(str(v + 1) for v in rest) for k, (kind, tag, rest) in enumerate(rows)]
    lines += ["$EndElements"]
    if periodic:
        lines += ["$Periodic", "1", "1 3 2", "3", *(f"{5 * j + 5} {5 * j + 1}" for j in range(3)), "$EndPeriodic"]
    path = f"{HERE}/{name}.msh"
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def labels():
    walls = {**PLATES, "bc_wall_type": "wall"}
    ends = {"bc_left_type": "wall", "bc_right_type": "wall"}
    accepted(**{**walls, **ends}, mesh_file=mesh("plain", None))
    accepted(**{**walls, **ends}, mesh_file=mesh("middle", "middle"))
    accepted(**walls, mesh_file=mesh("periodic", None, periodic=True))
    for np in (1, 2):
        refused(["'wall' has 2 faces inside the domain besides 8 boundary faces", "expected"], np, **{**walls, **ends}, mesh_file=mesh("wall", "wall"))
    refused(["-bc_middle_type", "'middle'", "2 faces lie inside the domain", "expected"], **{**walls, **ends}, bc_middle_type="wall", mesh_file=mesh("middle", "middle"))
    refused(["'wall' has 2 faces inside"], **walls, mesh_file=mesh("both", "wall", periodic=True))


def formulas():
    accepted(bc_top_velocity="(y==1)*(x<=1)*(x>=0)*(t!=7),0")
    refused(["-bc_top_velocity", "assignment at column 2", "expected an expression"], bc_top_velocity="x=5,0")
    refused(["-bc_top_velocity", "assignment at column 5"], bc_top_velocity="x, t=3")
    refused(["-initial_velocity", "assignment at column 6"], initial_velocity="x*(y = 2),0")
    refused(["-form_body_force", "assignment"], form_body_force="0,t=3")


def states():
    accepted(initial_stress="-2.9,1,0")
    for np in (1, 2):
        refused(["-initial_stress at (1, 1), law 'oldroydb', mode 0", "not positive definite", "got smallest eigenvalue -0.5", "expected above 0"], np,
                initial_stress="-4.5*x*y,1,0")
    refused(["-initial_stress", "mode 1", "eigenvalue -1,"], physics_oldroydb_modes="2", initial_stress="0,0,0;0,0,6")
    refused(["-initial_stress", "eigenvalue -1,"], mesh_box_faces="2,2,2", bc_front_type="wall", bc_back_type="wall", bc_top_velocity="1,0,0",
            initial_stress="0,0,0,6,0,0")
    refused(["-initial_conformation", "eigenvalue -0.25,"], polymer_variable="conformation", initial_conformation="1,-0.25,0")
    refused(["-initial_stress", "eigenvalue -0.25,"], physics="newtonian,fene_p", physics_oldroydb_viscosity=None, physics_oldroydb_lambda=None,
            physics_fene_p_viscosity="0.6", physics_fene_p_lambda="0.2", physics_fene_p_L2="100", polymer_variable="conformation", initial_stress="1,1,-0.25,0")
    refused(["-initial_perturbation", "eigenvalue"], initial_perturbation="2")
    inlet = {"bc_left_type": "inlet", "bc_left_velocity": "1,0", "bc_left_polymer": "formula", "bc_right_type": "outlet", "bc_top_type": "wall", "bc_top_velocity": None}
    accepted(**inlet, bc_left_stress="-2.9,1,0")
    for np in (1, 2):
        refused(["-bc_left_stress at (0, 1), t = 0, law 'oldroydb', mode 0", "not positive definite", "got smallest eigenvalue -0.5", "expected above 0"], np, **inlet,
                bc_left_stress="-4.5*y,1,0")
    refused(["-bc_left_stress", "t = 0.4", "eigenvalue -0.25,"], polymer_variable="conformation", **inlet, bc_left_ramp="0.4", bc_left_stress="1,-0.25,0")


def profiles():
    channel = {"bc_left_type": "inlet", "bc_left_profile": "parabolic", "bc_top_type": "wall", "bc_top_velocity": None, "bc_right_type": "outlet",
               "bc_right_polymer": "zero"}
    for np in (1, 2):
        refused(["developed flow at (0,", "velocity gradient", "got a shear rate whose square is no finite number", "expected"], np, **channel, bc_left_mean_velocity="1e300")


def rheometer():
    done = subprocess.run([run.RHEOPLEX, "rheometer", "-rheometer_output", f"{HERE}/none.csv"], capture_output=True, text=True, timeout=50)
    lines = done.stderr.splitlines()
    print(done.stderr, end="")
    if done.returncode != 1 or len(lines) != 1 or not all(w in lines[0] for w in ("no law", "got no name", "expected", "newtonian", "oldroydb")):
        raise run.Failure(f"rheometer without a law: {done}")
    if os.path.exists(f"{HERE}/none.csv"):
        raise run.Failure("rheometer without a law left a table")


def main():
    try:
        for check in (labels, formulas, states, profiles, rheometer):
            check()
    except run.Failure as failure:
        print(failure)
        return 1
    return 0


sys.exit(main())

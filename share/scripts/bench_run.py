"""Runs the speed measurements of share/benchmark and writes JSON lines: a line of provenance, then those of the verb bench
with what was asked for added; a measurement that fails leaves a line that says so. Standard library only."""
import argparse
import csv
import datetime
import itertools
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import bench_mesh

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIZES = {  # columns and rows of the aneurysm; cells across the channel, which is twice as long
    2: {"2k": (100, 20), "8k": (200, 40), "16k": (284, 56), "100k": (704, 140), "1M": (2236, 446)},
    3: {"2k": 9, "16k": 19, "125k": 39, "200k": 42, "1M": 79, "8M": 159}}
GMSH = "200k"  # hexes of meshes/channel3d.geo by the program gmsh, numbered as it likes
CPU_ONLY = ("8k", GMSH)
CELLS = {2: ("quadrilateral", "triangle"), 3: ("hexahedron", "tetrahedron")}
WHOLE = "devss,split_oss"
STABILISERS = ("gls", WHOLE)
OLDROYD = ["-physics", "newtonian,oldroydb", "-physics_newtonian_viscosity", "0.009", "-physics_oldroydb_viscosity", "0.001",
           "-physics_oldroydb_lambda", "0.2835"]
LAWS = {  # what each requires beside viscosity and relaxation time
    "oldroydb": {}, "johnson_segalman": {"xi": 0.2}, "white_metzner": {"time": 1, "n": 0.5}, "ptt": {"epsilon": 0.25}, "giesekus": {"alpha": 0.3},
    "fene_p": {"L2": 100}, "fene_cr": {"L2": 100}}
MODES = {1: {"viscosity": "0.001", "lambda": "0.2835"}, 4: {"viscosity": "0.0004,0.0003,0.0002,0.0001", "lambda": "0.2835,0.1,0.03,0.01"}}


def polymer(law, modes):
    """Words of a solvent and this many modes of a law."""
    parameters = {"modes": modes, **MODES[modes], **LAWS[law]}
    return ["-physics", f"newtonian,{law}", "-physics_newtonian_viscosity", "0.009", *(w for k, v in parameters.items() for w in (f"-physics_{law}_{k}", str(v)))]


VARIABLES = ("stress", "conformation", "logconf")
PARTS = ("targets", "best", "kernels2d", "kernels3d", "assembly", "steps2d", "steps3d", "pressure", "start", "matrices", "solver", "profile", "ranks", "modes", "conditions", "unsteady", "diagnostics", "cpu2d",
         "cpu3d", "laws")
GPU_PARTS = PARTS[1:-1]
CPU_PARTS = ("best", "kernels2d", "kernels3d", "conditions", "unsteady", "diagnostics", "cpu2d", "cpu3d", "laws")
RANKS = (1, 2, 4, 8, 14)  # of the CPU, as many as there are cores
CG = ["-pressure_ksp_type", "cg", "-pressure_ksp_norm_type", "unpreconditioned", "-pressure_ksp_initial_guess_nonzero", "true"]
HYPRE = [*CG, "-pressure_pc_type", "hypre"]
FEW_ENTRIES = ["-pressure_pc_hypre_boomeramg_interp_type", "ext+i", "-pressure_pc_hypre_boomeramg_P_max", "4"]
AGGRESSIVE = ["-pressure_pc_hypre_boomeramg_agg_nl", "1"]
CLASSICAL = ["-pressure_pc_hypre_boomeramg_coarsen_type", "Falgout", "-pressure_pc_hypre_boomeramg_interp_type", "classical",
             "-pressure_pc_hypre_boomeramg_P_max", "0", "-pressure_pc_hypre_boomeramg_agg_nl", "0"]  # what hypre does unless told
SOLVERS = {"default": [], "all levels shared": ["-pressure_pc_graph_mg_gather", "0"], "gamg": [*CG, "-pressure_pc_type", "gamg"],
           "hypre": [*HYPRE, *CLASSICAL],
           "hypre hmis": [*HYPRE, "-pressure_pc_hypre_boomeramg_coarsen_type", "HMIS", *FEW_ENTRIES, "-pressure_pc_hypre_boomeramg_agg_nl", "0"],
           "hypre hmis aggressive": [*HYPRE, "-pressure_pc_hypre_boomeramg_coarsen_type", "HMIS", *FEW_ENTRIES, *AGGRESSIVE],
           "gamg aggressive": [*CG, "-pressure_pc_type", "gamg", "-pressure_pc_gamg_aggressive_coarsening", "2"],
           "gamg threshold 0.02": [*CG, "-pressure_pc_type", "gamg", "-pressure_pc_gamg_threshold", "0.02"],
           "gamg one sweep": [*CG, "-pressure_pc_type", "gamg", "-pressure_mg_levels_ksp_max_it", "1"],
           "hypre pmis": [*HYPRE, "-pressure_pc_hypre_boomeramg_coarsen_type", "PMIS", *FEW_ENTRIES[:2], "-pressure_pc_hypre_boomeramg_P_max", "0", *AGGRESSIVE]}


def dimension(cell):
    return 2 if cell in CELLS[2] else 3


class Runner:
    def __init__(self, options):
        self.options, self.start, self.done, self.failed = options, time.time(), 0, 0
        self.scratch = tempfile.TemporaryDirectory(prefix="rheoplex_bench_")
        self.folder = self.scratch.name
        self.programs = builds(options)  # name: path; the fastest first
        self.builds = list(self.programs)
        options.program = self.programs[self.builds[0]]
        self.file = None if options.dry_run else open(options.output, "w")

    def write(self, line):
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def measure(self, asked, words, ranks=1, limit=None, program=None, environment=None):
        """Runs the program and writes its JSON lines with `asked` added, or one line that says why there are none. Returns them."""
        command = [program or self.options.program, *words]
        if ranks > 1:
            command = [*shlex.split(os.environ.get("RHEOPLEX_MPIEXEC", "mpirun")), "-np", str(ranks), "--bind-to", "core", *command]
        self.done += 1
        name = " ".join(str(v) for v in [*asked.values(), f"np {ranks}"])
        if self.options.dry_run:
            print(f"{name}\n    {shlex.join(command)}")
            return []
        began = time.time()
        if self.options.budget and began - self.start > self.options.budget:
            self.failed += 1
            self.write({**asked, "failed": f"not started: {self.options.budget:.0f} s were up", "ranks": ranks})
            return []
        text, why = run(command, limit or self.options.limit, environment)
        lines = [] if why else [json.loads(line) for line in text.splitlines() if line.startswith("{")]
        if not lines:
            why = why or f"no result: {last_line(text)}"
            self.failed += 1
            lines = [{"failed": why, "ranks": ranks, "command": shlex.join(command)}]
        ready = next((float(line.split()[4]) for line in text.splitlines() if line.startswith("device program ready in")), None)
        for line in lines:
            self.write({**asked, **line, **({} if ready is None else {"program_ready_s": ready})})
        told = why or ", ".join(f"{line.get('kernel') or line.get('matrix') or line.get('bench')} "
                                f"{line.get('median_us', line.get('warm_us', 0)):.1f} us" for line in lines)
        print(f"[{time.time() - self.start:5.0f} s] {self.done:3d} {name}, {time.time() - began:.1f} s: {told}", flush=True)
        return [] if why else lines

    def rows(self, asked, words):
        """Runs a case and writes a line of what a step takes between the last two lines of its table."""
        command = [self.options.program, *words]
        self.done += 1
        if self.options.dry_run:
            print(f"{asked['diagnostic']}\n    {shlex.join(command)}")
            return
        began = time.time()
        shutil.rmtree(words[words.index("-output_folder") + 1], ignore_errors=True)
        text, why = run(command, self.options.limit)
        table = [line for line in text.partition("\nEnd at step")[0].splitlines() if line.split()[:1] in (["step"], [str(asked["first"] + asked["steps"])])]
        nodes = next((int(line.split(": ")[1].split()[0]) for line in text.splitlines() if " unknowns, " in line), None)
        if not why and (len(table) < 2 or nodes is None):
            why = f"no table: {last_line(text)}"
        if why:
            self.failed += 1
            self.write({**asked, "failed": why, "ranks": 1, "command": shlex.join(command)})
        else:  # the number that ends below the head of its column
            mean = 1e6 * float(table[-1][:table[0].index("s/step") + len("s/step")].split()[-1])
            self.write({**asked, "nodes": nodes, "ranks": 1, "device": words[words.index("-device") + 1], "mean_us": mean})
        print(f"[{time.time() - self.start:5.0f} s] {self.done:3d} {asked['diagnostic']}, {time.time() - began:.1f} s: {why or f'{mean:.1f} us a step'}", flush=True)

    def case(self, cell, size, stabiliser="devss,split_oss", physics=OLDROYD):
        """Options of the channel: in 2D the double aneurysm, in 3D a square channel; Oldroyd-B at Re 100, We 0.28, at rest."""
        dim = dimension(cell)
        profile = "2*(1-4*y^2),0" if dim == 2 else "2*(1-4*y^2)*(1-4*z^2),0,0"
        words = ["bench", "-case_name", f"{cell}_{size}", *physics, "-stabiliser", stabiliser, "-output_fields", "false",
                 "-output_folder", f"{self.folder}/out", "-pressure_ksp_rtol", "1e-6"]
        inlet, outlet, walls = ("inlet", "outlet", ("wall_bottom", "wall_top")) if dim == 2 else ("left", "right", ("bottom", "top", "back", "front"))
        if size == GMSH:
            inlet, outlet, walls = "inlet", "outlet", ("wall",)
        words += [f"-bc_{inlet}_type", "inlet", f"-bc_{inlet}_velocity", profile, f"-bc_{outlet}_type", "outlet",
                  f"-bc_{outlet}_polymer", "zero"]
        for wall in walls:
            words += [f"-bc_{wall}_type", "wall"]
        n = SIZES[dim][size]
        if size == GMSH:
            return [*words, "-mesh_file", self.gmsh(n)]
        if dim == 3:
            return [*words, "-mesh_box_faces", f"{2 * n},{n},{n}", "-mesh_box_lower", "0,-0.5,-0.5", "-mesh_box_upper", "2,0.5,0.5",
                    "-mesh_box_cell", cell]
        path = f"{self.folder}/aneurysm_{cell}_{n[0]}x{n[1]}.msh"
        if not os.path.exists(path) and not self.options.dry_run:
            bench_mesh.write(path, *n, cell)
        return [*words, "-mesh_file", path]

    def gmsh(self, n):
        """The channel as 112 n^2 hexes."""
        path = f"{self.folder}/channel_{n}.msh"
        if not os.path.exists(path) and not self.options.dry_run:
            subprocess.run(["gmsh", "-v", "2", "-3", "-format", "msh41", "-bin", "-setnumber", "nx", "112", "-setnumber", "ny", str(n),
                            "-setnumber", "nz", str(n), f"{ROOT}/meshes/channel3d.geo", "-o", path], check=True, stdout=subprocess.DEVNULL)
        return path

    def steps(self, part, cell, size, solver="default", ranks=1, graph=None, first=50, last=150, limit=None, build=None, law=None):
        """Whole steps from rest; graph None: on the CPU. build: one of self.builds, the first. law: its name, modes and variable."""
        if self.options.quick:
            first, last = 2, 6
        device = ["-device", "cpu"] if graph is None else ["-device", "cuda", "-scheme_lumped_graph", "true" if graph else "false"]
        asked = {"part": part, "cell": cell, "size": size, "stabiliser": "devss,split_oss", "solver": solver, "rtol": 1e-6,
                 "side": "cpu" if graph is None else "gpu", "first": first, "dt": time_step(dimension(cell), SIZES[dimension(cell)][size])}
        if graph is not None:
            asked["graph"] = graph
        else:
            asked["build"] = build or self.builds[0]
        words = self.case(cell, size)
        if law:
            asked.update(zip(("law", "modes", "variable"), law))
            words = [*self.case(cell, size, physics=polymer(*law[:2])), "-polymer_variable", law[2]]
        return self.measure(asked, [*words, "-scheme_lumped_dt", repr(asked["dt"]), *device, *SOLVERS[solver], "-bench_what",
                             "steps", "-bench_first", str(first), "-bench_last", str(last)], ranks, limit,
                            program=self.programs.get(asked.get("build")))

    def kernels(self, part, cell, size, stabiliser, ranks=1, assembly="atomic", repeat=20):
        side = "gpu" if self.options.gpu and ranks == 1 and part != "cpu" else "cpu"
        device = ["-bench_device", "cuda", "-assembly_residual", assembly] if side == "gpu" else []
        asked = {"part": part, "cell": cell, "size": size, "stabiliser": stabiliser}
        if side == "gpu":
            asked["assembly"] = assembly
        no_hierarchy = [*CG, "-pressure_pc_type", "jacobi"]
        self.measure(asked, [*self.case(cell, size, stabiliser), *device, *no_hierarchy, "-bench_repeat", str(3 if self.options.quick else repeat)], ranks)


def time_step(dim, n):
    """A fifth of the convective limit (largest velocity 2), three tenths of the viscous one (kinematic viscosity 0.01)."""
    h = (bench_mesh.LENGTH / n[0], 1.0 / n[1]) if dim == 2 else (1.0 / n,) * 3
    return float(f"{min(0.005, 0.2 * h[0] / 2, 0.3 / (2 * 0.01 * sum(v**-2 for v in h))):.3g}")


def last_line(text):
    return next((line for line in reversed(text.splitlines()) if any(c.isalnum() for c in line)), "no output")


def run(command, limit, environment=None):
    """Output and, if it failed, why."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               env={**os.environ, **(environment or {})})
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        out, err = process.communicate()
        return out, f"not done after {limit:.0f} s"
    if process.returncode:
        said = next((line for line in (err + out).splitlines() if "error:" in line.lower()), last_line(out + err))
        return out, f"exit code {process.returncode}: {said.strip()}"
    return out, None


def describe_processor(text):
    """Of the table of lscpu what tells processors of one name apart."""
    row = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in text.splitlines())}
    flags = row.get("Flags", "").split()
    wide = next((name for name in ("avx512f", "avx2") if name in flags), "neither avx2 nor avx512f")
    names = ("Vendor ID", "CPU family", "Model", "Stepping", "Thread(s) per core", "Core(s) per socket", "Socket(s)", "CPU MHz", "CPU max MHz", "L2 cache", "L3 cache", "Hypervisor vendor")
    return ", ".join([f"{name} {row[name]}" for name in names if row.get(name)] + [wide])


def builds(options):
    """Programs by the name of their vectors, such as "8 lanes (avx512f)": RHEOPLEX_NATIVE, if it runs here, and RHEOPLEX."""
    found = {}
    for path in (os.environ.get("RHEOPLEX_NATIVE"), options.program):
        if not path or options.dry_run:
            continue
        text, why = run([path, "--version"], 60)
        if why and path != options.program:
            print(f"{path} does not run on this processor: {why}", flush=True)
            continue
        version = next((line for line in text.splitlines() if line.strip().startswith("Rheoplex ")), "")
        found.setdefault(version.partition(", ")[2] or "unknown build", path)
    return found or {"build": options.program}


def provenance(program):
    def say(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=60).stdout.strip()
        except (OSError, subprocess.TimeoutExpired):
            return ""

    version = {}
    for line in say(program, "--version").splitlines():
        if line.startswith("Plugins"):
            break
        key, _, value = line.strip().partition(" ")
        version[key] = value.strip()
    commit = os.environ.get("RHEOPLEX_COMMIT") or say("git", "-C", ROOT, "rev-parse", "HEAD")
    if commit and not os.environ.get("RHEOPLEX_COMMIT") and say("git", "-C", ROOT, "status", "--porcelain", "-uno", "--", "src", "plugins", "kernels"):
        commit += " with changes"
    with open("/proc/cpuinfo") as f:
        processor = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    smi = say("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()
    found = {"commit": commit or "unknown commit", "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
             "cpu": processor, "cores": len(os.sched_getaffinity(0)), "processor": describe_processor(say("lscpu")), "version": version}
    if smi:
        found["gpu"], found["driver"] = (smi[0].split(", ") + [""])[:2]
    return {"provenance": found}


def cpu_limits(r, size):
    """Ranks for a size on the CPU: small meshes on one rank too, the largest on the two largest numbers asked for."""
    ranks = r.options.ranks
    return ranks[-2:] if size == "1M" else sorted({1, *ranks})


def part_kernels(r, part, dim):
    for cell in r.cells(dim):
        for size in r.sizes(dim, cell):
            for stabiliser in STABILISERS:
                for ranks in [1] if r.options.gpu else r.options.ranks:
                    r.kernels(part, cell, size, stabiliser, ranks, repeat=10 if size == "1M" and dim == 3 else 20)


def part_assembly(r):
    for cell in r.cells(2) + r.cells(3):
        for assembly in ("colour", "owner"):
            r.kernels("assembly", cell, r.sizes(dimension(cell))[-1], "gls", assembly=assembly, repeat=5)


def part_targets(r):
    """What the table of targets needs, the most wanted first."""
    large, small = ("2k", "2k") if r.options.quick else ("1M", "16k")
    for cell in r.cells(2) + r.cells(3):
        r.steps("targets", cell, large, graph=False)
        r.kernels("targets", cell, large, "gls", repeat=5)
        for size in (small, "2k") if cell == "quadrilateral" else ():
            for graph in (True, False):
                r.steps("targets", cell, size, graph=graph)
        if cell == "quadrilateral":
            r.kernels("targets", cell, small, "devss,split_oss")
            r.kernels("targets", cell, large, "devss,split_oss", repeat=5)


def part_best(r):
    """What the CPU does at its best: each multigrid and each build on the most ranks; the best of them from one rank on."""
    most = max(r.options.ranks)
    best = {}
    for build, cell in ((b, c) for b in r.builds for c in r.cells(2)[:1] + r.cells(3)):
        size = "1M" if r.options.gpu and not r.options.quick else r.sizes(dimension(cell), "tetrahedron")[-1]
        for solver in ("default", "gamg", *(("hypre", "hypre hmis") if dimension(cell) == 2 else ()), "hypre hmis aggressive"):
            for line in r.steps("best", cell, size, solver, most, first=20, last=30, limit=300, build=build):
                best[cell] = min(best.get(cell, (line["median_us"], solver)), (line["median_us"], solver))
    for cell in r.cells(2)[:1] + r.cells(3)[:1]:
        size = [s for s in r.sizes(dimension(cell), "tetrahedron") if s != "1M"][-1]
        for ranks in r.options.ranks:
            r.steps("best", cell, size, best.get(cell, (0, "default"))[1], ranks, first=20, last=30)


def part_steps(r, part, dim):
    for cell in r.cells(dim):
        for size in r.sizes(dim):
            for graph in (True, False):
                r.steps(part, cell, size, graph=graph)


def part_pressure(r):
    """PETSc's own multigrid beside the default, in steps on the device: needs a PETSc with CUDA."""
    for cell in r.cells(2)[:1] + r.cells(3):
        for size in [s for s in r.sizes(dimension(cell)) if s != "2k"] or r.sizes(dimension(cell)):
            for solver in ("default", "gamg", "gamg aggressive", "gamg threshold 0.02", "gamg one sweep"):
                r.steps("pressure", cell, size, solver, graph=False, first=20, last=30, limit=120)


def gpus():
    """How many there are."""
    try:
        return len(subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, timeout=60).stdout.split("GPU ")) - 1
    except (OSError, subprocess.TimeoutExpired):
        return 0


def part_ranks(r):
    """Steps on one GPU and on all, a rank each; also with all levels shared but the one that is inverted."""
    n = 2 if r.options.dry_run else gpus()
    for cell in r.cells(2)[:1] + r.cells(3)[:1] if n > 1 else ():
        for size in [s for s in r.sizes(dimension(cell)) if s != "2k"] or r.sizes(dimension(cell)):
            for ranks, solver in ((1, "default"), (n, "default"), (n, "all levels shared")):
                r.steps("ranks", cell, size, solver, ranks, graph=False, last=100)


def part_start(r):
    """Seconds to come by the kernels: compiled, and from the cache."""
    with tempfile.TemporaryDirectory() as cache:
        for start in ("cold", "warm"):
            words = [*r.case("quadrilateral", "2k"), "-bench_device", "cuda", "-bench_repeat", "3"]
            r.measure({"part": "start", "cell": "quadrilateral", "size": "2k", "start": start}, words, environment={"XDG_CACHE_HOME": cache})


def beside(program, path, name):
    """A program of the build folder, or the same beside rheoplex in a folder that was carried here; None: neither."""
    here = os.path.dirname(os.path.abspath(program))
    found = [p for p in (os.environ.get(name), f"{here}/../{path}", f"{here}/{os.path.basename(path)}") if p and os.path.exists(p)]
    return found[0] if found else None


COUNTERS = {  # of Nsight Compute, by the name that a line has for them
    "us": "gpu__time_duration.sum", "registers": "launch__registers_per_thread", "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "l1": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active", "fp64": "smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
    "issue": "smsp__issue_active.avg.pct_of_peak_sustained_active", "l2": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed", "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum"}
SCALE = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "nsecond": 1e-3, "usecond": 1.0, "msecond": 1e3}


def counters(text):
    """Values of the first kernel in the table of Nsight Compute."""
    names = {metric: name for name, metric in COUNTERS.items()}
    rows = list(csv.DictReader(line for line in text.splitlines() if line.startswith('"')))
    return {names[row["Metric Name"]]: float(row["Metric Value"].replace(",", "")) * SCALE.get(row["Metric Unit"], 1.0)
            for row in rows if row["ID"] == rows[0]["ID"] and row["Metric Name"] in names}


def part_profile(r):
    """What bounds the residual kernels: how busy the units of the device are, by Nsight Compute."""
    ncu = shutil.which("ncu")
    for cell in r.cells(2) + r.cells(3):
        size = r.sizes(dimension(cell))[-1]
        asked = {"part": "profile", "cell": cell, "size": size, "stabiliser": "gls", "profile": "residual"}
        words = [*r.case(cell, size, "gls"), "-bench_device", "cuda", *CG, "-pressure_pc_type", "jacobi", "-bench_repeat", "3"]
        command = [ncu or "ncu", "--clock-control", "none", "--csv", "-k", "regex:^rhx_residual$", "--launch-count", "1", "--metrics", ",".join(COUNTERS.values()),
                   r.options.program, *words]
        r.done += 1
        if r.options.dry_run:
            print(f"{' '.join(asked.values())}\n    {shlex.join(command)}")
            continue
        text, why = run(command, r.options.limit) if ncu else ("", "no program ncu")
        found = {} if why else counters(text)
        if set(found) != set(COUNTERS):
            r.failed += 1
            r.write({**asked, "failed": why or f"no counters: {last_line(text)}", "ranks": 1})
        else:
            r.write({**asked, "device": "cuda", **found})
        print(f"[{time.time() - r.start:5.0f} s] {r.done:3d} {' '.join(asked.values())}: {why or found}", flush=True)


def part_program(r, part, path, variable, words):
    program = beside(r.options.program, path, variable)
    if program or r.options.dry_run:
        for asked, arguments in words:
            r.measure({"part": part, **asked}, arguments, program=program or path, limit=240)
    else:
        r.failed += 1
        print(f"{part}: no {path} beside {r.options.program}: {variable} names it", flush=True)
        r.write({"part": part, "failed": f"no program {os.path.basename(path)}"})


def part_matrices(r):
    size = ["-bench_size", "0.01"] if r.options.quick else []
    part_program(r, "matrices", "tests/device/device_bench_matrix", "RHEOPLEX_BENCH_MATRIX", [
        ({"cell": cell}, ["-bench_cells", cell, *size]) for cell in ("triangle", "quadrilateral", "tetrahedron", "hexahedron")])


def part_solver(r):
    grids = [("0", "16,128,1"), ("0", "128,128,1"), ("0", "1000,1000,1"), ("1", "25,25,25"), ("1", "100,100,100"), ("2", "100,100,100")]
    part_program(r, "solver", "tests/solver/solver_bench_solver", "RHEOPLEX_BENCH_SOLVER",
                 [({}, ["-cell", cell, "-n", n]) for cell, n in (grids[:2] if r.options.quick else grids)])


def part_cpu(r, part, dim):
    """Whole steps on bound ranks, with each multigrid of PETSc; the kernels on as many ranks, for the shares."""
    for cell in r.cells(dim):
        for size in r.sizes(dim, cell):
            large = size == "1M"
            for ranks in cpu_limits(r, size):
                for solver in ("default",) if size in ("2k", *CPU_ONLY) else ("gamg", "hypre hmis" if dim == 2 else "hypre hmis aggressive"):
                    first, last = (50, 60) if large else (50, 100) if r.options.gpu or size in ("2k", "8k", "16k") else (10, 20)
                    r.steps(part, cell, size, solver, ranks, first=first, last=last)
            if r.options.gpu:
                r.kernels("cpu", cell, size, "devss,split_oss", max(cpu_limits(r, size)), repeat=5)


def best_on_cpu(r, cell, size, first, last):
    """Build and solver of the fastest steps of one mode on the most ranks."""
    solvers = ("default", "gamg", "hypre hmis") if cell in CELLS[2] else ("default", "gamg", "hypre hmis aggressive")
    found = [(line["median_us"], build, solver) for build in r.builds for solver in solvers
             for line in r.steps("best", cell, size, solver, max(r.options.ranks), first=first, last=last, limit=300, build=build)]
    return min(found)[1:] if found else (r.builds[0], "default")


WINDOWS = {"1M": (10, 20), "125k": (20, 30)}  # steps before the timed ones, last of those; else 50, 100


def part_modes(r):
    """The same steps by law, representation and number of modes on the device and on the most bound ranks, with the fastest build and solver there."""
    for cell in r.cells(2) + r.cells(3):
        sizes = [s for s in r.sizes(dimension(cell)) if r.options.quick or r.options.sizes or s in ("100k", "125k", "1M")]
        for size in sizes:
            first, last = WINDOWS.get(size, (50, 100))
            build, solver = best_on_cpu(r, cell, size, first, last)
            for law, modes, variable in itertools.product(r.options.laws.split(), MODES, ("stress", "logconf")):
                if law.startswith("fene") and variable == "stress":  # no linear spring
                    continue
                asked = {"first": first, "last": last, "law": (law, modes, variable)}
                r.steps("modes", cell, size, graph=size != "1M", **asked)
                r.steps("modes", cell, size, solver, max(r.options.ranks), limit=300, build=build, **asked)


LATER = "(1-exp(-10*t))"
CONDITIONS = {  # at an inlet, and beside it, of a channel whose flow is given at once or in time; U its mean velocity
    "a constant velocity": {"left_velocity": "{profile}"}, "a velocity in time": {"left_velocity": "{profile} in time"},
    "the same, stress of each moment": {"left_velocity": "{profile} in time", "left_polymer_memory": "off"}, "a flow rate in time": {"left_flow_rate": f"{{area}}*{LATER}"},
    "a pulsatile flow rate, Oldroyd-B": {"left_profile": "womersley", "left_flow_rate": "{area}*(1+0.5*sin(20*pi*t))", "left_period": "0.1", "law": "oldroydb"},
    "a Windkessel behind polymer developed": {"left_flow_rate": f"{{area}}*{LATER}", "right_type": "windkessel", "right_polymer": "developed", "right_proximal": "1", "right_distal": "3", "right_compliance": "0.1"}}
SCHEMES = {"lumped": ["-scheme", "lumped", "-scheme_lumped_dt", "1e-4"],
           "ssp3": ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", "ssp3", "-scheme_fractional_step_dt", "1e-4"]}


def conditions_case(r, dim, name):
    """A channel of PTT in log c; what its labels give depends on time as `name` says."""
    given = dict(CONDITIONS[name])
    across = {2: "1.5*(1-4*y^2)", 3: "2.25*(1-4*y^2)*(1-4*z^2)"}[dim]
    still = ",0" * (dim - 1)
    faces = {2: "16,8", 3: "6,4,4"}[dim] if r.options.quick else {2: "512,128", 3: "48,24,24"}[dim]
    words = ["bench", "-case_name", f"conditions_{dim}d", *polymer(given.pop("law", "ptt"), 1), "-polymer_variable", "logconf", "-stabiliser", WHOLE, "-output_fields", "false",
             "-output_folder", f"{r.folder}/out", "-pressure_ksp_rtol", "1e-6", "-mesh_box_faces", faces, "-mesh_box_lower", "0" + ",-0.5" * (dim - 1), "-mesh_box_upper", "2" + ",0.5" * (dim - 1),
             "-bc_left_type", "inlet"]
    for side in ("bottom", "top", "back", "front")[:2 * dim - 2]:
        words += [f"-bc_{side}_type", "wall"]
    if "right_type" not in given:
        words += ["-bc_right_type", "outlet"]
    for option, value in given.items():
        value = value.replace("{profile} in time", f"{across}*{LATER}{still}").replace("{profile}", across + still).replace("{area}", "1")
        words += [f"-bc_{option}", value]
    return words


def part_conditions(r):
    """What conditions that change in time cost a step: the host finds what they give."""
    for dim in (2, 3):
        if not r.cells(dim):
            continue
        for name in CONDITIONS:
            for scheme, words in SCHEMES.items():
                asked = {"part": "conditions", "cell": CELLS[dim][0], "condition": name, "scheme": scheme, "first": 2 if r.options.quick else 20}
                last = 6 if r.options.quick else 60
                r.measure(asked, [*conditions_case(r, dim, name), *words, "-device", "cuda" if r.options.gpu else "cpu", "-bench_what", "steps", "-bench_first", str(asked["first"]), "-bench_last", str(last)])


INTEGRATORS = {"lumped Euler": ["-scheme", "lumped"], **{name: ["-scheme", "fractional_step", "-scheme_fractional_step_integrator", name] for name in ("heun", "ssp3", "rk4", "bdf2")}}


def sides(r):
    """Side, ranks and words of the device and of the most bound ranks."""
    return [*([("gpu", 1, ["-device", "cuda"])] if r.options.gpu else []), ("cpu", max(r.options.ranks), ["-device", "cpu"])]


def part_unsteady(r):
    """A step of a Newtonian fluid by each integrator, on simplices; a cube under a lid from rest; steps of the wake DFG 2D-2 from where vortices are shed."""
    newtonian = ["-physics", "newtonian", "-physics_newtonian_viscosity", "0.01"]
    simplices = [c for c in r.cells(2) + r.cells(3) if c in ("triangle", "tetrahedron")]
    for cell, size in itertools.product(simplices, ("2k",) if r.options.quick else r.options.sizes or ("16k", "1M")):
        for (name, scheme), (side, ranks, device) in itertools.product(INTEGRATORS.items(), sides(r)):
            asked = {"part": "unsteady", "cell": cell, "size": size, "integrator": name, "side": side, "first": 2 if r.options.quick else 20 if side == "gpu" else 10,
                     "dt": time_step(dimension(cell), SIZES[dimension(cell)][size])}
            last = 6 if r.options.quick else 120 if side == "gpu" else 20
            r.measure(asked, [*r.case(cell, size, "split_oss", newtonian), *scheme, f"-scheme_{scheme[1]}_dt", repr(asked["dt"]), *device, "-bench_what", "steps",
                              "-bench_first", str(asked["first"]), "-bench_last", str(last)], ranks, 300)
    if "tetrahedron" in simplices:
        cube(r)
    wake(r)


def cube(r):
    """All steps but the first from rest to t = 0.1 in a unit cube of tets under a watertight lid, Re 100; dt is .8 of the limits of rk4 by 56 cells a side."""
    dt, n = 0.002, 8 if r.options.quick else 56
    words = ["bench", "-case_name", "cube", "-mesh_box_cell", "tetrahedron", "-mesh_box_faces", f"{n},{n},{n}", "-mesh_box_lower", "0,0,0", "-mesh_box_upper", "1,1,1", "-physics", "newtonian",
             "-physics_newtonian_viscosity", "0.01", "-stabiliser", "split_oss", "-output_fields", "false", "-output_folder", f"{r.folder}/out", "-pressure_ksp_rtol", "1e-6",
             *(w for wall in ("left", "right", "bottom", "back", "front") for w in (f"-bc_{wall}_type", "wall")), "-bc_top_type", "moving_wall", "-bc_top_velocity", "1,0,0"]
    for name, (side, ranks, device) in itertools.product(("ssp3", "rk4", "bdf2"), sides(r)):
        asked = {"part": "unsteady", "cell": "tetrahedron", "size": "cube", "integrator": name, "side": side, "first": 1, "dt": dt}
        r.measure(asked, [*words, *INTEGRATORS[name], "-scheme_fractional_step_dt", repr(dt), *device, "-bench_what", "steps", "-bench_first", "1", "-bench_last", "6" if r.options.quick else "50"], ranks, 300)


def wake(r):
    """On the mesh that is shipped and on its triangles cut in 16, with a quarter of dt; from the state at t = 6, by the first side."""
    words = [f"{ROOT}/options/dfg_2d2.yaml", "-mesh_file", f"{ROOT}/meshes/dfg_cylinder.msh", "-output_folder", f"{r.folder}/wake"]
    first, last = (2, 6) if r.options.quick else (50, 250)
    begin = [r.options.program, "run", *words, "-stop_time", "0.1" if r.options.quick else "6", "-output_every", "0", *sides(r)[0][2]]
    why = None if r.options.dry_run else run(begin, r.options.limit)[1]
    if r.options.dry_run:
        print(f"unsteady wake\n    {shlex.join(begin)}")
    if why:
        r.write({"part": "unsteady", "failed": why, "ranks": 1, "command": shlex.join(begin)})
        return
    for (refined, dt), (side, ranks, device) in itertools.product(((0, 0.002), (2, 0.0005)), sides(r)):
        asked = {"part": "unsteady", "cell": "triangle", "size": f"wake, {refined}", "integrator": "bdf2", "side": side, "first": first, "dt": dt}
        r.measure(asked, ["bench", *words[:3], "-output_folder", f"{r.folder}/out", "-case_restart", f"{r.folder}/wake/dfg_2d2_checkpoint.h5", "-case_restart_mesh", "map", "-dm_refine", str(refined),
                          "-scheme_fractional_step_dt", repr(dt), *device, "-bench_what", "steps", "-bench_first", str(first), "-bench_last", str(last)], ranks, 300)


WALLS = "bottom,top,back,front"
DIAGNOSTICS = {  # options of one named d, with a row a step unless `every` is among them
    "none": {}, "probe": {"kind": "probe", "points": "1,0.3,0.4; 2,0.5,0.5"}, "line": {"kind": "line", "from": "0,0.5,0.5", "to": "4,0.5,0.5"}, "section": {"kind": "section", "point": "2,0.5,0.5", "normal": "1,0,0"},
    "flux": {"kind": "flux", "label": "right"}, "mean_pressure": {"kind": "mean_pressure", "label": "left,right"}, "pressure_difference": {"kind": "pressure_difference", "label": "left,right"},
    "forces": {"kind": "forces", "label": WALLS}, "forces with parts": {"kind": "forces", "label": WALLS, "parts": "true"}, "wall_average": {"kind": "wall_average", "label": WALLS}, "wall": {"kind": "wall", "label": WALLS, "every": "10"},
    "extrema": {"kind": "extrema", "fields": "velocity,pressure"}, "extrema of shear_rate": {"kind": "extrema", "fields": "shear_rate"}, "integral": {"kind": "integral", "fields": "velocity,pressure"},
    "integral of shear_rate": {"kind": "integral", "fields": "shear_rate"}, "average": {"kind": "average", "fields": "velocity,pressure"}, "average of vorticity": {"kind": "average", "fields": "vorticity"},
    "energy": {"kind": "energy"}, "health": {"kind": "health"}, "resolution": {"kind": "resolution", "every": "10"}}


def part_diagnostics(r):
    """What a row of each diagnostic costs: the mean step of the third quarter of a run, less that without, times the steps a row; tets, a Newtonian fluid, bdf2. The last
    step writes files."""
    if "tetrahedron" not in r.cells(3):
        return
    faces, steps = ("6,4,4", 40) if r.options.quick else ("128,36,36", 200) if r.options.gpu else ("48,14,14", 40)
    words = ["run", "-case_name", "rows", "-mesh_box_cell", "tetrahedron", "-mesh_box_faces", faces, "-mesh_box_lower", "0,0,0", "-mesh_box_upper", "4,1,1", "-physics", "newtonian", "-physics_newtonian_viscosity", "0.01", "-stabiliser", "split_oss",
             "-bc_left_type", "inlet", "-bc_left_velocity", "36*y*(1-y)*z*(1-z)*(1-exp(-10*t)),0,0", "-bc_right_type", "outlet", *(w for wall in WALLS.split(",") for w in (f"-bc_{wall}_type", "wall")), "-scheme", "fractional_step",
             "-scheme_fractional_step_dt", "0.001", "-stop_steps", str(steps), "-case_report_every", str(steps // 4), "-case_report_seconds", "0", "-output_every", "0", "-output_fields", "false", "-pressure_ksp_rtol", "1e-6",
             "-device", "cuda" if r.options.gpu else "cpu"]
    for name, options in DIAGNOSTICS.items():
        given = {f"-diagnostic_d_{key}": value for key, value in {"every": "1", **options}.items() if options}
        r.rows({"part": "diagnostics", "cell": "tetrahedron", "diagnostic": name, "every": int(options.get("every", 1)), "first": steps // 2, "steps": steps // 4}, [*words, "-output_folder", f"{r.folder}/rows", *(w for pair in given.items() for w in pair)])


def part_laws(r):
    for dim, faces in ((2, "96,96"), (3, "20,20,20")):
        walls = ("left", "right", "bottom", "top", "back", "front")[:2 * dim]
        for law, more in LAWS.items():
            parameters = {"viscosity": 1, "lambda": 1, **more}
            for variable in VARIABLES:
                if law.startswith("fene") and variable == "stress":  # no linear spring
                    continue
                words = ["bench", "-case_name", "laws", "-mesh_box_faces", faces, "-physics", f"newtonian,{law}", "-physics_newtonian_viscosity", "1",
                         *(w for k, v in parameters.items() for w in (f"-physics_{law}_{k}", str(v))), "-polymer_variable", variable,
                         "-stabiliser", "devss,split_oss", "-output_folder", f"{r.folder}/out"]
                r.measure({"part": "laws", "cell": CELLS[dim][0], "law": law, "variable": variable},
                          words + [w for wall in walls for w in (f"-bc_{wall}_type", "wall")])


def arguments():
    parser = argparse.ArgumentParser(prog="share/benchmark", description=__doc__)
    parser.add_argument("--gpu", action="store_true", help="measure the device too")
    parser.add_argument("--quick", action="store_true", help="smallest meshes and few repetitions: does everything run?")
    parser.add_argument("--dry-run", action="store_true", help="print the commands only")
    parser.add_argument("--ranks", help=f'ranks of the CPU runs (default: {" ".join(map(str, RANKS))}, as many as there are cores)')
    parser.add_argument("--sizes", help='such as "2k 16k" (default: all; 8k and 200k without --gpu only, 1M with it only)')
    parser.add_argument("--cells", default="quadrilateral triangle hexahedron tetrahedron", help="of these (all)")
    parser.add_argument("--laws", default="oldroydb ptt giesekus fene_p", help="of the part modes")
    parser.add_argument("--part", help=f"of {', '.join(PARTS)}; comma-separated (default: all that can run but targets)")
    parser.add_argument("--limit", type=float, default=180, help="seconds a measurement may take (180)")
    parser.add_argument("--budget", type=float, help="seconds after which no measurement is started")
    parser.add_argument("--output", help="file of JSON lines (default: share/doc/benchmarks/<gpu|cpu>[-parts].jsonl)")
    o = parser.parse_args()
    o.program = os.environ.get("RHEOPLEX", "rheoplex")
    o.parts = o.part.split(",") if o.part else list(GPU_PARTS if o.gpu else CPU_PARTS)
    wrong = [p for p in o.parts if p not in (PARTS if o.gpu else CPU_PARTS)]
    if wrong:
        parser.error(f"--part: got {wrong[0]}, expected {', '.join(PARTS if o.gpu else CPU_PARTS)}{'' if o.gpu else ' (more with --gpu)'}")
    known = {s for d in SIZES.values() for s in d}
    o.sizes = o.sizes.split() if o.sizes else None
    if o.sizes and not known.issuperset(o.sizes):
        parser.error(f"--sizes: got {' '.join(o.sizes)}, expected some of {' '.join(sorted(known))}")
    strange = set(o.cells.split()) - {*CELLS[2], *CELLS[3]}
    if strange:
        parser.error(f"--cells: got {' '.join(sorted(strange))}, expected some of {' '.join(CELLS[2] + CELLS[3])}")
    cores = 14 if o.dry_run else len(os.sched_getaffinity(0))
    o.ranks = sorted(int(n) for n in o.ranks.split()) if o.ranks else [2] if o.quick else [n for n in RANKS if n <= cores]
    o.output = o.output or f"{ROOT}/share/doc/benchmarks/{'gpu' if o.gpu else 'cpu'}{'-' + '-'.join(o.parts) if o.part else ''}.jsonl"
    return o


def main():
    o = arguments()
    if not o.dry_run:
        os.makedirs(os.path.dirname(os.path.abspath(o.output)), exist_ok=True)
    r = Runner(o)
    usual = o.sizes or (["2k"] if o.quick else {s for d in SIZES.values() for s in d} - {*(CPU_ONLY if o.gpu else ("1M",)), "8M"})
    r.sizes = lambda dim, cell="": [s for s in SIZES[dim] if s in usual and not (s == GMSH and cell == "tetrahedron")]
    r.cells = lambda dim: tuple(c for c in CELLS[dim] if c in o.cells.split())
    if not o.dry_run:
        r.write(provenance(o.program))
    for part in o.parts:
        if part[-2:] in ("2d", "3d") and not r.sizes(int(part[-2])):
            continue
        if part.startswith("kernels"):
            part_kernels(r, part, int(part[-2]))
        elif part.startswith("steps"):
            part_steps(r, part, int(part[-2]))
        elif part.startswith("cpu"):
            part_cpu(r, part, int(part[-2]))
        else:
            {"targets": part_targets, "best": part_best, "assembly": part_assembly, "pressure": part_pressure, "start": part_start, "matrices": part_matrices, "solver": part_solver,
             "profile": part_profile, "ranks": part_ranks, "modes": part_modes, "conditions": part_conditions, "unsteady": part_unsteady,
             "diagnostics": part_diagnostics, "laws": part_laws}[part](r)
    print(f"{r.done} measurements, {r.failed} failed{'' if o.dry_run else ': ' + o.output}", flush=True)


if __name__ == "__main__":
    sys.exit(main())

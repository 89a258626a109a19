"""Makes benchmarks.md and its plots from the JSON lines of share/benchmark: bench_report.py [-o out.md] [lines.jsonl...]
(default: all of share/doc/benchmarks into share/doc/benchmarks.md). Of equal measurements the latest counts; one that failed
is listed unless it succeeded elsewhere on the same machine."""
import argparse
import glob
import itertools
import json
import os
import sys

DOC = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "doc")
CELLS = ("quadrilateral", "triangle", "hexahedron", "tetrahedron")
PLURAL = {"quadrilateral": "quads", "triangle": "triangles", "hexahedron": "hexes", "tetrahedron": "tets"}
SIZES = ("2k", "8k", "16k", "100k", "125k", "200k", "1M", "8M")
KEY = ("cell", "cells", "size", "stabiliser", "solver", "build", "first", "graph", "assembly", "law", "modes", "variable", "condition", "scheme", "integrator", "diagnostic", "start", "ranks", "device", "kernel", "matrix",
       "bench", "profile", "pc", "stretch", "nodes", "failed")
RESIDUAL_TARGET = {"quadrilateral": 130, "triangle": 150, "hexahedron": 680, "tetrahedron": 950}
MATRIX_TARGET = {"triangle": 3 * 1600, "quadrilateral": 3 * 2500, "tetrahedron": 3 * 12000, "hexahedron": 3 * 26000}
WHOLE = "devss,split_oss"
GAMG = ("gamg", "gamg aggressive", "gamg threshold 0.02", "gamg one sweep")
HYPRE = ("hypre", "hypre hmis", "hypre hmis aggressive", "hypre pmis")
TIME, COUNT = (int, float), int
FIELDS = {  # of the lines of a kind, with their types
    "step": {"cell": str, "size": str, "solver": str, "device": str, "nodes": COUNT, "ranks": COUNT, "median_us": TIME, "us_per_node": TIME,
             "pressure_us": TIME, "iterations_median": COUNT, "iterations_max": COUNT, "arrays_to_device": COUNT, "arrays_to_host": COUNT, "setup_s": TIME},
    "conditions": {"cell": str, "condition": str, "scheme": str, "device": str, "nodes": COUNT, "median_us": TIME, "given_us": TIME},
    "unsteady": {"cell": str, "size": str, "integrator": str, "device": str, "nodes": COUNT, "ranks": COUNT, "dt": TIME, "steps": COUNT, "median_us": TIME, "iterations_median": COUNT, "setup_s": TIME},
    "diagnostics": {"cell": str, "diagnostic": str, "every": COUNT, "device": str, "nodes": COUNT, "mean_us": TIME},
    "copy": {"device": str, "median_us": TIME, "model_GB_per_s": TIME},
    "kernel": {"cell": str, "device": str, "nodes": COUNT, "ranks": COUNT, "median_us": TIME, "us_per_node": TIME, "model_GB_per_s": TIME},
    "matrix": {"cells": str, "nodes": COUNT, "values": COUNT, "assembly": str, "median_us": TIME},
    "pressure solve": {"cell": str, "nodes": COUNT, "pc": str, "cold_us": TIME, "cold_its": COUNT, "warm_us": TIME, "warm_its": COUNT, "set_up_s": TIME},
    "profile": {"cell": str, "size": str, "registers": TIME, "l1": TIME, "fp64": TIME},
    "failed": {"failed": str},
}


class Malformed(Exception):
    pass


def kind(line):
    if "failed" in line:
        return "failed"
    if "condition" in line:
        return "conditions"
    if "integrator" in line:
        return "unsteady"
    if "diagnostic" in line:
        return "diagnostics"
    if "kernel" in line:
        return line["kernel"] if line["kernel"] in FIELDS else "kernel"
    return "matrix" if "matrix" in line else "profile" if "profile" in line else line.get("bench")


def check(line, at):
    name = kind(line)
    if name not in FIELDS:
        raise Malformed(f"{at}: none of kernel, matrix, bench and failed in it")
    for field, wanted in FIELDS[name].items():
        value = line.get(field)
        if not isinstance(value, wanted) or isinstance(value, bool) or (wanted is not str and not value >= 0) or (field == "median_us" and not value > 0):
            raise Malformed(f"{at}: {field} of a line of kind {name}: got {value}, expected {'text' if wanted is str else 'a number'}")


def read(paths):
    """Lines as dictionaries; each with "from", the provenance that the file gave before it."""
    found = {}
    for path in paths:
        given = None
        with open(path) as f:
            for number, text in enumerate(f, 1):
                try:
                    line = json.loads(text)
                except ValueError as error:
                    raise Malformed(f"{path}:{number}: no JSON: {error}") from None
                if not isinstance(line, dict):
                    raise Malformed(f"{path}:{number}: got {text.strip()[:60]}, expected an object")
                if "provenance" in line:
                    given = line["provenance"]
                    continue
                if given is None:
                    raise Malformed(f"{path}:{number}: no line of provenance before it")
                check(line, f"{path}:{number}")
                if kind(line) in ("conditions", "unsteady", "diagnostics"):
                    line["kernel"] = kind(line)  # not a step of those that are compared by size
                key = machine({"from": given}) + tuple(str(line.get(k)) for k in KEY)
                if key not in found or given["date"] >= found[key]["from"]["date"]:
                    found[key] = {**line, "from": given}
    return [line for line in found.values() if "failed" not in line or not any(made_up_for(line, other) for other in found.values())]


def made_up_for(failed, other):
    asked = [k for k in KEY if k in failed and k not in ("failed", "device")]
    return "failed" not in other and machine(failed) == machine(other) and all(failed[k] == other.get(k) for k in asked)


def on_gpu(line):
    return line.get("device", "cpu") != "cpu"


def machine(line):
    return tuple(line["from"].get(k) for k in ("gpu", "cpu", "cores"))


def program(line):
    """The commit that was measured."""
    commit = line["from"]["commit"]
    return commit[:7], "with changes" in commit


def newest(lines):
    """Of several programs the lines of the one that was measured last."""
    last = max(lines, key=lambda line: line["from"]["date"], default=None)
    return [line for line in lines if program(line) == program(last)]


def over(cpu, gpu):
    """How many times as long the CPU takes; None where a side is missing or the two are of different programs."""
    return cpu["median_us"] / gpu["median_us"] if cpu and gpu and program(cpu) == program(gpu) else None


def hardware(line):
    gpu, cpu, cores = machine(line)
    return f"{gpu + ', ' if gpu else ''}{cpu}, {cores} cores"


def origin(line):
    p = line["from"]
    commit = p["commit"].split()[0][:12] + (" with changes" if "with changes" in p["commit"] else "")
    return f"{hardware(line)}{', driver ' + p['driver'] if p.get('driver') else ''}; commit {commit}, {p['date'][:10]}"


def sources(lines):
    """What the lines were measured on."""
    kinds = list(dict.fromkeys(origin(line) for line in lines))
    return "Measured on: " + " | ".join(kinds) + "." if kinds else ""


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)] + ["| " + " | ".join(row) + " |" for row in rows]


def us(value):
    if value is None:
        return "-"
    return f"{value / 1000:.2f} ms" if value >= 1000 else f"{value:.1f} us"


def percent(value):
    return "-" if value is None else f"{value:.0f} %"


def number(value, form):
    return "-" if value is None else format(value, form)


class Results:
    """The lines of one machine; name: the start of its plots' names."""

    def __init__(self, lines, name):
        self.name = name
        self.gpu = bool(lines[0]["from"].get("gpu")) and any(line.get("part") != "ranks" for line in lines)  # else for several GPUs only
        self.title = hardware(lines[0])
        self.failed = [line for line in lines if "failed" in line]
        self.good = [line for line in lines if "failed" not in line]

    def pick(self, **want):
        return [line for line in self.good if all(line.get(k) == v for k, v in want.items())]

    def steps(self, cell, size, gpu, **want):
        """On one GPU, or on the CPU with any number of ranks, of the program that was measured last."""
        if gpu:
            want.setdefault("ranks", 1)
        want.setdefault("law", None)
        return newest([line for line in self.pick(kernel="step", cell=cell, size=size, **want) if on_gpu(line) == gpu])

    def best(self, cell, size, gpu, value=lambda line: line["median_us"], **want):
        """Of steps with the default solver on the device, of all on the CPU; None: there is none."""
        if gpu:
            want.setdefault("solver", "default")
        return min(self.steps(cell, size, gpu, **want), key=value, default=None)

    def kernel(self, cell, size, name, stabiliser, gpu, ranks=None):
        found = [line for line in self.pick(cell=cell, size=size, kernel=name, stabiliser=stabiliser)
                 if on_gpu(line) == gpu and line.get("assembly", "atomic") == "atomic" and ranks in (None, line["ranks"])]
        return min(found, key=lambda line: line["median_us"], default=None)

    def ceiling(self, line):
        """GB/s of a copy: of the same case if it was measured, else the best of the same machine."""
        copies = [c for c in self.pick(kernel="copy") if c["device"] == line["device"]]
        same = [c for c in copies if c.get("case") == line.get("case") and c.get("stabiliser") == line.get("stabiliser") and c["from"] == line["from"]]
        return max((c["model_GB_per_s"] for c in same or copies), default=None)

    def fraction(self, line):
        top = self.ceiling(line) if on_gpu(line) else None
        return line["model_GB_per_s"] / top if top else None


def without(line):
    """Microseconds of a step without its pressure solve; None where that was not timed."""
    return line["median_us"] - line["pressure_us"] if line and line["pressure_us"] > 0 else None


def ratios(r, cell, size):
    """(CPU over GPU for the whole step, without the pressure solve); None where `over` has none or pressure was not timed."""
    cpu, gpu = r.best(cell, size, False), r.best(cell, size, True)
    whole = over(cpu, gpu)
    bare = [min((v for v in map(without, r.steps(cell, size, gpu_side, **({"solver": "default"} if gpu_side else {}))) if v is not None), default=None)
            for gpu_side in (False, True)]
    return whole, (bare[0] / bare[1] if whole and None not in bare else None)


def lowest(dim):
    """How many times as long the CPU is to take at least."""
    return 60 if dim == 2 else 40


def dimension(cell):
    return 2 if cell in CELLS[:2] else 3


def by_law(r):
    """Targets of all laws, variables and one and four modes, at the worst of each."""
    pairs = mode_pairs(r)
    large = {key: pair for key, pair in pairs.items() if key[1] > 900000}
    for cell in CELLS:
        mine = {key[2:]: pair for key, pair in large.items() if key[0] == cell}
        latest = newest([gpu for gpu, _ in mine.values() if gpu])
        ratio = min((v for v in (over(cpu, gpu) for gpu, cpu in mine.values() if gpu in latest) if v), default=None)
        yield f"step, {PLURAL[cell]}, 1M nodes, any law, variable and number of modes: CPU over GPU", f">= {lowest(dimension(cell))}", ratio and f"{ratio:.1f}", ratio and ratio >= lowest(dimension(cell))
        for what, limit, others in (("log c over stress", 1.6, [((law, m, "logconf"), (law, m, "stress")) for law, m, v in mine if v == "logconf"]),
                                    ("four modes over one", 2.5, [((law, 4, v), (law, 1, v)) for law, m, v in mine if m == 4])):
            found = [mine[one][0]["median_us"] / mine[two][0]["median_us"] for one, two in others if two in mine and all(mine[key][0] in latest for key in (one, two))]
            t = max(found, default=None)
            yield f"the same, {what} on the GPU", f"<= {limit}", t and f"{t:.2f}", t and t <= limit
    tets = [gpu for key, (gpu, _) in pairs.items() if key[0] == "tetrahedron" and key[3] == 4 and gpu]
    t = max((v["median_us"] for v in tets if v["nodes"] < 200000), default=None)
    yield "step, tets, 126k nodes, four modes", "<= 4 ms", t and us(t), t and t <= 4000
    t = max((v["device_bytes"] for v in tets if v["nodes"] > 900000 and v.get("device_bytes")), default=None)
    yield "memory of the GPU, tets, 1M nodes, four modes", "<= 40 GB", t and f"{t / 1e9:.1f} GB", t and t <= 40e9


def targets(r):
    """Rows (what, target, got, met); got None: not measured."""
    for cell in CELLS:
        whole, _ = ratios(r, cell, "1M")
        limit = lowest(dimension(cell))
        yield f"step, {PLURAL[cell]}, 1M nodes: best CPU run over GPU", f">= {limit}", whole and f"{whole:.1f}", whole and whole >= limit
    yield from by_law(r)
    for cell, size, limit in (("quadrilateral", "16k", 150), ("quadrilateral", "2k", 45)):
        line = r.best(cell, size, True)
        t = line and line["median_us"]
        yield f"Euler step with pressure, quads, {size} nodes", f"<= {limit} us", t and us(t), t and t <= limit
    parts = [r.kernel("quadrilateral", "16k", name, WHOLE, True) for name in ("residual", "project")]
    t = sum(p["median_us"] for p in parts) if None not in parts else None
    yield "residual and projections, quads, 16k nodes", "<= 60 us", t and us(t), t and t <= 60
    for cell, size, limit in (("quadrilateral", "1M", 1200), ("hexahedron", "1M", 1200), ("tetrahedron", "1M", 2000), ("quadrilateral", "16k", 120), ("quadrilateral", "2k", 20)):
        timed = [line for line in r.steps(cell, size, True, solver="default") if line["pressure_us"] > 0]
        line = min(timed, key=lambda v: v["pressure_us"], default=None)
        t = line and line["pressure_us"]
        yield (f"pressure solve in the step, rtol 1e-6, {PLURAL[cell]}, {size} nodes", f"<= {limit / 1000:g} ms",
               t and f"{us(t)} ({line['iterations_median']} iterations)", t and t <= limit)
    for cell, limit in RESIDUAL_TARGET.items():
        line = r.kernel(cell, "1M", "residual", "gls", True)
        t = line and line["median_us"]
        yield f"residual kernel, `gls`, {PLURAL[cell]}, 1M nodes", f"<= {limit} us", t and us(t), t and t <= limit
    for cell, limit in MATRIX_TARGET.items():
        found = [line["median_us"] for line in r.pick(matrix="tangent", cells=cell) if line["nodes"] > 500000]
        t = min(found, default=None)
        yield (f"block matrix, generic tangent, {PLURAL[cell]}, {'1M' if cell in CELLS[:2] else '729k'} nodes", f"<= {limit / 1000:g} ms", t and us(t),
               t and t <= limit)
    steps = [line for line in r.pick(kernel="step") if on_gpu(line) and line.get("solver") == "default"]
    arrays = max((line["arrays_to_device"] + line["arrays_to_host"] for line in steps), default=None)
    yield "arrays between host and device in the timed steps", "0", None if arrays is None else str(arrays), None if arrays is None else arrays == 0
    setups = [line["setup_s"] for line in steps if line["size"] == "1M" and line["ranks"] == 1]
    t = max(setups, default=None)
    yield "set-up, 1M nodes, one rank", "< 20 s", t and f"{t:.1f} s", t and t < 20
    warm = [line["program_ready_s"] for line in r.pick(start="warm") if "program_ready_s" in line]
    t = min(warm, default=None)
    yield "kernels from the cache", "< 1 s", t and f"{t:.3f} s", t and t < 1


def target_section(r):
    if not r.gpu:
        return []
    rows = [(what, aim, got or "not measured", "-" if not got else "yes" if met else "**no**") for what, aim, got, met in targets(r)
            if got or not r.pick(part="ranks")]  # of a machine of several GPUs only what was measured
    used = [line for line in r.good if on_gpu(line) or line.get("size") == "1M"]
    return ["### Targets", "", "Forward Euler, projection; steps with `devss,split_oss`, rtol 1e-6 and warm start, timed from rest, of Oldroyd-B in stress unless a law is said.",
            "CPU: the fastest run of those measured on the machine.", "", *table(("what", "target", "measured", "met"), rows), "", sources(used), ""]


def spans(lines):
    """Steps that were timed, such as 51-150."""
    return [f"{first + 1}-{first + n}" for first, n in sorted({(v.get("first", 0), v.get("steps", 0)) for v in lines})]


def step_section(r):
    rows, used = [], []
    for cell in CELLS:
        for size in SIZES:
            cpu, gpu = r.best(cell, size, False), r.best(cell, size, True)
            if not cpu and not gpu:
                continue
            used += [line for line in (cpu, gpu) if line]
            whole, bare = ratios(r, cell, size)
            rows.append((PLURAL[cell], str((gpu or cpu)["nodes"]), us(gpu and gpu["median_us"]),
                         "-" if not gpu else "graph" if gpu.get("graph") else "launches", str(gpu["iterations_median"]) if gpu else "-",
                         us(cpu and cpu["median_us"]), f"{cpu['ranks']} x {cpu['solver']}" if cpu else "-", str(cpu["iterations_median"]) if cpu else "-",
                         number(cpu and cpu["us_per_node"], ".3f"), number(whole, ".1f"), number(bare, ".1f")))
    head = ("cells", "nodes", "GPU step", "as", "iterations", "CPU step", "ranks x solver", "iterations", "CPU us a node", "CPU/GPU",
            "without pressure")
    timed = "; ".join(f"{side}: steps {', '.join(spans(v for v in used if on_gpu(v) == gpu))}" for side, gpu in (("GPU", True), ("CPU", False))
                      if any(on_gpu(v) == gpu for v in used))
    return section(r, "Whole steps", "Median time of a step; iterations: median of the pressure solves (1 on the CPU at the smallest sizes: a factorisation). The double aneurysm in 2D, a square "
                   f"channel in 3D. {timed}. A ratio is of one program (commit); - where its two sides are of different ones.", head, rows, used, plot(r, "steps", "time per step over nodes", rows))


def cpu_section(r):
    """What a ratio stands on: the processor, the build, the ranks and the solver."""
    found = [line for line in r.pick(part="best", kernel="step") if not on_gpu(line)]
    rows = []
    for line in sorted(found, key=lambda v: (CELLS.index(v["cell"]), SIZES.index(v["size"]), v["median_us"])):
        rows.append((PLURAL[line["cell"]], str(line["nodes"]), line["build"], str(line["ranks"]), line["solver"], str(line["iterations_median"]), us(line["median_us"]),
                     us(line["pressure_us"]), us(without(line)), number(over(line, r.best(line["cell"], line["size"], True)), ".1f")))
    told = " | ".join(dict.fromkeys(line["from"].get("processor", "not described") for line in found))
    head = ("cells", "nodes", "build", "ranks", "solver", "iterations", "step", "pressure", "the rest", "over GPU")
    return section(r, "The CPU at its best", f"Steps {', '.join(spans(found))}, the fastest first; one thread a rank, ranks bound to cores. hmis: HMIS coarsening, ext+i interpolation, four entries a "
                   f"row; hypre: its own defaults. Processor: {told}.", head, rows, found) if found else []


def section(r, title, text, head, rows, used, picture=""):
    """On a machine without a GPU what was not measured is left out."""
    if not rows:
        return [f"### {title}", "", "Not measured.", ""] if r.gpu else []
    return [f"### {title}", "", *([text, ""] if text else []), *table(head, rows), "", *([picture, ""] if picture else []), sources(used), ""]


def plot(r, name, what, drawn):
    return f"![{what}](benchmarks/{r.name}-{name}.svg)" if drawn else ""


def place(line):
    """Where it ran."""
    return ("GPU" if line["ranks"] == 1 else f"{line['ranks']} GPUs") if on_gpu(line) else f"CPU, {line['ranks']} rank{'s' * (line['ranks'] > 1)}"


def ranks_of(r, gpu):
    """Numbers of ranks that were measured."""
    return sorted({line["ranks"] for line in r.pick(kernel="step") if on_gpu(line) == gpu})


def shares(r, cell, size, gpu, ranks=None):
    """(residual, projections, pressure, rest, whole) in microseconds and the lines used; None if something is missing."""
    timed = [line for line in r.steps(cell, size, gpu, **({"solver": "default"} if gpu else {}))
             if line["pressure_us"] > 0 and ranks in (None, line["ranks"])]
    step = min(timed, key=lambda line: line["median_us"], default=None)
    if not step:
        return None
    parts = [r.kernel(cell, size, name, WHOLE, gpu, step["ranks"]) for name in ("residual", "project")]
    if None in parts:
        return None
    t = [p["median_us"] for p in parts] + [step["pressure_us"]]
    return t + [step["median_us"] - sum(t), step["median_us"]], [step, *parts]


def share_section(r):
    rows, used = [], []
    for cell in CELLS:
        for size in SIZES:
            for gpu in (True, False):
                for t, lines in filter(None, (shares(r, cell, size, gpu, ranks) for ranks in ranks_of(r, gpu))):
                    used += lines
                    rows.append((PLURAL[cell], str(lines[0]["nodes"]), place(lines[0]), *(f"{us(v)} ({100 * v / t[4]:.0f} %)" for v in t[:4]),
                                 us(t[4]), f"{t[4] / lines[0]['nodes']:.3g}"))
    return section(r, "Share of each part of a step", "Launch by launch, which tells the time of the pressure solve; residual and projections as kernels by "
                   "themselves.", ("cells", "nodes", "on", "residual", "projections", "pressure", "rest", "whole", "us a node"), rows, used,
                   plot(r, "shares", "share of each part", rows))


def kernel_section(r):
    rows, used = [], []
    for gpu in (True, False):
        for cell in CELLS:
            for size in SIZES:
                for stabiliser in ("gls", WHOLE):
                    for name, ranks in itertools.product(("residual", "project", "divergence", "gradient"), [None] if gpu else ranks_of(r, gpu)):
                        line = r.kernel(cell, size, name, stabiliser, gpu, ranks)
                        if line and (gpu or name == "residual"):
                            used.append(line)
                            fraction = r.fraction(line)
                            rows.append((f"{name}, {stabiliser}", PLURAL[cell], str(line["nodes"]), place(line),
                                         us(line["median_us"]), f"{line['us_per_node']:.5f}", f"{line['model_GB_per_s']:.0f}",
                                         "-" if fraction is None else f"{100 * fraction:.0f} %"))
    copies = r.pick(kernel="copy")
    top = f" A copy: {max(c['model_GB_per_s'] for c in copies):.0f} GB/s." if copies else " No copy was measured."
    return section(r, "Kernels", "GB/s: state, result, connectivity and positions each once over the time; copy: their fraction of a copy of 1 GiB in device "
                   "memory in the same run, reads and writes counted." + top, ("kernel", "cells", "nodes", "on", "median", "us a node", "GB/s", "of a copy"),
                   rows, used, plot(r, "kernels", "fraction of the copy ceiling", [v for v in used if on_gpu(v) and v["stabiliser"] == WHOLE and r.fraction(v)]))


def pressure_section(r):
    rows, used = [], []
    for cell in CELLS:
        for size in SIZES:
            for line in sorted((v for v in r.pick(kernel="step", cell=cell, size=size) if v["pressure_us"] > 0), key=lambda v: v["pressure_us"]):
                used.append(line)
                rows.append((PLURAL[cell], str(line["nodes"]), line["solver"], place(line),
                             us(line["pressure_us"]), f"{line['iterations_median']} ({line['iterations_max']})"))
    text = section(r, "Pressure solvers in the step", "rtol 1e-6, warm start; default on the GPU: conjugate gradients and multigrid (dense inverse for small "
                   "problems) in graphs. Iterations: median (largest).", ("cells", "nodes", "solver", "on", "time", "iterations"), rows, used)
    alone = r.pick(bench="pressure solve")
    rows = [(v["cell"], str(v["nodes"]), v["pc"], us(v["cold_us"]), str(v["cold_its"]), us(v["warm_us"]), str(v["warm_its"]), f"{v['set_up_s']:.2f} s",
             f"{v.get('stretch', 1):g}") for v in alone]
    return text + section(r, "Pressure solver by itself, on the GPU", "Distorted grids, rtol 1e-6; warm: from the solution of a right-hand side 1 % away. PETSc's own "
                          "multigrid with its matrices on the device, and AmgX: [solvers](benchmarks/solvers.md).",
                          ("cells", "nodes", "preconditioner", "from zero", "iterations", "warm", "iterations", "set-up", "height/width"),
                          rows, alone)


def multigrid_section(r):
    """The pressure solve in the step by what PETSc offers, the fastest of each, beside the default on the device."""
    rows, used = [], []
    for cell, size in itertools.product(CELLS, SIZES):
        def fastest(gpu, *names):
            found = [v for name in names for v in r.steps(cell, size, gpu, solver=name) if v["pressure_us"] > 0]
            return min(found, key=lambda v: v["pressure_us"], default=None)

        own = fastest(True, "default")
        others = [fastest(True, *GAMG), fastest(False, *GAMG), fastest(False, *HYPRE)]
        if not own or others == [None] * len(others):
            continue
        used += [v for v in (own, *others) if v]
        rows.append((PLURAL[cell], str(own["nodes"]), f"{us(own['pressure_us'])} ({own['iterations_median']})", *(
            f"{us(v['pressure_us'])} ({v['iterations_median']}), {v['solver']}{'' if on_gpu(v) else ', ' + place(v)}: {v['pressure_us'] / own['pressure_us']:.0f} times" if v else "-"
            for v in others)))
    return section(r, "PETSc's own multigrid beside the default", "The pressure solve in the step, rtol 1e-6, warm start, iterations in brackets: the default on the GPU, `graph_mg`, and the fastest that was "
                   "measured of PETSc's GAMG and of hypre, and how many times as long they take; -: not measured on that machine (GAMG with its matrices on the device at 1M nodes once, by hand: [solvers](benchmarks/solvers.md)).",
                   ("cells", "nodes", "graph_mg on the GPU", "gamg on the GPU", "gamg on the host", "hypre on the host"), rows, used) if rows else []


def assembly_section(r):
    rows, used = [], []
    for cell in CELLS:
        for size in SIZES:
            found = {v["assembly"]: v for v in r.pick(kernel="residual", cell=cell, size=size, stabiliser="gls") if on_gpu(v)}
            if len(found) > 1:
                used += found.values()
                nodes = next(iter(found.values()))["nodes"]
                rows.append((PLURAL[cell], str(nodes), *(us(found[a]["median_us"]) if a in found else "-" for a in ("atomic", "colour", "owner"))))
    return section(r, "Assembly of the residual", "`gls`, one evaluation on the GPU.", ("cells", "nodes", "atomic", "colour", "owner"), rows, used)


def profile_section(r):
    """The four units nearest to their limits, and which of them is the nearest."""
    units = {"l1": "L1 data pipe", "fp64": "FP64", "issue": "instruction issue", "l2": "L2", "dram": "device memory"}
    rows, used = [], []
    for cell in CELLS:
        for line in r.pick(profile="residual", cell=cell):
            used.append(line)
            timed = r.kernel(cell, "1M", "residual", "gls", True)
            conflicts = 100 * line["conflicts"] / line["wavefronts"] if line.get("wavefronts") else None
            rows.append((PLURAL[cell], line["size"], us(line.get("us")), *(percent(line.get(u)) for u in units), percent(line.get("warps")),
                         f"{line['registers']:.0f}", percent(conflicts), units[max(units, key=lambda u: line.get(u, 0))],
                         f"{timed['median_us'] / RESIDUAL_TARGET[cell]:.2f}" if timed else "-"))
    return section(r, "What bounds the residual kernels", "`gls`, atomic assembly, without setting the result to zero; how busy each unit is while the kernel runs, by "
                   "Nsight Compute; the L1 data pipe moves what shared memory, shuffles and atomics move. Warps: of the most that a multiprocessor holds; conflicts: "
                   "part of the pipe's work that bank conflicts of shared memory add. Over target: time of 1M nodes in the table of kernels, zeroing "
                   "included, over what was aimed for.",
                   ("cells", "nodes", "kernel", *units.values(), "warps", "registers", "conflicts", "nearest to its limit", "over target"), rows, used)


def rank_section(r):
    rows, used = [], []
    for cell in CELLS:
        for size in SIZES:
            found = [v for v in r.pick(part="ranks", cell=cell, size=size) if v["ranks"] > 1]
            one = r.best(cell, size, True, graph=False) if found else None
            for v in [one] * bool(one) + sorted(found, key=lambda v: (v["ranks"], v["solver"] != "default")):
                used.append(v)
                rows.append((PLURAL[cell], str(v["nodes"]), str(v["ranks"]), v["solver"], us(v["median_us"]), us(v["pressure_us"]), str(v["iterations_median"]),
                             number(one and one["median_us"] / v["median_us"], ".2f")))
    return section(r, "Several GPUs", "A rank each, launch by launch; all levels shared: of the pressure solver only the level that is inverted is gathered on every rank.",
                   ("cells", "nodes", "GPUs", "solver", "step", "pressure", "iterations", "faster than one"), rows, used) if rows else []


def matrix_section(r):
    rows, used = [], []
    for kind in ("tangent", "laplacian"):
        for cell in CELLS:
            found = {v["assembly"]: v for v in r.pick(matrix=kind, cells=cell)}
            if found:
                used += found.values()
                v = next(iter(found.values()))
                rows.append((kind, PLURAL[cell], str(v["nodes"]), f"{v['values'] / 1e6:.1f}",
                             *(us(found[a]["median_us"]) if a in found else "-" for a in ("owner", "colour", "atomic"))))
    return section(r, "Matrices", "One assembly on the GPU; tangent: the whole block matrix by dual numbers, `gls`.",
                   ("matrix", "cells", "nodes", "values, millions", "owner", "colour", "atomic"), rows, used)


def law_section(r):
    rows, used = [], []
    variables = ("stress", "conformation", "logconf")
    lines = {(v["cell"], v["law"], v["variable"]): v for v in r.pick(part="laws", kernel="residual")}
    for law in dict.fromkeys(key[1] for key in lines):
        row = [law]
        for cell in ("quadrilateral", "hexahedron"):
            base = lines.get((cell, "oldroydb", "stress"))
            for variable in variables:
                line = lines.get((cell, law, variable))
                used += [line] if line else []
                row.append("-" if not line else f"{line['us_per_node']:.3f}" + (f" ({line['us_per_node'] / base['us_per_node']:.2f})" if base else ""))
        rows.append(row)
    head = ("law", *(f"{d} {v}" for d in ("2D", "3D") for v in variables))
    return section(r, "The residual by law and representation, one core", "`devss,split_oss`, quads and hexes: microseconds a node (relative to Oldroyd-B in "
                   "stress; aims for log c: 2.5 in 2D, 4 in 3D).", head, rows, used)


def window(line):
    return line.get("first"), line.get("steps")


def mode_pairs(r):
    """(cell, nodes, law, modes, variable): the fastest steps on the GPU and on the CPU, None: not measured; of the same steps where both sides have those."""
    sides = {}
    for line in r.pick(part="modes", kernel="step"):
        sides.setdefault((line["cell"], line["nodes"], line["law"], line["modes"], line["variable"]), ([], []))[not on_gpu(line)].append(line)

    def fastest(lines):
        return min(lines, key=lambda v: v["median_us"], default=None)

    pairs = {}
    for key, (gpu, cpu) in sides.items():
        same = {window(v) for v in gpu} & {window(v) for v in cpu}
        pairs[key] = tuple(fastest([v for v in lines if not same or window(v) in same]) for lines in (gpu, cpu))
    return pairs


def mode_section(r):
    rows, used = [], []
    pairs = mode_pairs(r)
    for (cell, nodes, law, modes, variable), (gpu, cpu) in sorted(pairs.items(), key=lambda row: (list(PLURAL).index(row[0][0]), row[0][1:])):
        used += [v for v in (gpu, cpu) if v]

        def times(modes, variable):
            base = pairs.get((cell, nodes, law, modes, variable), (None, None))[0]
            return number(gpu["median_us"] / base["median_us"] if gpu and base and base is not gpu else None, ".2f")

        rows.append((PLURAL[cell], str(nodes), f"{law}, {modes} mode{'s' if modes > 1 else ''}", variable, us(gpu and gpu["median_us"]), times(modes, "stress"), times(1, variable),
                     number(gpu and gpu.get("bytes_per_node") or None, ".0f"), us(cpu and cpu["median_us"]), f"{cpu['ranks']} x {cpu['solver']}, {cpu.get('build', 'unknown build')}" if cpu else "-",
                     "; ".join(dict.fromkeys(span for v in (gpu, cpu) if v for span in spans([v]))), number(over(cpu, gpu), ".0f")))
    return section(r, "Steps by law, representation and number of modes", "`devss,split_oss`, the double aneurysm in 2D, a square channel in 3D, median time of a step from rest. CPU: the build and the "
                   "solver that were the fastest of those measured, the same steps as on the GPU; where two spans of steps are said, the second is the CPU's.",
                   ("cells", "nodes", "polymer", "variable", "GPU step", "over stress", "over one mode", "GPU bytes a node", "CPU step", "ranks x solver, build", "steps", "CPU/GPU"), rows, used)


def condition_section(r):
    """Steps whose conditions change in time: the whole, and of it what the host finds."""
    lines = r.pick(kernel="conditions")
    rows = []
    for cell in CELLS:
        for name in dict.fromkeys(line["condition"] for line in lines if line["cell"] == cell):
            row = [PLURAL[cell], name]
            for scheme in ("lumped", "ssp3"):
                line = next((v for v in newest([v for v in lines if (v["cell"], v["condition"], v["scheme"]) == (cell, name, scheme)])), None)
                row += [us(line and line["median_us"]), us(line and line["given_us"])]
            rows.append(row)
    if not rows:
        return []
    nodes = ", ".join(f"{PLURAL[cell]} {n}" for cell, n in dict.fromkeys((line["cell"], line["nodes"]) for line in lines))
    return section(r, "Conditions that change in time", f"PTT in log c unless a law is said, `devss,split_oss`, a channel from rest, steps {', '.join(spans(lines))}, {'GPU' if r.gpu else 'one rank'}; nodes: {nodes}. Given: "
                   f"mean time a step in which the host finds what conditions give{', while the device waits' if r.gpu else ''}. Times are like 1 - exp(-10 t).", ("cells", "at the inlet", "lumped", "given", "ssp3", "given"), rows, lines)


def diagnostic_section(r):
    """What rows of each diagnostic add to a step; of the program that was measured last."""
    lines = newest(r.pick(kernel="diagnostics"))
    plain = next((v["mean_us"] for v in lines if v["diagnostic"] == "none"), None)
    rows = [(line["diagnostic"], str(line["every"]), us(line["mean_us"]), us(max(0.0, line["mean_us"] - plain) * line["every"]) if plain and line["diagnostic"] != "none" else "-") for line in lines]
    if not rows:
        return []
    return section(r, "What rows of diagnostics take", f"Newtonian, `split_oss`, `bdf2`, a channel of {lines[0]['nodes']} nodes, {PLURAL[lines[0]['cell']]}, its four walls where a diagnostic takes labels, steps {', '.join(spans(lines))}, "
                   f"{'GPU' if r.gpu else 'one rank'}. Row: what the mean step has more than that without a diagnostic, times the steps a row.", ("diagnostic", "steps a row", "mean step", "row"), rows, lines)


def integrator_sections(r):
    """Steps of each integrator beside forward Euler's, a cube from rest, and how fast a wake is simulated; of the program that was measured last."""
    lines = newest(r.pick(kernel="unsteady"))
    if not lines:
        return []
    found = {(v["cell"], v["size"], v["integrator"], on_gpu(v)): v for v in lines}
    rows, cubes, wakes = [], [], []
    timed = lambda what: ", ".join(spans(v for v in lines if (v["size"].split(",")[0] if v["size"].startswith(("wake", "cube")) else "") == what))
    for cell, size, name in dict.fromkeys(key[:3] for key in found):
        pair = [found.get((cell, size, name, gpu)) for gpu in (True, False)]
        first = next(v for v in pair if v)
        nodes, ratio = str(first["nodes"]), number(over(pair[1], pair[0]), ".1f")
        if size == "cube":
            whole = [number(v and v["setup_s"] + 1e-6 * (v["steps"] + v["first"]) * v["median_us"], ".3g") for v in pair]
            cubes.append((nodes, name, *(c for v, s in zip(pair, whole) for c in (us(v and v["median_us"]), s)), ratio))
            continue
        if size.startswith("wake"):
            rate = [number(v and 1e6 * v["dt"] / v["median_us"], ".3g") for v in pair]
            wakes.append((nodes, f"{first['dt']:g} s", *(c for v, s in zip(pair, rate) for c in (us(v and v["median_us"]), s)), ratio))
            continue
        euler = [found.get((cell, size, "lumped Euler", gpu)) for gpu in (True, False)]
        times = [number(v["median_us"] / e["median_us"] if v and e else None, ".2f") for v, e in zip(pair, euler)]
        rows.append((PLURAL[cell], nodes, name, *(c for v, t in zip(pair, times) for c in (us(v and v["median_us"]), t, str(v["iterations_median"]) if v else "-")), ratio))
    ranks = f"{max((v['ranks'] for v in lines if not on_gpu(v)), default=0)} ranks"
    text = f"Newtonian, `split_oss`, the meshes of whole steps, at one dt, from rest; steps {timed('')}. Euler: of the lumped step of that side."
    cube = f"Re 100, `split_oss`, dt {next((format(v['dt'], 'g') for v in lines if v['size'] == 'cube'), '-')}, steps {timed('cube')}; all: set-up and as many median steps as there are."
    wake = (f"options/dfg_2d2.yaml (`bdf2`) from the state at t = 6, {timed('wake')} steps later; the finer mesh is the shipped one with each "
            "triangle cut in 16. s/s: simulated seconds a second of steps.")
    return [*section(r, "Steps by integrator", text, ("cells", "nodes", "integrator", "GPU", "over Euler", "iterations", ranks, "over Euler", "iterations", "CPU/GPU"), rows, lines if rows else []),
            *section(r, "A cube of tets under a lid, from rest", cube, ("nodes", "integrator", "GPU", "all, s", ranks, "all, s", "CPU/GPU"), cubes, lines if cubes else []),
            *section(r, "Simulated seconds a second: DFG 2D-2", wake, ("nodes", "dt", "GPU", "s/s", ranks, "s/s", "CPU/GPU"), wakes, lines if wakes else [])]


def start_section(r):
    rows, used = [], []
    for start in ("cold", "warm"):
        for line in [v for v in r.pick(start=start, kernel="residual") if on_gpu(v) and "program_ready_s" in v][:1]:
            used.append(line)
            rows.append((f"kernels, {'compiled' if start == 'cold' else 'from the cache'}", f"{line['program_ready_s']:.3f} s"))
    for cell in CELLS:
        line = r.best(cell, "1M", True)
        if line:
            used.append(line)
            rows.append((f"whole set-up, {PLURAL[cell]}, {line['nodes']} nodes", f"{line['setup_s']:.1f} s"))
    return section(r, "Start-up with a GPU", "", ("what", "time"), rows, used)


def failed_section(r):
    rows = [(" ".join(str(v[k]) for k in ("part", "cell", "size", "stabiliser", "solver", "graph", "assembly", "law", "modes", "variable") if k in v),
             str(v.get("ranks", "-")), v["failed"].replace("|", "\\|")) for v in r.failed]
    return ["### Measurements that failed", "", *(table(("measurement", "ranks", "why"), rows) if rows else ["None."]), ""]


def draw(r, folder):
    """Plots of what is there; False without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "rheoplex", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plt

    def save(figure, name):
        os.makedirs(folder, exist_ok=True)
        figure.tight_layout()
        figure.savefig(f"{folder}/{r.name}-{name}.svg", metadata={"Date": None})
        plt.close(figure)

    draw_steps(r, plt, save)
    draw_shares(r, plt, save)
    draw_kernels(r, plt, save)
    return True


def draw_steps(r, plt, save):
    figure, axes = plt.subplots(figsize=(6, 4))
    for k, cell in enumerate(CELLS):
        for gpu in (True, False):
            found = [v for v in (r.best(cell, size, gpu) for size in SIZES) if v]
            if found:
                axes.loglog([v["nodes"] for v in found], [v["median_us"] for v in found], "o-" if gpu else "s--", color=f"C{k}",
                            label=f"{PLURAL[cell]}, {'GPU' if gpu else 'CPU, best run'}")
    axes.set(xlabel="nodes", ylabel="time per step [us]")
    if axes.lines:
        axes.legend()
        axes.grid(alpha=0.3)
        save(figure, "steps")
    plt.close(figure)


def draw_shares(r, plt, save):
    bars = []
    for cell in CELLS:
        for gpu in (True, False):
            found = [(v, size) for v, size in ((shares(r, cell, size, gpu), size) for size in SIZES) if v]
            if found:
                (t, lines), size = found[-1]
                bars.append((f"{PLURAL[cell]} {size}, {'GPU' if gpu else 'CPU x ' + str(lines[0]['ranks'])}", [100 * max(0, v) / t[4] for v in t[:4]]))
    if not bars:
        return
    figure, axes = plt.subplots(figsize=(6, 1 + 0.4 * len(bars)))
    left = [0.0] * len(bars)
    for k, part in enumerate(("residual", "projections", "pressure", "rest")):
        width = [b[1][k] for b in bars]
        axes.barh([b[0] for b in bars], width, left=left, label=part)
        left = [a + w for a, w in zip(left, width)]
    axes.set(xlabel="share of a step [%]")
    axes.invert_yaxis()
    axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.4, 1.0))
    save(figure, "shares")


def draw_kernels(r, plt, save):
    figure, axes = plt.subplots(figsize=(6, 4))
    for k, cell in enumerate(CELLS):
        for name, mark in (("residual", "o-"), ("project", "s--")):
            found = [v for v in (r.kernel(cell, size, name, WHOLE, True) for size in SIZES) if v and r.fraction(v)]
            if found:
                axes.semilogx([v["nodes"] for v in found], [100 * r.fraction(v) for v in found], mark, color=f"C{k}", label=f"{PLURAL[cell]}, {name}")
    axes.set(xlabel="nodes", ylabel="GB/s over those of a copy [%]", ylim=(0, None))
    if axes.lines:
        axes.legend()
        axes.grid(alpha=0.3)
        save(figure, "kernels")
    plt.close(figure)


def machines(lines):
    """Results by machine, those with a GPU first."""
    groups = {}
    for line in lines:
        groups.setdefault(machine(line), []).append(line)
    found = []
    for key, group in sorted(groups.items(), key=lambda item: item[0][0] is None):
        name = "-".join((key[0] or f"cpu-{key[2]}-cores").lower().split())
        found.append(Results(group, name if all(r.name != name for r in found) else f"{name}-{len(found) + 1}"))
    return found


def report(results):
    sections = (target_section, step_section, cpu_section, share_section, kernel_section, profile_section, pressure_section, multigrid_section, rank_section, condition_section, diagnostic_section, integrator_sections, assembly_section, matrix_section, mode_section, law_section,
                start_section, failed_section)
    text = ["# Speed", "", "Written by `share/scripts/bench_report.py` from the lines of `share/benchmark` in [benchmarks/](benchmarks): do not edit.", ""]
    for r in results:
        text += [f"## {r.title}", "", *(line for make in sections for line in make(r))]
    return text


def apart():
    """Links to what other scripts have measured and written."""
    pages = {}
    for path in sorted(glob.glob(f"{DOC}/benchmarks/*.md")):
        with open(path) as f:
            pages[os.path.basename(path)] = f.readline().lstrip("# ").rstrip()
    return ["## Measured apart", "", *(f"- [{title}](benchmarks/{name})" for name, title in pages.items()), ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default=f"{DOC}/benchmarks.md")
    parser.add_argument("lines", nargs="*")
    o = parser.parse_args()
    paths = o.lines or sorted(glob.glob(f"{DOC}/benchmarks/*.jsonl"))
    if not paths:
        sys.exit(f"error: no lines: got no file and none in {DOC}/benchmarks, expected the output of share/benchmark")
    try:
        lines = read(paths)
    except (Malformed, OSError) as error:
        sys.exit(f"error: {error}")
    results = machines(lines)
    text = report(results) + ([] if o.lines else apart())
    if not all([draw(r, os.path.join(os.path.dirname(os.path.abspath(o.output)), "benchmarks")) for r in results]):
        text = [line for line in text if not line.startswith("![")]
        print("no matplotlib: no plots")
    with open(o.output, "w") as f:
        f.write("\n".join(text))
    print(f"written: {o.output}")


if __name__ == "__main__":
    main()

"""share/scripts/bench_report.py on recorded lines, and the list of what share/benchmark would run."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ["RHEOPLEX_SOURCE"]
LINES = f"{HERE}/lines.jsonl"
sys.path.insert(0, f"{SOURCE}/share/scripts")
import bench_report  # noqa: E402
import bench_run  # noqa: E402


def made(out, *lines):
    return subprocess.run([sys.executable, f"{SOURCE}/share/scripts/bench_report.py", "-o", f"{out}/report.md", *lines], capture_output=True, text=True)


def rows(text, title):
    """Rows of the table under a heading, as lists of cells without head."""
    part = text.split(f"### {title}\n")[1].split("\n### ")[0].split("\n## ")[0]
    return [[c.strip() for c in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")][2:]


def want(condition, what):
    if not condition:
        sys.exit(f"failed: {what}")


def equal(got, expected):
    want(got == expected, f"got {got}, expected {expected}")


def check_values(out):
    done = made(out, LINES)
    want(done.returncode == 0, done.stderr)
    text = open(f"{out}/report.md").read()
    target = {row[0]: row[2:] for row in rows(text, "Targets")}
    equal(target["step, quads, 1M nodes: best CPU run over GPU"], [f"{120000 / 6000:.1f}", "**no**"])
    bare = rows(text, "Whole steps")[0]
    equal(bare[-2:], [f"{120000 / 6000:.1f}", f"{(120000 - 108000) / (6400 - 5900):.1f}"])
    equal(bare[2:9], ["6.00 ms", "graph", "4", "120.00 ms", "14 x gamg", "11", "0.120"])
    want("GPU: steps 51-150; CPU: steps 51-60." in text, "the timed steps are not told")
    equal([row[3] for row in rows(text, "Targets")][:2], ["**no**", "-"])
    equal(target["pressure solve in the step, rtol 1e-6, quads, 1M nodes"], ["5.90 ms (4 iterations)", "**no**"])
    equal(target["residual kernel, `gls`, quads, 1M nodes"], ["125.0 us", "yes"])
    equal(target["residual kernel, `gls`, triangles, 1M nodes"], ["151.0 us", "**no**"])
    equal(target["residual kernel, `gls`, tets, 1M nodes"], ["not measured", "-"])
    equal(target["block matrix, generic tangent, quads, 1M nodes"], ["9.00 ms", "**no**"])
    equal(target["arrays between host and device in the timed steps"], ["0", "yes"])
    equal(target["kernels from the cache"], ["0.043 s" if f"{0.0425:.3f}" == "0.043" else "0.042 s", "yes"])
    rest = 6400 - 160 - 96 - 5900
    equal(rows(text, "Share of each part of a step"), [["quads", "1000000", "GPU", f"160.0 us ({100 * 160 / 6400:.0f} %)", f"96.0 us ({100 * 96 / 6400:.0f} %)",
                                                       f"5.90 ms ({100 * 5900 / 6400:.0f} %)", f"{rest:.1f} us ({100 * rest / 6400:.0f} %)", "6.40 ms", "0.0064"]])
    fractions = {(row[0], row[1]): row[-1] for row in rows(text, "Kernels")}
    equal(fractions["residual, devss,split_oss", "quads"], f"{100 * 1000 / 4000:.0f} %")
    equal(fractions["residual, gls", "triangles"], f"{100 * 1300 / 4000:.0f} %")
    equal(rows(text, "Assembly of the residual"), [["quads", "1000000", "125.0 us", "700.5 us", "-"]])
    equal([row[2] + row[4] for row in rows(text, "Pressure solvers in the step")], ["default5.90 ms", "gamg108.00 ms", "hypre130.00 ms"])
    equal(rows(text, "PETSc's own multigrid beside the default"), [["quads", "1000000", "5.90 ms (4)", "-", f"108.00 ms (11), gamg, CPU, 14 ranks: {108000 / 5900:.0f} times",
                                                                    f"130.00 ms (5), hypre, CPU, 8 ranks: {130000 / 5900:.0f} times"]])
    equal(rows(text, "Pressure solver by itself, on the GPU")[0][3:7], ["400.0 us", "8", "250.5 us", "4"])
    equal(rows(text, "What bounds the residual kernels"), [["quads", "1M", "112.0 us", "83 %", "48 %", "35 %", "30 %", "25 %", "45 %", "72", "15 %", "L1 data pipe",
                                                            f"{125 / 130:.2f}"]])
    equal(rows(text, "Measurements that failed"), [["cpu3d tetrahedron 1M devss,split_oss gamg", "14", "not done after 180 s"]])
    want("Some GPU, Some CPU, 16 cores, driver 580.1; commit 0123456789ab, 2026-01-02" in text, "the machine and the commit are not named")
    for name in ("steps", "shares", "kernels"):
        want(os.path.getsize(f"{out}/benchmarks/some-gpu-{name}.svg") > 2000, f"no plot of {name}")


def check_best(out):
    """The CPU's side: builds and ranks beside each other, with the processor, and the best of all in the ratio."""
    lines = open(LINES).read().splitlines()
    first = json.loads(lines[0])
    first["provenance"]["processor"] = "Model 143, Thread(s) per core 2, avx512f"
    step = json.loads(lines[4])
    rows_of = [{**step, "part": "best", "solver": solver, "build": build, "ranks": ranks, "median_us": time, "pressure_us": time / 2, "first": 20}
               for solver, build, ranks, time in (("gamg", "4 lanes (avx2)", 14, 90000), ("hypre hmis aggressive", "8 lanes (avx512f)", 14, 60000),
                                                  ("hypre hmis aggressive", "8 lanes (avx512f)", 1, 600000))]
    with open(f"{out}/best.jsonl", "w") as f:
        f.write("\n".join([json.dumps(first), *lines[1:], *map(json.dumps, rows_of)]) + "\n")
    want(made(out, f"{out}/best.jsonl").returncode == 0, "lines of the part best")
    text = open(f"{out}/report.md").read()
    equal([row[2:7] + row[9:] for row in rows(text, "The CPU at its best")],
          [["8 lanes (avx512f)", "14", "hypre hmis aggressive", "11", "60.00 ms", "10.0"], ["4 lanes (avx2)", "14", "gamg", "11", "90.00 ms", "15.0"],
           ["8 lanes (avx512f)", "1", "hypre hmis aggressive", "11", "600.00 ms", "100.0"]])
    want("Steps 21-30" in text and "Processor: Model 143, Thread(s) per core 2, avx512f." in text, "steps or processor are not told")
    equal(rows(text, "Targets")[0][2:], ["10.0", "**no**"])


def check_modes(out):
    """By law: the same steps on both sides, the fastest build there, worst of all in the targets, memory."""
    lines = open(LINES).read().splitlines()
    gpu, cpu = json.loads(lines[1]), json.loads(lines[4])
    times = {(1, "stress"): 2000, (4, "stress"): 4000, (1, "logconf"): 3000, (4, "logconf"): 9000}  # us
    of = [{**gpu, "part": "modes", "law": "ptt", "modes": m, "variable": v, "first": 10, "steps": 10, "median_us": t, "device_bytes": 5e8, "bytes_per_node": 500.2} for (m, v), t in times.items()]
    of += [{**cpu, "part": "modes", "law": "ptt", "modes": m, "variable": v, "first": first, "steps": 10, "build": build, "median_us": t * more}
           for (m, v), t in times.items() for first, build, more in ((10, "4 lanes (avx2)", 90), (10, "8 lanes (avx512f)", 70), (3, "8 lanes (avx512f)", 50))]
    with open(f"{out}/modes.jsonl", "w") as f:
        f.write("\n".join([lines[0], *map(json.dumps, of)]) + "\n")
    done = made(out, f"{out}/modes.jsonl")
    want(done.returncode == 0, done.stderr)
    text = open(f"{out}/report.md").read()
    found = rows(text, "Steps by law, representation and number of modes")
    equal(found[2][2:], ["ptt, 4 modes", "logconf", "9.00 ms", "2.25", "3.00", "500", "630.00 ms", "14 x gamg, 8 lanes (avx512f)", "11-20", "70"])
    target = rows(text, "Targets")
    equal([row[1:] for row in target[4:7]], [[">= 60", "70.0", "yes"], ["<= 1.6", "2.25", "**no**"], ["<= 2.5", "3.00", "**no**"]])
    equal(next(row for row in target if row[0].startswith("memory of the GPU"))[2:], ["not measured", "-"])


def check_conditions(out):
    """Steps whose conditions change in time have a table of their own and are in no other; what is given is timed where there is something."""
    lines = open(LINES).read().splitlines()
    step = json.loads(lines[1])
    of = [{**step, "part": "conditions", "condition": name, "scheme": scheme, "first": 20, "steps": 40, "nodes": 1234, "median_us": t, "given_us": t / 4, "arrays_to_device": 7}
          for name, scheme, t in (("a flow", "lumped", 800), ("a flow", "ssp3", 1600), ("a wave", "lumped", 3000))]
    with open(f"{out}/conditions.jsonl", "w") as f:
        f.write("\n".join([*lines, *map(json.dumps, of)]) + "\n")
    done = made(out, f"{out}/conditions.jsonl")
    want(done.returncode == 0, done.stderr)
    text = open(f"{out}/report.md").read()
    equal(rows(text, "Conditions that change in time"), [["quads", "a flow", "800.0 us", "200.0 us", "1.60 ms", "400.0 us"], ["quads", "a wave", "3.00 ms", "750.0 us", "-", "-"]])
    want("steps 21-60, GPU; nodes: quads 1234." in text, "steps or nodes are not told")
    equal(rows(text, "Whole steps")[0][2], "6.00 ms")
    equal({row[0]: row[2] for row in rows(text, "Targets")}["arrays between host and device in the timed steps"], "0")
    done = subprocess.run([f"{SOURCE}/share/benchmark", "--quick", "--part", "conditions", "--cells", "quadrilateral", "--output", f"{out}/timed.jsonl"], capture_output=True, text=True)
    want(done.returncode == 0, done.stdout + done.stderr)
    given = {line["condition"]: line["given_us"] / line["median_us"] for line in map(json.loads, open(f"{out}/timed.jsonl")) if line.get("scheme") == "lumped"}
    want(len(given) == len(bench_run.CONDITIONS), f"got {given}")
    want(2 * given["a constant velocity"] < given["a flow rate in time"] < 2, f"got {given}")


def check_diagnostics(out):
    """What rows of diagnostics add to a step, of the last program alone; a step is read below the head of its column; files of the last step do not count."""
    lines = open(LINES).read().splitlines()
    provenance = json.loads(lines[0])
    later = {"provenance": {**provenance["provenance"], "date": "2099-01-01 00:00 UTC", "commit": "later"}}
    of = lambda name, t, every=1: {"part": "diagnostics", "cell": "tetrahedron", "diagnostic": name, "every": every, "first": 100, "steps": 50, "nodes": 1234, "ranks": 1, "device": "cuda", "mean_us": t}
    with open(f"{out}/rows.jsonl", "w") as f:
        f.write("\n".join([lines[0], *map(json.dumps, (of("none", 1000), of("wall", 9000), later, of("none", 2000.0), of("wall", 5500, 10), of("flux", 1990)))]) + "\n")
    done = made(out, f"{out}/rows.jsonl")
    want(done.returncode == 0, done.stderr)
    text = open(f"{out}/report.md").read()
    equal(rows(text, "What rows of diagnostics take"), [["none", "1", "2.00 ms", "-"], ["wall", "10", "5.50 ms", "35.00 ms"], ["flux", "1", "1.99 ms", "0.0 us"]])
    want("a channel of 1234 nodes, tets" in text and "steps 101-150, GPU" in text, "nodes or steps are not told")
    done = subprocess.run([f"{SOURCE}/share/benchmark", "--quick", "--part", "diagnostics", "--cells", "tetrahedron", "--output", f"{out}/timed.jsonl"], capture_output=True, text=True)
    want(done.returncode == 0 and " 0 failed" in done.stdout, done.stdout + done.stderr)
    timed = {line["diagnostic"]: line for line in map(json.loads, open(f"{out}/timed.jsonl")) if "diagnostic" in line}
    equal(list(timed), list(bench_run.DIAGNOSTICS))
    want(all(line["nodes"] == 7 * 5 * 5 and line["mean_us"] > 0 for line in timed.values()), f"got {timed}")
    want(timed["wall"]["mean_us"] > 1.3 * timed["none"]["mean_us"], "walls that are written in every step cost nothing")


def check_unsteady(out):
    """Steps by integrator and those of a wake have tables of their own and are in no other; a wake's begin at the checkpoint."""
    lines = open(LINES).read().splitlines()
    step = json.loads(lines[1])
    of = [{**step, "part": "unsteady", "size": size, "integrator": name, "first": first, "steps": 100, "nodes": 1234, "ranks": ranks, "device": device, "dt": 0.002, "median_us": t, "arrays_to_device": 7, "setup_s": 3}
          for size, name, first, ranks, device, t in (("1M", "lumped Euler", 20, 1, "cuda", 800), ("1M", "rk4", 20, 1, "cuda", 1600), ("1M", "lumped Euler", 20, 14, "cpu", 8000),
                                                      ("1M", "rk4", 20, 14, "cpu", 40000), ("cube", "rk4", 1, 1, "cuda", 5000), ("cube", "rk4", 1, 14, "cpu", 100000), ("wake, 0", "bdf2", 50, 1, "cuda", 400))]
    with open(f"{out}/unsteady.jsonl", "w") as f:
        f.write("\n".join([*lines, *map(json.dumps, of)]) + "\n")
    done = made(out, f"{out}/unsteady.jsonl")
    want(done.returncode == 0, done.stderr)
    text = open(f"{out}/report.md").read()
    equal([row[2:4] + row[6:8] + row[9:] for row in rows(text, "Steps by integrator")], [["lumped Euler", "800.0 us", "8.00 ms", "1.00", "10.0"], ["rk4", "1.60 ms", "40.00 ms", "5.00", "25.0"]])
    equal(rows(text, "A cube of tets under a lid, from rest"), [["1234", "rk4", "5.00 ms", "3.5", "100.00 ms", "13.1", "20.0"]])
    equal(rows(text, "Simulated seconds a second: DFG 2D-2"), [["1234", "0.002 s", "400.0 us", "5", "-", "-", "-"]])
    want("dt 0.002, steps 2-101; all" in text and "steps 21-120. Euler" in text and "t = 6, 51-150 steps later" in text and "| 14 ranks |" in text, "steps or ranks are not told")
    equal(rows(text, "Whole steps")[0][2], "6.00 ms")
    words = [f"{SOURCE}/share/benchmark", "--quick", "--part", "unsteady", "--cells", "tetrahedron", "--output", f"{out}/timed.jsonl"]
    done = subprocess.run(words, capture_output=True, text=True)
    want(done.returncode == 0, done.stdout + done.stderr)
    timed = [line for line in map(json.loads, open(f"{out}/timed.jsonl")) if "integrator" in line]
    equal([(line["size"], line["integrator"]) for line in timed], [*(("2k", name) for name in bench_run.INTEGRATORS), *(("cube", name) for name in ("ssp3", "rk4", "bdf2")), ("wake, 0", "bdf2"), ("wake, 2", "bdf2")])
    want(15 < timed[-1]["nodes"] / timed[-2]["nodes"] < 16, "the wake is not refined twice")
    for what, told in ("steps", "cannot be read"), ("kernels", "expected -bench_what steps"):
        done = subprocess.run([os.environ["RHEOPLEX"], "bench", f"{SOURCE}/options/dfg_2d2.yaml", "-mesh_file", f"{SOURCE}/meshes/dfg_cylinder.msh", "-device", "cpu", "-output_folder", out, "-bench_what", what, "-case_restart", f"{out}/none.h5"], capture_output=True, text=True)
        want(done.returncode != 0 and told in done.stderr, f"{what} from a checkpoint that is none: {done.stderr}")


def check_parts(out):
    """A CPU of another machine does not count; lines alone or none of a kind make no error."""
    lines = open(LINES).read().splitlines()
    other = json.loads(lines[0])
    other["provenance"].update(cpu="Other CPU", cores=2)
    del other["provenance"]["gpu"]
    with open(f"{out}/two.jsonl", "w") as f:
        f.write("\n".join([*lines[:3], json.dumps(other), *lines[3:5]]) + "\n")
    want(made(out, f"{out}/two.jsonl").returncode == 0, "two machines in one file")
    text = open(f"{out}/report.md").read()
    equal(rows(text, "Targets")[0][2:], ["not measured", "-"])
    want("## Other CPU, 2 cores" in text and "### Matrices\n\nNot measured." in text, "the machines have no sections of their own")
    old = json.loads(lines[0])
    old["provenance"]["date"] = "2025-01-01 00:00 UTC"
    step = {**json.loads(lines[1]), "median_us": 1}
    made_up = {**json.loads(lines[15]), "ranks": 8}
    good = {**{k: v for k, v in json.loads(lines[4]).items() if k != "failed"}, "cell": "tetrahedron", "solver": "gamg", "ranks": 14}
    with open(f"{out}/late.jsonl", "w") as f:
        f.write("\n".join([*lines, json.dumps(made_up), json.dumps(good), json.dumps(old), json.dumps(step)]) + "\n")
    found = bench_report.machines(bench_report.read([f"{out}/late.jsonl"]))[0]
    equal([line["ranks"] for line in found.failed], [8])
    equal(found.best("quadrilateral", "1M", True)["median_us"], 6000)
    later = json.loads(lines[0])
    later["provenance"].update(date="2026-01-03 00:00 UTC", commit="76543210ffff")
    cpu = {**json.loads(lines[4]), "part": "best", "build": "4 lanes (avx2)", "ranks": 14, "median_us": 900000}
    with open(f"{out}/programs.jsonl", "w") as f:
        f.write("\n".join([*lines, json.dumps(later), json.dumps(cpu)]) + "\n")
    want(made(out, f"{out}/programs.jsonl").returncode == 0, "two programs")
    text = open(f"{out}/report.md").read()
    equal([row[5] for row in rows(text, "Whole steps") if row[0] == "quads" and row[5] != "-"], ["900.00 ms"])  # the later program, though slower
    equal(rows(text, "The CPU at its best")[0][9:], ["-"])  # no ratio to the earlier one
    for line in lines[1:]:
        with open(f"{out}/one.jsonl", "w") as f:
            f.write(f"{lines[0]}\n{line}\n")
        text = "\n".join(bench_report.report(bench_report.machines(bench_report.read([f"{out}/one.jsonl"]))))
        want("Some GPU" in text and "not measured" in text, line)


def check_errors(out):
    first, step = open(LINES).read().splitlines()[:2]
    broken = json.dumps({**json.loads(step), "median_us": None})
    for text, *words in ((f"{first}\n{step[:40]}\n", ":2: no JSON"), (f"{step}\n", ":1: no line of provenance"), (f"{first}\n[1]\n", ":2: got [1], expected an object"),
                         (f"{first}\n{{}}\n", ":2: none of kernel, matrix, bench and failed"), (f"{first}\n{broken}\n", ":2: median_us of a line of kind step: got None, expected a number"),
                         (f'{first}\n{{"kernel": "step", "median_us": 1}}\n', ":2: cell of a line of kind step: got None, expected text")):
        with open(f"{out}/bad.jsonl", "w") as f:
            f.write(text)
        done = made(out, f"{out}/bad.jsonl")
        want(done.returncode == 1 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr, f"{text}: {done.returncode} {done.stderr}")
        for word in words:
            want(word in done.stderr, f"'{word}' is missing in {done.stderr}")


def check_counters(out):
    head = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n'
    table = "==PROF== Connected\n" + head + "".join(f'"0","7","rhx_residual","{metric}","us","1,024.5"\n' for metric in bench_run.COUNTERS.values())
    found = bench_run.counters(table.replace('sum","us","1,024.5"', 'sum","ns","2,500"') + '"1","7","other","gpu__time_duration.sum","ns","9"\n')
    equal(sorted(found), sorted(bench_run.COUNTERS))
    equal([found[name] for name in ("us", "l1")], [2.5, 1024.5])
    equal(bench_run.counters("no table"), {})


def check_runner(out):
    environment = {**os.environ, "RHEOPLEX": "/nowhere/rheoplex"}
    done = subprocess.run([f"{SOURCE}/share/benchmark", "--gpu", "--dry-run"], capture_output=True, text=True, env=environment)
    want(done.returncode == 0, done.stderr)
    for word in ("-bench_device cuda", "-assembly_residual colour", "-scheme_lumped_graph false", "-np 14 --bind-to core /nowhere/rheoplex", "-pressure_pc_type hypre",
                 "-mesh_box_faces 158,79,79", "device_bench_matrix", "solver_bench_solver", "-bench_first 50 -bench_last 150", "-k 'regex:^rhx_residual$' --launch-count 1", "-bench_repeat 3",
                 "-pressure_pc_graph_mg_gather 0", "-bench_first 10 -bench_last 20", "-np 4 --bind-to core", "-pressure_pc_hypre_boomeramg_coarsen_type HMIS", "-pressure_pc_hypre_boomeramg_agg_nl 1"):
        want(word in done.stdout, f"'{word}' is missing in the list of measurements")
    done = subprocess.run([f"{SOURCE}/share/benchmark", "--part", "steps2d", "--dry-run"], capture_output=True, text=True, env=environment)
    want(done.returncode == 2 and "got steps2d, expected best, kernels2d" in done.stderr, f"{done.returncode} {done.stderr}")
    done = subprocess.run([f"{SOURCE}/share/benchmark", "--quick", "--part", "cpu2d", "--cells", "quadrilateral", "--ranks", "1", "--output", f"{out}/run.jsonl"],
                          capture_output=True, text=True, env={**os.environ})
    want(done.returncode == 0, done.stdout + done.stderr)
    lines = [json.loads(line) for line in open(f"{out}/run.jsonl")]
    want("provenance" in lines[0] and len(lines) == 2, f"got {lines}")
    equal({k: lines[1][k] for k in ("kernel", "cell", "size", "nodes", "ranks", "device", "solver")},
          {"kernel": "step", "cell": "quadrilateral", "size": "2k", "nodes": 101 * 21, "ranks": 1, "device": "cpu", "solver": "default"})
    failing = {**os.environ, "RHEOPLEX": "/bin/false"}
    subprocess.run([f"{SOURCE}/share/benchmark", "--quick", "--part", "cpu2d", "--cells", "triangle", "--ranks", "1", "--output", f"{out}/fail.jsonl"],
                   capture_output=True, text=True, env=failing)
    want("exit code 1" in json.loads(open(f"{out}/fail.jsonl").read().splitlines()[1])["failed"], "a failure leaves no line")


with tempfile.TemporaryDirectory() as folder:
    {"values": check_values, "best": check_best, "modes": check_modes, "conditions": check_conditions, "diagnostics": check_diagnostics, "unsteady": check_unsteady, "parts": check_parts, "errors": check_errors, "counters": check_counters, "runner": check_runner}[sys.argv[1]](folder)

"""cmake --install: from the installed folder alone the program finds documents, scripts, cases, meshes, plugins and the schema."""
import json
import os
import shutil
import subprocess
import sys

import run
from gate import Gate

PREFIX = run.folder("install")


def main():
    gate = Gate("install")
    prefix, work = f"{PREFIX}/to here", f"{PREFIX}/work"
    os.makedirs(work)
    subprocess.run(["cmake", "--install", os.environ["RHEOPLEX_BUILD_DIR"], "--prefix", prefix], check=True, capture_output=True)
    data = f"{prefix}/share/rheoplex"
    for name in ("README.md", "LICENSE", "doc/tutorial.md", "doc/table.md", "doc/laws/README.md", "scripts/plot.py", "scripts/plot_fields.py", "scripts/results.py",
                 "scripts/requirements.txt", "options/aaa_re50.yaml", "options/case.schema.json", "meshes/aaa_200x40.msh", "template/case.yaml",
                 "template/mylaw.c"):
        gate.true(name, os.path.isfile(f"{data}/{name}"))
    gate.true("no link leads out of the folder", not any(os.path.islink(os.path.join(at, f)) for at, folders, files in os.walk(data) for f in folders + files))
    clean = {"PATH": "/usr/bin:/bin", "HOME": work, **{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "OMPI_"))}}

    def rheoplex(*words):
        done = subprocess.run([f"{prefix}/bin/rheoplex", *words], cwd=work, env=clean, capture_output=True, text=True, timeout=50)
        print("$ rheoplex", *words, "\n", done.stderr, flush=True)
        return done

    gate.true("--version says where", f"{data}: cases, meshes, documents, scripts" in rheoplex("--version").stdout)
    gate.true("list cases", f"Cases in {data}/options" in rheoplex("list", "cases").stdout)
    gate.near("exit code of init", rheoplex("init", "aaa_re50").returncode, 0, 0)
    copied = open(f"{work}/aaa_re50.yaml").read()
    gate.true("the copy names the installed schema", copied.startswith(f"# yaml-language-server: $schema={data}/options/case.schema.json\n"))
    gate.true("it is the program's", json.load(open(f"{data}/options/case.schema.json")) == json.loads(rheoplex("schema").stdout))
    checked = rheoplex("check", "aaa_re50.yaml").stdout
    gate.true("the copy finds the installed mesh", f"{data}/meshes/aaa_200x40.msh" in checked)
    gate.near("exit code of the installed case", rheoplex("check", f"{data}/options/aaa_re50.yaml").returncode, 0, 0)
    gate.near("exit code of init", rheoplex("init").returncode, 0, 0)
    gate.near("exit code of a run", rheoplex("run", "case.yaml", "-stop_time", "0.02").returncode, 0, 0)
    gate.true("results", os.path.exists(f"{work}/out/case/case_checkpoint.h5"))
    drawn = subprocess.run([f"{prefix}/bin/rheoplex", "plot", f"{work}/out/case", "history"], cwd=work, capture_output=True, text=True)
    gate.true(f"the installed program draws them {drawn.stderr[-300:]}", drawn.returncode == 0 and any(f.endswith(".png") for f in os.listdir(f"{work}/out/case")))
    shutil.rmtree(PREFIX)
    return gate.finish()


sys.exit(main())

"""Plugins from outside: installs Rheoplex to a folder, builds the project (and the template) against it with
find_package(Rheoplex), checks the laws at a point, lists them, runs them in simple shear."""
import os
import shutil
import subprocess
import sys

SOURCE, BUILD = os.environ["RHEOPLEX_SOURCE"], os.environ["RHEOPLEX_BUILD_DIR"]
HERE = os.path.dirname(os.path.abspath(__file__))
WORK = f"{BUILD}/work/external_plugin"
PREFIX = f"{WORK}/prefix"
LIB = "lib/rheoplex/plugins"
NAMES = ("outside_giesekus", "outside_thinning", "outside_viscosity")


def call(*command, **keywords):
    print("$", " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), check=True, **keywords)


def build(source, name):
    """Configures and builds an out-of-tree project; returns its build folder."""
    folder = f"{WORK}/{name}"
    flags = [f"-DCMAKE_C_FLAGS={os.environ.get('RHEOPLEX_C_FLAGS', '')}"] if os.environ.get("RHEOPLEX_C_FLAGS") else []
    call("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_BUILD_TYPE=Release", *flags)
    call("cmake", "--build", folder)
    return folder


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    call("cmake", "--install", BUILD, "--prefix", PREFIX, stdout=subprocess.DEVNULL)
    project = f"{WORK}/source"  # out of our tree, so that nothing of it can be found by accident
    shutil.copytree(f"{HERE}/project", project)
    mine = build(project, "build")
    template = build(f"{PREFIX}/share/rheoplex/template", "template")
    plugins = [f"{mine}/{LIB}/{n}.so" for n in NAMES]
    call(f"{mine}/point", plugins[0], plugins[1])
    everything = ",".join([*plugins, f"{template}/{LIB}/mylaw.so", f"{template}/{LIB}/mystabiliser.so"])
    listed = call(f"{PREFIX}/bin/rheoplex", "list", "physics", "-plugin", everything, stdout=subprocess.PIPE, text=True).stdout
    listed += call(f"{PREFIX}/bin/rheoplex", "list", "stabiliser", "-plugin", everything, stdout=subprocess.PIPE, text=True).stdout
    for name in (*NAMES, "mylaw", "mystabiliser", "oldroydb", "split_oss"):
        if name not in listed:
            print(f"FAILED {name} is not listed:\n{listed}")
            return 1
    for name in NAMES:
        if not os.path.exists(f"{mine}/{LIB}/{name}.c"):
            print(f"FAILED the source of {name} is not beside its shared object")
            return 1
    return 0


sys.exit(main())

"""The fused element kernels over a cover of cell type, law, modes, representation, stabiliser and assembly.

kernels.py compile [every]: every program (or one of so many) compiles with NVRTC for one of the architectures, without a device, and no
kernel spills more than a few bytes, but those named here. Registers and spills are printed.
kernels.py modes: eight modes in log c, by turns: their programs cost what those of few modes do.
kernels.py run [every]: on a device, every kernel agrees with the host to 1e-10, the largest rates too, and assembly by owner repeats its
bits (the verb bench compares).
Exit code 77, skipped: no NVRTC, or no device."""
import os
import re
import resource
import subprocess
import sys
import tempfile

import laws as parameters
from gate import largest

LIMIT = 64  # bytes of spills of any kernel
MORE = [  # of these: kernel, words of the options
    # Faster than what was tried without, H100: log c in space in a launch a mode 1.1 to 1.2 times, all modes at once in the plane by turns up to 1.2.
    (144, "rhx_residual", "tetrahedron logconf"),
    (144, "rhx_residual_stats", "tetrahedron logconf"),
    (288, "rhx_residual_stats", "tetrahedron white_metzner logconf"),  # its time depends on the rate of strain too
    (80, "rhx_residual", "tetrahedron johnson_segalman gls"),
    (384, "rhx_residual_stats", "tetrahedron johnson_segalman gls"),
    *((most, kernel, f"{cell} _modes") for kernel in ("rhx_residual", "rhx_residual_stats") for cell, most in (("quadrilateral", 800), ("triangle", 800), ("mixed", 800), ("hexahedron", 224))),
]
ARRAYS = 64
SECONDS = 20  # of processor time, over threads, to compile all programs of a form by turns; 4 to 7 are needed, 2 by the longest program
WALLS = {2: ["bottom", "left", "right"], 3: ["bottom", "left", "right", "front", "back"]}
POLYMERIC = ["ptt", "giesekus", "fene_p", "fene_cr", "white_metzner", "johnson_segalman", "oldroydb"]
ARCHITECTURES = ["sm_90", "sm_80", "sm_86", "sm_89"]
LINEAR = ["ptt", "giesekus", "white_metzner", "johnson_segalman", "oldroydb"]


def cover():
    """(dimension, options): each cell type with each stabiliser and representation, each law in 2D and 3D at least once."""
    n = 0
    for cell in ["quadrilateral", "triangle", "mixed", "hexahedron", "tetrahedron"]:
        dim = 3 if cell in ("hexahedron", "tetrahedron") else 2
        for variable in ["stress", "conformation", "logconf"]:
            for stabiliser in ["devss,split_oss", "gls"]:
                if stabiliser == "gls" and variable == "logconf":
                    continue
                laws = LINEAR if variable == "stress" or stabiliser == "gls" else POLYMERIC
                law = laws[n % len(laws)]
                viscous = ["newtonian", "carreau_yasuda", "cross", "power_law"][n % 4]
                options = f"-mesh_box_cell {cell} -physics {viscous},{law} -polymer_variable {variable} -stabiliser {stabiliser}"
                if stabiliser != "gls":
                    options += f" -stabiliser_devss_theta {n % 2}"
                if n % 3 == 0:
                    options += f" -physics_{law}_modes 2"
                options += ["", " -assembly_residual owner", " -assembly_residual colour", " -device_deterministic"][(n + n // 4) % 4]
                options += " -device_passes turns" * (n % 5 == 2)
                if n % 4 == 1:
                    options += " -form_body_force " + ("x,y" if dim == 2 else "x,y,z")
                yield dim, options.split() + parameters.words(f"{viscous},{law}", 2 if n % 3 == 0 else 1)
                n += 1
        yield dim, f"-mesh_box_cell {cell} -physics casson -stabiliser gls".split() + parameters.words("casson")
        yield dim, (f"-mesh_box_cell {cell} -physics newtonian,oldroydb -stabiliser gls,split_oss -stabiliser_gls_parts tensor "
                    "-stabiliser_split_oss_parts pressure,momentum").split() + parameters.words("newtonian,oldroydb")  # rates beside auxiliary fields


def four_modes():
    """What is run by default."""
    for cell in ["quadrilateral", "triangle", "hexahedron", "tetrahedron"]:
        for k, (law, variable) in enumerate([("ptt", "stress"), ("fene_p", "logconf"), ("ptt", "logconf"), ("giesekus", "logconf"), ("oldroydb", "stress")]):
            stabiliser = "gls" if k == 4 else "devss,split_oss"
            yield 3 if cell in ("hexahedron", "tetrahedron") else 2, (
                f"-mesh_box_cell {cell} -physics newtonian,{law} -polymer_variable {variable} -stabiliser {stabiliser} -physics_{law}_modes 4"
            ).split() + parameters.words(f"newtonian,{law}", 4)


def beside_scalars():
    """Modes and a scalar field: by turns, too."""
    for cell in ["hexahedron", "tetrahedron"]:
        yield 3, f"-mesh_box_cell {cell} -physics newtonian,ptt,passive -polymer_variable logconf -stabiliser devss,split_oss -physics_ptt_modes 4 -physics_passive_diffusivity 0.3".split() + parameters.words("newtonian,ptt", 4)


def many_modes():
    """Log c: of as few modes as take turns, or more, and of eight."""
    for cell, few in (("hexahedron", 2), ("tetrahedron", 2), ("quadrilateral", 7), ("triangle", 5)):
        for modes in (few, 8):
            yield 3 if few < 3 else 2, (f"-mesh_box_cell {cell} -physics newtonian,ptt -polymer_variable logconf -stabiliser devss,split_oss -stabiliser_devss_theta 0.5 "
                      f"-physics_ptt_modes {modes} -bench_arch sm_90").split() + parameters.words("newtonian,ptt", modes)


def case(dim, folder):
    path = os.path.join(folder, f"box{dim}.yaml")
    with open(path, "w") as f:
        f.write(f'case: {{name: cover}}\nmesh: {{box_faces: "{"6,5" if dim == 2 else "4,3,3"}"}}\n')
        f.write("".join(f"bc_{w}: {{type: wall}}\n" for w in WALLS[dim]))
        f.write(f'bc_top: {{type: moving_wall, velocity: "{"1,0" if dim == 2 else "1,0,0"}"}}\n')
    return path


def kernels_of(text):
    """Name, registers, bytes of stack and of spills."""
    return [(name, *map(int, use)) for name, *use in re.findall(r"(rhx_\w+): (\d+) registers, (\d+) bytes stack, (\d+) bytes spill stores", text)]


def limit(name, options):
    words = "".join(options)
    return max([LIMIT] + [most for most, kernel, needs in MORE if name == kernel and all(word in words for word in needs.split())])


def small(kernels, options):
    return all(spilled <= limit(name, options) for name, _, _, spilled in kernels)


def uses(kernels):
    """Registers and bytes spilled of what works on elements and faces."""
    return " ".join(f"{name[4:]} {registers}/{spilled}" for name, registers, _, spilled in kernels if re.search("residual(_stats)?$|project|faces$", name) and "add" not in name)


def near(some, others):
    return all(a[0] == b[0] and abs(a[1] - b[1]) <= 16 for a, b in zip(some, others, strict=True))


def check_modes():
    failed, before = 0, None  # registers and spills of few modes
    with tempfile.TemporaryDirectory() as folder:
        for k, (dim, options) in enumerate(many_modes()):
            began = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            command = [os.environ["RHEOPLEX"], "bench", case(dim, folder), "-bench_device", "compile", "-output_folder", os.path.join(folder, "out"), *options]
            r = subprocess.run(command, capture_output=True, text=True, env=dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, str(k))))
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - began
            if r.returncode and re.search(r"NVRTC (is|was) not|libnvrtc", r.stdout + r.stderr):
                print(r.stdout + r.stderr)
                return 77
            found = [use for use in kernels_of(r.stdout) if use[0] in ("rhx_residual", "rhx_residual_stats", "rhx_project")]
            good = r.returncode == 0 and len(found) == 3 and "modes by turns" in r.stdout and small(kernels_of(r.stdout), options) and seconds <= SECONDS and (k % 2 == 0 or near(found, before))
            failed += not good
            before = found
            print(f"{'ok  ' if good else 'FAIL'} {seconds:.1f} s  {' '.join(options)}")
            print(f"     {uses(kernels_of(r.stdout))}")
            if not good:
                print((r.stdout + r.stderr)[-2000:])
    return failed


def main():
    if sys.argv[1] == "modes":
        return check_modes()
    what = {"compile": "compile", "run": "cuda"}[sys.argv[1]]
    every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, XDG_CACHE_HOME=folder)
        more = [*four_modes(), *beside_scalars()] if what == "compile" or every == 1 else []
        for dim, options in [*cover(), *more][::every]:
            if what == "compile":
                options = [*options, "-bench_arch", ARCHITECTURES[count % 4]]
            command = [os.environ["RHEOPLEX"], "bench", case(dim, folder), "-bench_device", what, "-bench_repeat", "3",
                       "-output_folder", os.path.join(folder, "out"), *options]
            r = subprocess.run(command, capture_output=True, text=True, env=environment)
            text = r.stdout + r.stderr
            if r.returncode and re.search(r"NVRTC (is|was) not|libnvrtc|no NVIDIA|[Nn]o (driver|device)|libcuda", text):
                print(text)
                return 77
            kernels = kernels_of(text)
            # arrays in local memory, beside what is spilled: parts that no kernel of values needs, such as tangents
            held = (what != "compile" or small(kernels, options)) and all(k[2] <= k[3] + ARRAYS for k in kernels if re.match("rhx_(residual|project)", k[0]))
            difference = largest((float(d) for d in re.findall(r'"difference": ([^,}\s]+)', text)), default=0.0)
            good = r.returncode == 0 and kernels and held and difference <= 1e-10
            count += 1
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} difference {difference:.1e}  {' '.join(options)}\n     {uses(kernels)}")
            if not good:
                print(text[-2000:])
    print(f"{count} combinations, {failed} failed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())

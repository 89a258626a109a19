"""Writes share/doc/gallery.md: a picture of each case of options/, run in out/gallery unless its results are there.
make_gallery.py /path/to/rheoplex [case ...]"""
import os
import re
import subprocess
import sys

import plot

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REFERENCE = f"{ROOT}/share/reference"
BUDGET = 3e6  # bytes of all pictures
WIDTH = 900   # pixels
ANEURYSM = ["fields", "-f", "velocity,stress"]
CORNER = ["fields", "-f", "velocity,stress_xx", "-z=-2.5:1,0:4"]
PROFILE = ["profile", "-l", "0.04,-1:0.04,0", "-f", "velocity_x,stress_xy,N1"]
# case: words of `rheoplex plot <folder>`, of the picture that shows what the case is for
CASES = {
    "aaa_re10": ANEURYSM, "aaa_re50": ANEURYSM, "aaa_re100": ANEURYSM, "aaa_re250": ANEURYSM, "aaa_re500": ANEURYSM,
    "aaa_pulsatile": ["fields", "-f", "velocity,stress_xx"],
    "aaa_re100_ayyad": ["fields", "-f", "velocity,N1"], "aaa_re100_ptt": ["fields", "-f", "velocity,N1"],
    "aaa_re100_carreau_yasuda": ["fields", "-f", "velocity,vorticity"],
    "aaa_re100_we05_logconf": ["fields", "-f", "velocity,stress_xx,stress_xy"],
    "cavity_re100": ["profile", "-l", "0.5,0:0.5,1", "-f", "velocity_x", "-r", f"{REFERENCE}/cavity_u.csv:y:u_re100"],
    "cavity_re1000": ["fields", "-f", "velocity,vorticity", "-r=0:1", "-r=-5:5", "-d", "2"],
    "cavity_oldroydb_we01": ["fields", "-f", "velocity,stress"], "cavity_oldroydb_we05": ["fields", "-f", "velocity,stress"],
    "wire_coating": ["profile", "-l", "0.0025,0.0005:0.0025,0.001", "-f", "velocity_x,stress_xy,N1"],
    "channel_ptt_four_mode": ["profile", "-l", "0.0004,-0.004:0.0004,0", "-f", "velocity_x,stress_xy,N1"],
    "confined_cylinder": ["fields", "-f", "velocity,stress_xx", "-z=-4:6,0:2"],
    "confined_cylinder_full": ["fields", "-f", "velocity,N1", "-z=-4:6,-2:2"],
    "confined_cylinder_ptt": ["fields", "-f", "velocity,N1", "-z=-4:6,0:2"],
    "confined_cylinder_steady": ["fields", "-f", "velocity,stress_xx", "-z=-4:6,0:2"],
    "cylinder_re40": ["fields", "-f", "velocity,vorticity", "-z=-2:5,0:2", "-r=0:1.2", "-r=-5:2"],
    "cylinder_re100": ["fields", "-f", "velocity,vorticity", "-z=-2:14,-3:3", "-r=0:1.4", "-r=-3:3"],
    "cavity3d_re100": ["profile", "-l", "0.5,0,0.5:0.5,1,0.5", "-f", "velocity_x"], "cavity3d_re1000": ["profile", "-l", "0.5,0,0.5:0.5,1,0.5", "-f", "velocity_x"],
    "branching": ["fields", "-f", "velocity,stress_xx", "-z=-1.5:3.5,0:2.5"],
    "contraction_oldroydb": CORNER, "contraction_ptt": CORNER, "contraction_tube_oldroydb": CORNER, "contraction_tube_ptt": CORNER,
    "cross_slot_oldroydb": ["fields", "-f", "velocity,N1", "-z=-2:2,-2:2"],
    "dfg_2d1": ["fields", "-f", "velocity,pressure", "-z=0:1,0:0.41"], "dfg_2d2": ["fields", "-f", "velocity,vorticity", "-r=0:2.2", "-r=-60:60"],
    "fda_nozzle": ["profile", "-l=-0.09,0:0.3,0", "-f", "velocity_x,pressure"],
    "poiseuille_fene_p": PROFILE, "poiseuille_giesekus": PROFILE, "poiseuille_ptt_exponential": PROFILE, "poiseuille_ptt_linear": PROFILE,
    "sphere_tube": ["fields", "-f", "velocity,stress_xx", "-z=-3:5,0:2"],
    "startup_poiseuille": ["profile", "-l", "0.125,-1:0.125,1", "-f", "velocity_x,stress_xy,stress_xx", "-t", "0.5,1,2,3,10"],
    "startup_tube": ["profile", "-l", "0.1,0:0.1,1", "-f", "velocity_x,stress_xy,stress_xx", "-t", "0.5,1,2,3,10"],
    "wake_cylinder_re50": ["fields", "-f", "structural_sensitivity", "-z=-1:6,-2:2", "-l", "none", "-c", "100"],
    "step_re800": ["fields", "-f", "velocity,pressure", "-z=0:16,-0.5:0.5"], "taylor_couette_oldroydb": ["fields", "-f", "velocity,N1"],
    "cylinder_onset": ["fields", "-f", "velocity_y,vorticity", "-z=-2:20,-4:4", "-r=-0.2:0.2", "-r=-2:2"],
    "moving_vortices": ["fields", "-f", "velocity_x,velocity_y"], "cavity_swinging": ["profile", "-l", "0.5,0:0.5,1", "-f", "velocity_x,velocity_y"],
    "cavity_heated": ["fields", "-f", "velocity,temperature"], "die_heated": ["profile", "-l", "0.04,0:0.04,0.001", "-f", "velocity_x,temperature"],
    "vortex_breakdown": ["fields", "-f", "velocity_x,swirl", "-l", "streamlines", "-z=0.55:1,0:0.15", "-r=-0.004:0.004", "-r=0:0.02", "-d", "1"],
    "taylor_couette_swirl": ["profile", "-l", "0.1,0.5:0.1,1", "-f", "swirl,stress_yz,stress_zz,pressure"],
    "tube_bulge_oldroydb": ["space", "-v", "0.018", "-k", "walls,tubes"], "aaa_3d": ["space", "-f", "magnitude"],
}

VERBS = {"wake_cylinder_re50": "eigen"}
# What is drawn of a case's folder, if not the folder
FILES = {"aaa_3d": "aaa_3d_shear_wall.vtu", "wake_cylinder_re50": "wake_cylinder_re50_adjoint_000000.vtu"}


def head(case):
    """The first sentence of what the file says it shows."""
    text = " ".join(line.lstrip("# ").strip() for line in open(f"{ROOT}/options/{case}.yaml") if line.startswith("#") and "$schema" not in line)
    return re.split(r"(?<=[A-Za-z0-9)])\. ", text)[0].split(" Source:")[0].rstrip(".") + "."


def drawn(case, kind):
    return f"rheoplex plot out/{case} {kind}" if case not in FILES else f"rheoplex plot {kind} out/{case}/{FILES[case]}"


def with_palette(image):
    """256 colours: half of them those of the fields, evenly, lest large plain areas leave few to the rest; white."""
    import matplotlib
    from PIL import Image

    map_of_fields, n = matplotlib.colormaps["viridis"], 128
    own = [round(255 * part) for k in range(n) for part in map_of_fields(k / (n - 1))[:3]]
    found = image.quantize(255 - n, method=Image.Quantize.MAXCOVERAGE, kmeans=2).getpalette()
    rest = [value for k in range(0, len(found), 3) if min(found[k:k + 3]) < 248 for value in found[k:k + 3]]  # nearly white ones would be taken for it
    palette = Image.new("P", (1, 1))
    palette.putpalette((own + [255, 255, 255] + rest)[: 3 * 256])
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def make(program, case):
    from PIL import Image

    folder, picture = f"{ROOT}/out/gallery/{case}", f"{ROOT}/share/doc/gallery/{case}.png"
    if not os.path.exists(f"{folder}/{case}_checkpoint.h5"):
        print(f"running {case}", flush=True)
        subprocess.run([program, VERBS.get(case, "run"), f"options/{case}.yaml", "-output_folder", folder], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    kind, *words = CASES[case]
    plot.draw(kind, [os.path.join(folder, FILES.get(case, "")), *words, "-o", picture])
    image = Image.open(picture).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    with_palette(image).save(picture, optimize=True)


def main(program, *wanted):
    shipped = {name[: -len(".yaml")] for name in os.listdir(f"{ROOT}/options") if name.endswith(".yaml")}
    if shipped != set(CASES):
        sys.exit(f"make_gallery.py: CASES and options/ differ: {', '.join(sorted(shipped ^ set(CASES)))}")
    os.makedirs(f"{ROOT}/share/doc/gallery", exist_ok=True)
    for case in wanted or CASES:
        make(program, case)
    size = sum(os.path.getsize(f"{ROOT}/share/doc/gallery/{case}.png") for case in CASES)
    if not size < BUDGET:
        sys.exit(f"make_gallery.py: the pictures have {size} bytes, expected less than {BUDGET:g}")
    with open(f"{ROOT}/share/doc/gallery.md", "w") as f:
        f.write("# Every case in a picture\n\nMade by `share/gallery`: each case of options/ is run to its end and drawn by the words under its picture.\n")
        for case, (kind, *words) in CASES.items():
            said = " ".join(f"'{w}'" if " " in w else w.replace(f"{ROOT}/", "") for w in words)
            f.write(f"\n## {case}\n\n{head(case)}\n\n![{case}](gallery/{case}.png)\n\n    {drawn(case, kind)} {said}\n")
    print(f"{len(CASES)} cases, {size} bytes of pictures")


if __name__ == "__main__":
    main(*sys.argv[1:])

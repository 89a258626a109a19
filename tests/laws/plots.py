"""The rheometer's tables drawn by share/scripts/plot_rheometer.py: a picture with ink of each kind of table; wrong input is
refused in one line."""
import contextlib
import io
import os
import sys

import laws
import matplotlib.image as image
from gate import Gate
from run import SOURCE, folder, rheoplex

sys.path.insert(0, f"{SOURCE}/share/scripts")
import plot_rheometer

OUT = folder("laws_plots")
TABLES = {"flow_curve": [], "extension": ["-rheometer_flow", "planar"], "startup": ["-rheometer_protocol", "startup", "-rheometer_rate", "0.1,5"],
          "cessation": ["-rheometer_protocol", "cessation", "-rheometer_rate", "2"],
          "relaxation": ["-rheometer_protocol", "relaxation", "-rheometer_logarithmic"], "saos": ["-rheometer_protocol", "saos"],
          "laos": ["-rheometer_protocol", "laos", "-rheometer_strain", "0.1,2", "-rheometer_frequency", "1"]}


def plot(*words):
    """Exit code and errors of the script, run in this process."""
    errors, before = io.StringIO(), sys.argv
    sys.argv = ["plot_rheometer.py", *words]
    try:
        with contextlib.redirect_stderr(errors):
            plot_rheometer.main()
        return 0, ""
    except SystemExit as stop:
        return stop.code, errors.getvalue()
    finally:
        sys.argv = before


def ink(path):
    """Number of colours of saturated pixels: curves, not axes."""
    pixels = image.imread(path)[..., :3]
    coloured = pixels[pixels.max(axis=-1) - pixels.min(axis=-1) > 0.3]
    return len(coloured)


def main():
    gate = Gate("laws_plots")
    for name, words in TABLES.items():
        rheoplex("rheometer", "giesekus,newtonian", *laws.words("giesekus,newtonian"), *words, "-rheometer_output", f"{OUT}/{name}.csv", out=OUT)
        code, _ = plot(f"{OUT}/{name}.csv")
        gate.at_least(f"{name}: coloured pixels", ink(f"{OUT}/{name}.png") if code == 0 else -1, 300)
    code, _ = plot(f"{OUT}/startup.csv", f"{OUT}/cessation.csv", "-o", f"{OUT}/both.png")
    gate.true("two tables in one picture", code == 0 and os.path.getsize(f"{OUT}/both.png") > 5000)
    for what, words in (("tables of two kinds", [f"{OUT}/saos.csv", f"{OUT}/laos.csv"]), ("no such table", [f"{OUT}/nothing.csv"])):
        code, text = plot(*words)
        gate.true(f"{what} refused", code == 1 and len(text.splitlines()) == 1)
    with open(f"{OUT}/foreign.csv", "w") as f:
        f.write("a,b\n1,2\n")
    code, text = plot(f"{OUT}/foreign.csv")
    gate.true("foreign table refused", code == 1 and "rheoplex rheometer" in text)
    return gate.finish()


sys.exit(main())

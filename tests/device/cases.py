"""Cases from rest to rest on the device through the gates of the foundation: cases.py re50|re500 (double aneurysm)|tube (a bulge in 3D, log c). Exit code
77: no device."""
import os
import sys

for folder in ("case", "viscoelastic"):
    sys.path.insert(0, f"{os.environ['RHEOPLEX_SOURCE']}/tests/{folder}")
import aaa
import cases
import external
from gate import Gate


def main(name):
    if not external.has_device():
        print("no device")
        return 77
    gate = Gate(f"device_case_{name}")
    if name == "tube":
        cases.tube(gate, "-device", "cuda")
    else:
        aaa.quads(gate, name, "-device", "cuda")
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

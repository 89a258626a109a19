"""The double aneurysm on the device through the gates of the foundation: cases.py re50|re500. Exit code 77: no device."""
import os
import sys

sys.path.insert(0, f"{os.environ['RHEOPLEX_SOURCE']}/tests/case")
import aaa
import external
from gate import Gate


def main(name):
    if not external.has_device():
        print("no device")
        return 77
    gate = Gate(f"device_aaa_{name}")
    aaa.quads(gate, name, "-device", "cuda")
    return gate.finish()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

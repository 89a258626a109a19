"""One place copies between host and device: no other source calls a copy of the driver or the runtime."""
import os
import re
import sys

ROOT = os.environ["RHEOPLEX_SOURCE"]
WRAPPER = {"src/device/copy.c", "src/device/driver_impl.h"}
COPY = re.compile(r"\b(?:cu|cuda)Mem(?:cpy|Prefetch)\w*|\bMemcpy(?:HtoD|DtoH|DtoD)\w*|\bcudaMallocManaged\b")


def main():
    found, seen = [], 0
    for top in ("src", "plugins", "kernels"):
        for at, _, names in os.walk(f"{ROOT}/{top}"):
            for name in names:
                path = os.path.relpath(f"{at}/{name}", ROOT)
                hits = COPY.findall(open(f"{ROOT}/{path}", encoding="utf-8", errors="replace").read())
                if path in WRAPPER:
                    seen += bool(hits)
                elif hits:
                    found.append(f"{path}: {', '.join(sorted(set(hits)))}: expected RhxDeviceCopy")
    print("\n".join(found) if found else "RhxDeviceCopy is the only copy")
    return 1 if found or seen != len(WRAPPER) else 0


sys.exit(main())

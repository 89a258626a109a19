"""The rules of the house that a program can see: file lengths, which room of src/ includes which, no law or stabiliser named outside plugins/ in src/, no
header of plugins/ included from src/, no field of the form written outside src/form, no comparison that lets NaN pass, stored files under 1 MiB,
options files with a head, documents that list the rooms and files there are and link to what is there."""
import os
import re
import subprocess
import sys

ROOT = os.environ["RHEOPLEX_SOURCE"]

# What each room of src/ may include besides itself; a room stands above all that it includes. A folder of a room may be a room of its own.
ROOMS = {
    "include": "", "plugin": "", "mesh": "plugin", "exchange/host": "", "space": "exchange/host mesh plugin",
    "device": "plugin", "exchange": "device plugin", "solver": "device exchange",
    "law": "plugin", "form": "device law plugin space", "boundary": "device form plugin space", "output": "boundary form law mesh plugin space",
    "step": "boundary device exchange form plugin solver space", "scheme": "boundary device form plugin space step",
    "diagnostics": "boundary form law mesh output plugin scheme space", "case": "boundary device diagnostics exchange form mesh output plugin scheme",
    "app": "boundary case device diagnostics form law output plugin scheme",
}

# Where PetscSF may send: nodes by exchange/host; of the mesh, points of its DM, from which nodes get their numbers and owners.
MESSAGES = ("src/exchange/host/", "src/mesh/", "src/space/number.c")

# The sides of the form: the rooms that may include each, besides itself, and what it may not include. Headers of src/form are below both.
SIDES = {"form/host": ("step", "device form/cuda"), "form/cuda": ("app step", "form/host")}


TOP = (".ci", ".clang-format", ".gitignore", "CMakeLists.txt", "LICENSE", "README.md", "kernels", "meshes", "options", "plugins", "share", "src", "tests")


def room_of(path):
    """The room of a file of src/, a path below it."""
    parts = path.split("/")
    return "/".join(parts[:2]) if "/".join(parts[:2]) in ROOMS else parts[0]


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
    if listed.returncode == 0:
        return [f for f in listed.stdout.splitlines() if os.path.exists(f"{ROOT}/{f}")]
    skip = {".git", "build", "build-sanitize", "build-fuzz", "out"}
    return [os.path.relpath(os.path.join(at, f), ROOT) for at, _, names in os.walk(ROOT) for f in names
            if not skip & set(os.path.relpath(at, ROOT).split(os.sep))]


def plugin_names(files):
    return sorted({f.split("/")[2] for f in files if f.startswith("plugins/") and f.count("/") >= 3})


def includes(files):
    """Rooms that include what stands above them, or what they are not to know."""
    order = list(ROOMS)
    for room, allowed in ROOMS.items():
        for other in allowed.split():
            if order.index(other) >= order.index(room):
                yield f"ROOMS: {room} may not include {other}, which is listed after it"
    for name in files:
        if not name.startswith("src/") or not name.endswith((".c", ".h")) or name.count("/") < 2:
            continue
        room = room_of(name[4:])
        if room not in ROOMS:
            yield f"{name}: its room is not in ROOMS of {os.path.basename(__file__)}"
            continue
        for i, line in enumerate(open(f"{ROOT}/{name}", encoding="utf-8"), 1):
            found = re.match(r'#include "(\w+/.*)"', line)
            if found and room_of(found[1]) not in ("kernels", room, *ROOMS[room].split()):
                yield f"{name}:{i}: {room} includes {room_of(found[1])}, may include {ROOMS[room] or 'no other room'}"
            if name.startswith("src/") and not name.startswith(MESSAGES) and re.search(r"\bPetscSF(Bcast|Reduce|Gather|Scatter|Fetch)", line):
                yield f"{name}:{i}: values of ghosts travel by src/exchange alone: {line.strip()}"


def sides(files):
    """The host's side of the form knows no device, neither side the other, and only those who carry out operations know a side."""
    for name in files:
        if not name.startswith("src/") or not name.endswith((".c", ".h")) or name.count("/") < 2:
            continue
        at, room = os.path.dirname(name)[4:], name.split("/")[1]
        for i, line in enumerate(open(f"{ROOT}/{name}", encoding="utf-8"), 1):
            found = re.match(r'#include "([\w/]+)/\w+\.h"', line)
            for side, (users, without) in SIDES.items():
                if found and at == side and found[1] in without.split():
                    yield f"{name}:{i}: {side} includes {found[1]}"
                if found and found[1] == side != at and room not in users.split() and (at != "form" or name.endswith(".h")):
                    yield f"{name}:{i}: includes {side}, which is for {users} and the .c files of src/form"


def documented(files):
    """The rooms' table of share/doc/architecture.md is ROOMS, and every room is a folder of src/."""
    rows = dict(re.findall(r"^\| `([\w/]+)` \| [^|]+ \| ([^|]+) \|$", open(f"{ROOT}/share/doc/architecture.md", encoding="utf-8").read(), re.M))
    for room, allowed in ROOMS.items():
        if set(re.findall(r"`([\w/]+)`", rows.pop(room, "?"))) != set(allowed.split()) or not any(f.startswith(f"src/{room}/") for f in files):
            yield f"share/doc/architecture.md: its row of the room {room} is not ROOMS of {os.path.basename(__file__)}: {allowed or 'none'}"
    for room in rows:
        yield f"share/doc/architecture.md: there is no room {room}"


def listed(files):
    """share/doc/files.md has one row for each .c of its rooms, or one for a folder whose row names them, and no other."""
    text = open(f"{ROOT}/share/doc/files.md", encoding="utf-8").read()
    for part in text.split("\n## ")[1:]:
        room = part.split("\n", 1)[0]
        rows = re.findall(r"^\|[^|]*\| `([^`]+\.c)` \| (.+) \|$", part, re.M)
        named = [name.replace("<name>", one) for name, what in rows for one in (re.findall(r"`(\w+)`", what) if "<name>" in name else [""])]
        there = [f[len(room) + 1:] for f in files if f.startswith(f"{room}/") and f.endswith(".c")]
        for name in sorted({*named, *there}):
            if named.count(name) != there.count(name):
                yield f"share/doc/files.md: {room}/{name}: got {named.count(name)} rows, expected {there.count(name)}"


def links(files):
    """What the documents link to is there."""
    for name in files:
        if not name.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", open(f"{ROOT}/{name}", encoding="utf-8").read()):
            if not target.startswith("http") and not os.path.exists(os.path.join(ROOT, os.path.dirname(name), target)):
                yield f"{name}: links to {target}, which is not there"


PRIVATE = re.compile(r"(\w+_)?impl\.h$")


def private(name, lines):
    """A header impl.h or <part>_impl.h is private to its room."""
    for i, line in enumerate(lines, 1):
        found = re.match(r'#include "(\w+)/([\w/]+/)?(\w+\.h)"', line)
        if found and found[1] != name.split("/")[1] and PRIVATE.match(found[3]):
            yield f"{name}:{i}: includes a private header of the room {found[1]}"
    if name.endswith("impl.h") and not PRIVATE.match(os.path.basename(name)):
        yield f"{name}: expected impl.h or <part>_impl.h"


def shared(files):
    """A header of a room with another name is for other rooms: one of them includes it, or a header that is. What such a header includes is not
    private either. The program's are for itself."""
    includes = {name: [f"src/{header}" for header in re.findall(r'^#include "(\w+/[\w/]+\.h)"', open(f"{ROOT}/{name}", encoding="utf-8").read(), re.M)]
                for name in files if name.startswith("src/") and name.endswith((".c", ".h", ".cpp"))}
    public = {header for name, headers in includes.items() for header in headers if header.split("/")[1] != name.split("/")[1]}
    left = sorted(public)
    while left:
        name = left.pop()
        for header in includes.get(name, []):
            if header.split("/")[1] != name.split("/")[1]:
                continue
            if PRIVATE.match(os.path.basename(header)):
                yield f"{name}: is for other rooms and includes {header}: expected another name of that, for they see it too"
            elif header not in public:
                public.add(header)
                left.append(header)
    for name in includes:
        if re.fullmatch(r"src/(?!include/|app/)\w+/\w+\.h", name) and not PRIVATE.match(os.path.basename(name)) and name not in public:
            yield f"{name}: no other room includes it: expected the name {name[:-2]}_impl.h"


# Assignments to a field of the form, and addresses of one that is not taken as const.
WRITES_FORM = re.compile(r"\bform->\w+(\[[^\]]*\]|\.\w+)* *([-+*/|&]?=(?!=)|\+\+|--)")
TAKES_FORM = re.compile(r"^(?!.*\bconst\b).*&[\w>.-]*\bform->\w+(\[[^\]]*\]|\.\w+)*(?![\w\[.]| *->)")


def written(name, lines):
    """The fields of a form (struct _p_RhxForm) are facts elsewhere: src/form alone writes them."""
    for i, line in enumerate(lines, 1):
        if WRITES_FORM.search(line) or TAKES_FORM.search(line):
            yield f"{name}:{i}: writes a field of the form, which only src/form does: {line.strip()}"


def problems(files):
    yield from includes(files)
    yield from sides(files)
    yield from documented(files)
    yield from listed(files)
    yield from links(files)
    yield from shared(files)
    laws = re.compile(r"\b(?:%s)\b" % "|".join(map(re.escape, plugin_names(files))), re.I)
    for name in files:
        path = f"{ROOT}/{name}"
        if name.split("/")[0] not in TOP:
            yield f"{name}: at the top level there is {', '.join(TOP)} alone"
        if os.path.getsize(path) > 2**20:
            yield f"{name}: larger than 1 MiB"
        if name.startswith("options/") and name.endswith(".yaml") and not name.startswith("options/solver/"):
            head = "".join(line for line in open(path) if line.startswith("#"))
            for word in ("Source:", "Expected:", "Run time:"):
                if word not in head:
                    yield f"{name}: its head does not say '{word}'"
            if f"share/doc/gallery/{name[8:-5]}.png" not in files:
                yield f"{name}: has no picture in share/doc/gallery: add it to share/scripts/make_gallery.py and run share/gallery"
        if not name.endswith((".c", ".h", ".cuh", ".py")):
            continue
        lines = open(path, encoding="utf-8").read().split("\n")
        if name.startswith("src/"):
            yield from private(name, lines)
            if not name.startswith("src/form/"):
                yield from written(name, lines)
        limit = {"c": 800, "h": 200}.get(name.rsplit(".", 1)[1], 800)
        if len(lines) > limit:
            yield f"{name}: {len(lines)} lines, at most {limit}"
        for i, line in enumerate(lines, 1):
            if name.startswith("src/") and laws.search(line):
                yield f"{name}:{i}: names a law or stabiliser: {line.strip()}"
            if name.startswith("src/") and re.search(r"#include.*plugins/", line):
                yield f"{name}:{i}: includes from plugins/"
            if name.endswith((".c", ".h")) and re.search(r"if \((err|error|diff|rel)[a-z_]* > ", line):
                yield f"{name}:{i}: lets NaN pass, write !(err <= tol): {line.strip()}"
            if name.endswith((".c", ".h", ".cuh")) and re.search(r"\bMPIU_BOOL\b", line):
                yield f"{name}:{i}: PETSc 3.24 refuses it (deprecated) and 3.18 has not its successor, reduce an int: {line.strip()}"
            if name.endswith(".py") and re.search(r"nanma[x]\(|gate\..*(?<![.\w])(?<!/ )max\((float\()?(np\.)?abs\(", line):
                yield f"{name}:{i}: a later value hides a NaN from max, write largest of tests/common/gate.py: {line.strip()}"
            if re.search(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b", line):
                yield f"{name}:{i}: left-over: {line.strip()}"


def main():
    files = tracked()
    found = list(problems(files))
    print("\n".join(found) if found else f"{len(files)} files follow the rules")
    return 1 if found or len(files) < 50 else 0


sys.exit(main())

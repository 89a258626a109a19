"""The double aneurysm of meshes/aaa.geo at any size, without gmsh or numpy: a binary Gmsh file of format 2.2."""
import array
import math
import os
import struct

LENGTH, FIRST, SECOND, D1, D2 = 11.25, 2.5, 5.0, 2.0, 2.75
LINE, TRIANGLE, QUADRILATERAL = 1, 2, 3
LABELS = ((1, 1, "inlet"), (1, 2, "outlet"), (1, 3, "wall_bottom"), (1, 4, "wall_top"), (2, 5, "fluid"))


def half_width(x):
    if x <= FIRST:
        return (D1 - 1) / 4 * (1 + math.sin(2 * math.pi * x / FIRST - math.pi / 2)) + 0.5
    if x <= FIRST + SECOND:
        return (D2 - 1) / 4 * (1 + math.sin(2 * math.pi * (x - FIRST) / SECOND - math.pi / 2)) + 0.5
    return 0.5


def points(nx, ny):
    """Columns from inlet to outlet, each from the lower wall to the upper."""
    for i in range(nx + 1):
        x = LENGTH * i / nx
        w = half_width(x)
        for j in range(ny + 1):
            yield x, w * (2 * j / ny - 1)


def lines(nx, ny):
    """(label, node, node) of the boundary, nodes from 1, the fluid on the left."""
    row, last = ny + 1, (ny + 1) * nx
    for j in range(1, ny + 1):
        yield 1, j + 1, j
        yield 2, last + j, last + j + 1
    for i in range(nx):
        yield 3, row * i + 1, row * (i + 1) + 1
        yield 4, row * (i + 2), row * (i + 1)


def cells(nx, ny, cell):
    """Node numbers from 1, one cell after the other; triangles are symmetric about y = 0."""
    row = ny + 1
    for i in range(nx):
        for j in range(1, ny + 1):
            a = row * i + j
            b, c, d = a + row, a + row + 1, a + 1
            if cell == "quadrilateral":
                yield a, b, c, d
            elif j <= ny // 2:
                yield a, b, d
                yield b, c, d
            else:
                yield a, b, c
                yield a, c, d


def block(kind, rows):
    """A block of elements of one kind; rows begin with the number, the label and the entity."""
    numbers = array.array("i", (v for row in rows for v in row))
    width = {LINE: 5, TRIANGLE: 6, QUADRILATERAL: 7}[kind]
    return len(numbers) // width, struct.pack("=iii", kind, len(numbers) // width, 2) + numbers.tobytes()


def write(path, nx, ny, cell):
    """ny is even."""
    kind = QUADRILATERAL if cell == "quadrilateral" else TRIANGLE
    node = struct.Struct("=iddd")
    n1, edges = block(LINE, ((k, v[0], v[0], *v[1:]) for k, v in enumerate(lines(nx, ny), 1)))
    n2, faces = block(kind, ((k, 5, 5, *v) for k, v in enumerate(cells(nx, ny, cell), n1 + 1)))
    with open(path + ".part", "wb") as f:
        f.write(b"$MeshFormat\n2.2 1 8\n" + struct.pack("=i", 1) + b"\n$EndMeshFormat\n")
        f.write(f"$PhysicalNames\n{len(LABELS)}\n".encode())
        f.writelines(f'{d} {tag} "{name}"\n'.encode() for d, tag, name in LABELS)
        f.write(f"$EndPhysicalNames\n$Nodes\n{(nx + 1) * (ny + 1)}\n".encode())
        f.write(b"".join(node.pack(k, x, y, 0.0) for k, (x, y) in enumerate(points(nx, ny), 1)))
        f.write(f"\n$EndNodes\n$Elements\n{n1 + n2}\n".encode() + edges + faces + b"\n$EndElements\n")
    os.replace(path + ".part", path)

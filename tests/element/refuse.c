/* Meshes and options that are refused, each with one sentence that says what is wrong, and unusual ones that are not. */
#include "mesh/mesh.h"
#include "petsc_compat.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[2048];

static PetscErrorCode keep(MPI_Comm comm, int line, const char *fun, const char *source, PetscErrorCode n,
                           PetscErrorType p, const char *mess, void *ctx)
{
  (void)comm, (void)line, (void)fun, (void)source, (void)ctx;
  if (p == PETSC_ERROR_INITIAL && mess) snprintf(message, sizeof(message), "%s", mess);
  return n;
}

#define HEAD "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES(n, text) "$Nodes\n" #n "\n" text "$EndNodes\n"
#define ELEMENTS(n, text) "$Elements\n" #n "\n" text "$EndElements\n"
#define SQUARE NODES(4, "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n")
#define BENT NODES(5, "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 1.5 .5 0\n")
#define WEDGE NODES(6, "1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 1\n6 0 1 1\n")

typedef struct {
  const char *file;     /* content of a mesh file, or NULL */
  const char *options;  /* besides -mesh_file */
  const char *words[4]; /* in the message; none: accepted */
} Case;

static const Case cases[] = {
    {NULL, "", {"no mesh", "-mesh_file", "-mesh_box_faces"}},
    {NULL, "-mesh_file absent.msh", {"absent.msh", "No such file", "-mesh_file"}},
    {NULL, "-mesh_file .", {"not a file", "-mesh_file", "expected"}},
    {NULL, "-mesh_file a.msh -mesh_box_faces 2,2", {"both", "a.msh", "-mesh_box_faces"}},
    {NULL, "-mesh_box_faces 2", {"-mesh_box_faces", "'2'", "expected 2 or 3"}},
    {NULL, "-mesh_box_faces 2,x", {"-mesh_box_faces", "'2,x'", "expected"}},
    {NULL, "-mesh_box_faces 2,0", {"-mesh_box_faces", "'2,0'", "at least 1"}},
    {NULL, "-mesh_box_faces 2,2 -mesh_box_cell hexahedron", {"-mesh_box_cell", "hexahedron", "quadrilateral"}},
    {NULL, "-mesh_box_faces 2,2,2 -mesh_box_cell mixed", {"-mesh_box_cell", "mixed", "tetrahedron"}},
    {NULL, "-mesh_box_faces 4,4 -mesh_box_periodic z", {"-mesh_box_periodic", "'z'", "xy"}},
    {NULL, "-mesh_box_faces 2,4 -mesh_box_periodic x", {"-mesh_box_faces", "periodic", "at least 3"}},
    {NULL, "-mesh_box_faces 2,4 -mesh_box_upper 1,-1", {"-mesh_box_upper", "-1", "-mesh_box_lower"}},
    {NULL, "-mesh_box_faces 2,4 -mesh_box_lower 1,2,3", {"-mesh_box_lower", "1,2,3", "expected 1 or 2"}},
    {NULL, "-mesh_box_faces 8,8 -mesh_box_jitter 0.49 -mesh_box_cell triangle", {"box mesh", "inverted", "Jacobian"}},
    {"", "", {"empty", "expected", "refused.msh"}},
    {"solid cube\nfacet\n", "", {"neither a Gmsh nor an HDF5", "refused.msh", "$MeshFormat"}},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "", {"format 4", "4.1", "refused.msh"}},
    {"\211HDF\r\n\032\n garbage", "", {"HDF5", "truncated", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(1, "1 2 2 0 1 1 2 9\n"), "", {"node 9", "$Nodes", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(1, "1 9 2 0 1 1 2 3 4 1 2\n"),
     "",
     {"6-node triangle", "no kernels", "first-order", "(Gmsh: Mesh.ElementOrder = 1)"}},
    {HEAD WEDGE ELEMENTS(1, "1 6 2 0 1 1 2 3 4 5 6\n"),
     "",
     {"prism", "no kernels",
      "hexahedra (Gmsh: for tetrahedra Extrude without Recombine, for hexahedra with it and Recombine Surface"}},
    {HEAD WEDGE ELEMENTS(1, "1 7 2 0 1 1 2 3 4 5\n"),
     "",
     {"pyramid", "no kernels", "hexahedra (Gmsh: for tetrahedra no Recombine Surface, nor Mesh.RecombineAll"}},
    {HEAD WEDGE ELEMENTS(1, "1 13 2 0 1 1 2 3 4 5 6 1 2 3 4 5 6 1 2 3 4 5 6\n"),
     "",
     {"18-node prism", "Mesh.ElementOrder = 1; for tetrahedra Extrude", "Mesh.SubdivisionAlgorithm = 2"}},
    {HEAD WEDGE ELEMENTS(1, "1 1 2 0 1 1 2\n"), "", {"no triangles", "Physical Surface", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(3, "1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n3 1 2 0 1 1 2\n"),
     "",
     {"no boundary label", "4 boundary faces", "Physical Curve"}},
    {HEAD BENT ELEMENTS(4, "1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n3 2 2 0 1 2 3 5\n4 1 2 7 1 1 2\n"),
     "",
     {"inverted", "cell 2", "(1.16667, 0.5)"}},
    {HEAD SQUARE ELEMENTS(3, "1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 3\n3 1 2 7 1 1 2\n"),
     "",
     {"degenerate", "cell 1", "triangle"}},
    {HEAD SQUARE ELEMENTS(4, "1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n3 2 2 0 1 1 2 3\n4 1 2 7 1 1 2\n"),
     "",
     {"belongs to", "cells", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(3, "1 2 2 0 1 1 2 3\n2 2 2 0 1 1 3 4\n3 1 2 7 1 2 4\n"),
     "",
     {"boundary '7'", "no face of a cell", "refused.msh"}},
    {HEAD "$PhysicalNames\n1\n1 7 \"the wall\"\n$EndPhysicalNames\n" SQUARE ELEMENTS(
         2, "1 3 2 0 1 1 2 3 4\n2 1 2 7 1 1 2\n"),
     "",
     {"got ' ' in the boundary name 'the wall'", "option", "letters",
      "such as 'the_wall' (Gmsh: the name of its physical group)"}},
    {HEAD
     "$PhysicalNames\n1\n1 7 \"Röhre\"\n$EndPhysicalNames\n" SQUARE ELEMENTS(2, "1 3 2 0 1 1 2 3 4\n2 1 2 7 1 1 2\n"),
     "",
     {"got 'ö' in the boundary name 'Röhre'", "option", "letters",
      "such as 'R__hre' (Gmsh: the name of its physical group)"}},
    {HEAD NODES(3, "1 0 0 0\n2 1 0 0\n3 0 1 1\n") ELEMENTS(1, "1 2 2 0 1 1 2 3\n"),
     "",
     {"surface from z", "Physical Volume", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(2, "1 3 2 0 1 1 2 3 4\n2 1 2 7 1 1 2\n") "$Periodic\n1\n1 2 4\n2\n2 1\n3 4\n$EndPeriodic\n",
     "",
     {"periodic", "at least 3 cells", "refused.msh"}},
    {HEAD SQUARE ELEMENTS(2, "1 3 2 0 1 1 2 3 4\n2 1 2 7 1 1 2\n") /* left and bottom, by a rotation */
     "$Periodic\n1\n1 4 1\nAffine 0 1 0 0 1 0 0 0 0 0 1 0 0 0 0 1\n2\n1 1\n4 2\n$EndPeriodic\n",
     "",
     {"refused.msh", "(-1, 1, 0) apart", "expected a translation, or -mesh_file_periodic false"}},
    /* sides joined over 3000, of which two nodes are closer than 1e-6 of that */
    {HEAD NODES(12, "1 0 0 0\n2 0 .0002 0\n3 0 1 0\n4 1000 0 0\n5 1000 .0002 0\n6 1000 1 0\n7 2000 0 0\n8 2000 .0002 "
                    "0\n9 2000 1 0\n"
                    "10 3000 0 0\n11 3000 .0002 0\n12 3000 1 0\n")
         ELEMENTS(11, "1 3 2 0 1 1 4 5 2\n2 3 2 0 1 2 5 6 3\n3 3 2 0 1 4 7 8 5\n4 3 2 0 1 5 8 9 6\n5 3 2 0 1 7 10 11 "
                      "8\n6 3 2 0 1 8 11 12 9\n"
                      "7 1 2 7 1 1 2\n8 1 2 7 1 2 3\n9 1 2 8 1 10 11\n10 1 2 8 1 11 12\n11 1 2 9 1 1 4\n"),
     "-mesh_periodic 7,8",
     {NULL}},
    /* clockwise cells, alone and as one of two surfaces; nodes out of order, one unused */
    {HEAD SQUARE ELEMENTS(3, "1 2 2 0 1 1 3 2\n2 2 2 0 1 1 4 3\n3 1 2 7 1 1 2\n"), "", {NULL}},
    {HEAD SQUARE ELEMENTS(3, "1 2 2 0 1 1 3 2\n2 2 2 0 2 1 3 4\n3 1 2 7 1 1 2\n"), "", {NULL}},
    {HEAD NODES(5, "70 0 0 0\n2 9 9 9\n3 1 1 0\n40 0 1 0\n11 1 0 0\n")
         ELEMENTS(2, "1 3 2 0 1 70 11 3 40\n2 1 2 7 1 70 11\n"),
     "",
     {NULL}},
    {HEAD SQUARE ELEMENTS(2, "1 3 2 0 1 1 2 3 4\n2 1 2 7 1 1 2\n") "$Periodic\n1\n1 2 4\n2\n2 1\n3 4\n$EndPeriodic\n",
     "-mesh_file_periodic 0",
     {NULL}},
};

static PetscErrorCode run(const Case *c, int number, int *bad)
{
  RhxMesh mesh = NULL;
  PetscMPIInt rank;
  int code, missing = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, c->options));
  if (c->file) {
    FILE *f = rank ? NULL : fopen("refused.msh", "wb");

    if (f && (fwrite(c->file, 1, strlen(c->file), f) != strlen(c->file) || fclose(f))) abort();
    PetscCall(PetscOptionsSetValue(NULL, "-mesh_file", "refused.msh"));
  }
  message[0] = 0;
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  code = (int)RhxMeshSetUp(mesh);
  PetscCall(RhxMeshDestroy(&mesh));
  for (int k = 0; k < 4 && c->words[k]; k++) missing += !strstr(message, c->words[k]);
  if (!code != !c->words[0] || missing || strchr(message, '\n')) {
    printf("FAIL case %d (%s) on rank %d: code %d, message '%s', expected the words '%s', '%s', '%s', '%s'\n", number,
           c->options, rank, code, message, c->words[0] ? c->words[0] : "", c->words[0] ? c->words[1] : "",
           c->words[0] ? c->words[2] : "", c->words[0] && c->words[3] ? c->words[3] : "");
    ++*bad;
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  int bad = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(PetscPushErrorHandler(keep, NULL));
  for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(cases); k++)
    if (run(&cases[k], k, &bad)) {
      printf("FAIL case %d: %s\n", k, message);
      return 2;
    }
  PetscCall(PetscPopErrorHandler());
  (void)remove("refused.msh");
  PetscCall(PetscFinalize());
  return bad != 0;
}

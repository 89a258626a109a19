/* Patch tests of the space on every kind of mesh: what every element table, halo and face group has to satisfy.
 * -test_folder: of the .msh files; -test_compare: what depends on node numbers is compared with the files that a run
 * without it has written, so that several rank counts are compared. With -mesh_... options: that mesh alone, with times. */
#include "space/space.h"
#include "petsc_compat.h"
#include <petsctime.h>
#include <stdio.h>

typedef struct {
  const char *options, *file;
  double volume;
  PetscInt nodes;
  const char *labels;
  PetscBool periodic;
} Case;

#define BOX2 "bottom,left,right,top"
#define BOX3 "back,bottom,front,left,right,top"

static const Case cases[] = {
    {"-mesh_box_faces 5,4 -mesh_box_upper 2,1", NULL, 2, 30, BOX2, PETSC_FALSE},
    {"-mesh_box_faces 5,4 -mesh_box_jitter 0.2", NULL, 1, 30, BOX2, PETSC_FALSE},
    {"-mesh_box_faces 5,4 -mesh_box_cell triangle -mesh_box_jitter 0.2", NULL, 1, 30, BOX2, PETSC_FALSE},
    {"-mesh_box_faces 5,4 -mesh_box_cell mixed -mesh_box_jitter 0.2 -mesh_scale 2", NULL, 4, 30, BOX2, PETSC_FALSE},
    {"-mesh_box_faces 4,3,5 -mesh_box_lower -1 -mesh_box_upper 1,2,3", NULL, 24, 120, BOX3, PETSC_FALSE},
    {"-mesh_box_faces 4,3,5 -mesh_box_cell tetrahedron -mesh_box_jitter 0.1", NULL, 1, 120, BOX3, PETSC_FALSE},
    {"-mesh_box_faces 5,4 -mesh_box_cell triangle -mesh_box_jitter 0.2 -mesh_box_periodic x", NULL, 1, 25, "bottom,top",
     PETSC_TRUE},
    {"-mesh_box_faces 6,4 -mesh_box_cell mixed -mesh_box_jitter 0.2 -mesh_box_periodic xy", NULL, 1, 24, "",
     PETSC_TRUE},
    {"-mesh_box_faces 4,3,5 -mesh_box_periodic x,z -mesh_box_lower 0.5", NULL, 0.125, 80, "bottom,top", PETSC_TRUE},
    {"-mesh_box_faces 4,3,5 -mesh_box_cell tetrahedron -mesh_box_periodic xyz -mesh_box_jitter 0.1", NULL, 1, 60, "",
     PETSC_TRUE},
    {"-mesh_box_faces 1,1 -mesh_box_cell triangle", NULL, 1, 4, BOX2, PETSC_FALSE},
    {"-mesh_box_faces 12,9 -mesh_order none", NULL, 1, 130, BOX2, PETSC_FALSE},
    {"", "triangles.msh", 1, 20, BOX2, PETSC_FALSE},
    {"", "quadrilaterals.msh", 1, 16, "bottom,sides,top", PETSC_FALSE},
    {"", "mixed.msh", 1, 20, "bottom,sides,top", PETSC_FALSE},
    {"", "tetrahedra.msh", 1, 48, "back,front,sides", PETSC_FALSE},
    {"", "hexahedra.msh", 1, 48, "back,front,sides", PETSC_FALSE},
    {"", "periodic.msh", 1, 16, "bottom,top", PETSC_TRUE},
};

static int failures = 0;

static PetscErrorCode expect(MPI_Comm comm, const char *what, double got, double expected, double tolerance)
{
  PetscFunctionBegin;
  if (!(fabs(got - expected) <= tolerance)) {
    failures++;
    PetscCall(PetscPrintf(comm, "FAIL %s: got %.16g, expected %.16g +- %g\n", what, got, expected, tolerance));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode total(MPI_Comm comm, double *value, PetscInt n)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, n, MPI_DOUBLE, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J = d x / d xi, its determinant and inverse. */
static double jacobian(PetscInt dim, PetscInt nn, const double *dN, const double *x, PetscInt lane, double J[3][3],
                       double K[3][3])
{
  double det;

  for (PetscInt i = 0; i < dim; i++)
    for (PetscInt j = 0; j < dim; j++) {
      J[i][j] = 0;
      for (PetscInt a = 0; a < nn; a++) J[i][j] += x[(a * dim + i) * RHX_LANES + lane] * dN[a * dim + j];
    }
  if (dim == 2) {
    det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    K[0][0] = J[1][1] / det;
    K[1][1] = J[0][0] / det;
    K[0][1] = -J[0][1] / det;
    K[1][0] = -J[1][0] / det;
    return det;
  }
  for (PetscInt i = 0; i < 3; i++)
    for (PetscInt j = 0; j < 3; j++) {
      const PetscInt a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      K[i][j] = J[a][c] * J[b][d] - J[a][d] * J[b][c];
    }
  det = J[0][0] * K[0][0] + J[0][1] * K[1][0] + J[0][2] * K[2][0];
  for (PetscInt i = 0; i < 9; i++) (&K[0][0])[i] /= det;
  return det;
}

static void gradients(PetscInt dim, PetscInt nn, const double *dN, double K[3][3], double *grad)
{
  for (PetscInt a = 0; a < nn; a++)
    for (PetscInt i = 0; i < dim; i++) {
      grad[a * dim + i] = 0;
      for (PetscInt j = 0; j < dim; j++) grad[a * dim + i] += K[j][i] * dN[a * dim + j];
    }
}

/* For every element: positive Jacobian, partition of unity, exact gradient of x, the metric. */
static PetscErrorCode check_cells(RhxSpace s, double *volume)
{
  double unity = 0, gradient = 0, metric = 0, jmin = 1, padding = 0;

  PetscFunctionBegin;
  *volume = 0;
  for (PetscInt k = 0; k < s->ntypes; k++) {
    const RhxCells *c = &s->cells[k];
    const PetscBool flat = (PetscBool)(c->nn == s->dim + 1);

    for (PetscInt e = 0; e < c->ngroups * RHX_LANES; e++) {
      const PetscInt g = e / RHX_LANES, lane = e % RHX_LANES;
      const double *x = c->x + g * c->nn * s->dim * RHX_LANES;
      const PetscInt *conn = c->conn + g * c->nn * RHX_LANES;

      for (PetscInt q = 0; q < c->nq; q++) {
        const double *dN = c->dN + q * c->nn * s->dim;
        double J[3][3], K[3][3], grad[24], sum = 0;
        const double det = jacobian(s->dim, c->nn, dN, x, lane, J, K);

        gradients(s->dim, c->nn, dN, K, grad);
        jmin = PetscMin(jmin, det);
        if (e < c->n) *volume += c->w[q] * det;
        for (PetscInt a = 0; a < c->nn; a++) sum += c->N[q * c->nn + a];
        unity = PetscMax(unity, fabs(sum - 1));
        for (PetscInt i = 0; i < s->dim; i++)
          for (PetscInt j = 0; j < s->dim; j++) {
            double d = 0, g1 = 0, g2 = 0;
            for (PetscInt a = 0; a < c->nn; a++) {
              d += x[(a * s->dim + i) * RHX_LANES + lane] * grad[a * s->dim + j];
              g1 += 2 * grad[a * s->dim + i] * grad[a * s->dim + j];
            }
            for (PetscInt m = 0; m < s->dim; m++)
              for (PetscInt n = 0; n < s->dim; n++) g2 += K[m][i] * c->metric[m * s->dim + n] * K[n][j];
            if (!flat) {
              g1 = 0;
              for (PetscInt m = 0; m < s->dim; m++) g1 += K[m][i] * K[m][j];
            }
            gradient = PetscMax(gradient, fabs(d - (i == j)));
            metric = PetscMax(metric, fabs(g1 - g2) / (1 + fabs(g1)));
          }
      }
      if (e >= c->n)
        for (PetscInt a = 0; a < c->nn; a++)
          padding += conn[a * RHX_LANES + lane] != conn[a * RHX_LANES + (c->n - 1) % RHX_LANES];
    }
  }
  PetscCall(total(s->comm, volume, 1));
  PetscCall(total(s->comm, &padding, 1));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &jmin, 1, MPI_DOUBLE, MPI_MIN, s->comm));
  PetscCall(expect(s->comm, "smallest Jacobian > 0", jmin > 0, 1, 0));
  PetscCall(expect(s->comm, "sum of N", unity, 0, 1e-14));
  PetscCall(expect(s->comm, "gradient of x", gradient, 0, 1e-12));
  PetscCall(expect(s->comm, "metric", metric, 0, 1e-12));
  PetscCall(expect(s->comm, "padding repeats the last element", padding, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* integral over the labels of u.n for u_i = A_ij x_j, all A: area vectors (sum zero) and first moments (volume times
 * the identity). Exact where every boundary face has a label and no direction is periodic. */
static PetscErrorCode check_faces(RhxSpace s, double volume, PetscBool closed)
{
  double area[3] = {0}, moment[9] = {0};

  PetscFunctionBegin;
  for (PetscInt l = 0; l < s->nlabels; l++)
    for (PetscInt k = 0; k < s->faces[l].ngroups; k++) {
      const RhxFaceGroup *f = &s->faces[l].group[k];
      const PetscInt D = s->dim;

      for (PetscInt e = 0; e < f->n; e++) {
        const double *x = f->x + (e / RHX_LANES) * f->nn * D * RHX_LANES;
        const PetscInt lane = e % RHX_LANES;

        for (PetscInt q = 0; q < f->nfq; q++) {
          double J[3][3], K[3][3], t[2][3] = {{0}}, n[3], at[3] = {0};

          (void)jacobian(D, f->nn, f->dN + q * f->nn * D, x, lane, J, K);
          for (PetscInt m = 0; m < D - 1; m++)
            for (PetscInt i = 0; i < D; i++)
              for (PetscInt j = 0; j < D; j++) t[m][i] += J[i][j] * f->tangent[m * D + j];
          if (D == 2) {
            n[0] = t[0][1];
            n[1] = -t[0][0];
          } else
            for (PetscInt i = 0; i < 3; i++)
              n[i] = t[0][(i + 1) % 3] * t[1][(i + 2) % 3] - t[0][(i + 2) % 3] * t[1][(i + 1) % 3];
          for (PetscInt a = 0; a < f->nn; a++)
            for (PetscInt i = 0; i < D; i++) at[i] += f->N[q * f->nn + a] * x[(a * D + i) * RHX_LANES + lane];
          for (PetscInt i = 0; i < D; i++) {
            area[i] += f->w[q] * n[i];
            for (PetscInt j = 0; j < D; j++) moment[i * D + j] += f->w[q] * n[i] * at[j];
          }
        }
      }
    }
  PetscCall(total(s->comm, area, 3));
  PetscCall(total(s->comm, moment, 9));
  for (PetscInt i = 0; i < s->dim; i++)
    PetscCall(expect(s->comm, "sum of the area vectors", area[i], 0, 1e-13 * (1 + volume)));
  if (!closed) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < s->dim; i++)
    for (PetscInt j = 0; j < s->dim; j++)
      PetscCall(expect(s->comm, "divergence theorem", moment[i * s->dim + j], i == j ? volume : 0, 1e-12 * volume));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Halo: ghosts receive the owner's natural number; reducing ones counts the sharers. */
static PetscErrorCode check_halo(RhxSpace s)
{
  const PetscInt bs = 5;
  PetscScalar *a, wrong = 0, sum = 0, ghosts = s->nlocal - s->nowned;
  PetscInt vStart, vEnd;
  const PetscInt *natural;
  DM dm;
  Vec v;

  PetscFunctionBegin;
  PetscCall(RhxMeshGetDM(s->mesh, &dm));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(RhxMeshGetVertices(s->mesh, &natural, NULL));
  PetscCall(PetscMalloc1(s->nlocal * bs, &a));
  PetscCall(RhxSpaceCreateVec(s, bs, &v));
  for (PetscInt round = 0; round < 2; round++) {
    PetscScalar *g;
    PetscCall(VecGetArray(v, &g));
    for (PetscInt k = 0; k < s->nowned * bs; k++) g[k] = s->natural[k / bs] * 10. + k % bs;
    PetscCall(RhxSpaceGlobalToLocal(s, bs, g, a));
    PetscCall(VecRestoreArray(v, &g));
    for (PetscInt p = 0; p < vEnd - vStart; p++)
      for (PetscInt b = 0; b < bs; b++) wrong += a[s->vertex_node[p] * bs + b] != natural[p] * 10. + b;
  }
  for (PetscInt k = 0; k < s->nlocal * bs; k++) a[k] = 1;
  PetscCall(RhxSpaceReduce(s, bs, a));
  for (PetscInt k = 0; k < s->nowned * bs; k++) sum += a[k] / bs;
  for (PetscInt k = 0; k < s->nlocal; k++) {
    PetscInt global;
    PetscCall(ISLocalToGlobalMappingApply(s->l2g, 1, &k, &global));
    wrong += k < s->nowned && global != s->rstart + k;
  }
  PetscCall(total(s->comm, &wrong, 1));
  PetscCall(total(s->comm, &sum, 1));
  PetscCall(total(s->comm, &ghosts, 1));
  PetscCall(expect(s->comm, "halo exchange: wrong values", wrong, 0, 0));
  PetscCall(expect(s->comm, "reduce: sharers", sum, s->nglobal + ghosts, 1e-9));
  PetscCall(VecDestroy(&v));
  PetscCall(PetscFree(a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mass, position and label of every node by natural number: written by the first run, compared by the others. */
static PetscErrorCode check_natural(RhxSpace s, int number)
{
  const PetscInt m = s->dim + 3;
  double *all, wrong = 0, seen = 0;
  char file[PETSC_MAX_PATH_LEN];
  PetscBool compare = PETSC_FALSE;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(PetscSNPrintf(file, sizeof(file), "space_%d.bin", number));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-test_compare", &compare, NULL));
  PetscCall(PetscCalloc1(s->nglobal * m, &all));
  for (PetscInt k = 0; k < s->nowned; k++) {
    double *row = all + s->natural[k] * m;
    row[0] += 1;
    row[1] = s->mass[k];
    for (PetscInt d = 0; d < s->dim; d++) row[3 + d] = s->x[k * s->dim + d];
  }
  for (PetscInt l = 0; l < s->nlabels; l++)
    for (PetscInt k = 0; k < s->faces[l].nnodes; k++) all[s->natural[s->faces[l].node[k]] * m + 2] += 1 << l;
  PetscCall(total(s->comm, all, s->nglobal * m));
  for (PetscInt k = 0; k < s->nglobal; k++) seen += all[k * m] == 1;
  PetscCall(expect(s->comm, "natural numbers are a permutation", seen, s->nglobal, 0));
  if (number >= 0 && !rank) {
    FILE *f = fopen(file, compare ? "rb" : "wb");

    PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot open %s", file);
    if (!compare) wrong = fwrite(all, sizeof(double), (size_t)(s->nglobal * m), f) != (size_t)(s->nglobal * m);
    for (PetscInt k = 0; compare && k < s->nglobal * m; k++) {
      double v;
      if (fread(&v, sizeof(v), 1, f) != 1) v = NAN;
      if (!(fabs(v - all[k]) <= 1e-14)) wrong += 1;
    }
    PetscCheck(!fclose(f), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "cannot close %s", file);
  }
  PetscCall(total(s->comm, &wrong, 1));
  PetscCall(expect(s->comm, "values that depend on the number of ranks", wrong, 0, 0));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_mass(RhxSpace s, double volume, double exact, PetscInt nodes)
{
  double mass = 0, ghosts = 0, *copy;
  PetscReal least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->nlocal, &copy));
  PetscCall(RhxSpaceGlobalToLocal(s, 1, s->mass, copy));
  for (PetscInt k = 0; k < s->nlocal; k++) {
    if (k < s->nowned) mass += s->mass[k];
    least = PetscMin(least, s->mass[k]);
    ghosts += copy[k] != s->mass[k];
  }
  PetscCall(PetscFree(copy));
  PetscCall(total(s->comm, &mass, 1));
  PetscCall(total(s->comm, &ghosts, 1));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, s->comm));
  PetscCall(expect(s->comm, "volume", volume, exact, 1e-12 * exact));
  PetscCall(expect(s->comm, "sum of the lumped mass", mass, exact, 1e-12 * exact));
  PetscCall(expect(s->comm, "lumped mass > 0", least > 0, 1, 0));
  PetscCall(expect(s->comm, "ghosts with another mass than their owner", ghosts, 0, 0));
  PetscCall(expect(s->comm, "number of nodes", s->nglobal, nodes, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every face of a label is in one group of one rank. */
static PetscErrorCode check_counts(RhxSpace s, const char *expected)
{
  PetscInt want;
  char names[1024] = "";

  PetscFunctionBegin;
  for (PetscInt l = 0; l < s->nlabels; l++) {
    const RhxFaces *faces;
    double n = 0;

    PetscCall(RhxSpaceGetFaces(s, s->faces[l].label, &faces));
    for (PetscInt k = 0; k < faces->ngroups; k++) n += faces->group[k].n;
    PetscCall(total(s->comm, &n, 1));
    PetscCall(RhxMeshGetLabelFaceCount(s->mesh, faces->label, &want));
    PetscCall(expect(s->comm, faces->label, n, want, 0));
    PetscCall(PetscStrlcat(names, l ? "," : "", sizeof(names)));
    PetscCall(PetscStrlcat(names, faces->label, sizeof(names)));
  }
  if (expected && strcmp(names, expected)) {
    failures++;
    PetscCall(PetscPrintf(s->comm, "FAIL labels: got '%s', expected '%s'\n", names, expected));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean distance of the node numbers in an element: ours over that of the mesh's own numbers, on this rank. */
static PetscErrorCode check_order(RhxSpace s, PetscBool print)
{
  double sum[2] = {0, 0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < s->ntypes; k++)
    for (PetscInt e = 0; e < s->cells[k].n; e++) {
      const RhxCells *c = &s->cells[k];
      PetscInt lo[2] = {PETSC_MAX_INT, PETSC_MAX_INT}, hi[2] = {0, 0};

      for (PetscInt a = 0; a < c->nn; a++) {
        const PetscInt node = c->conn[(e / RHX_LANES * c->nn + a) * RHX_LANES + e % RHX_LANES];
        for (PetscInt i = 0; i < 2 && node < s->nowned; i++) {
          const PetscInt number = i ? s->natural[node] : node;
          lo[i] = PetscMin(lo[i], number);
          hi[i] = PetscMax(hi[i], number);
        }
      }
      for (PetscInt i = 0; i < 2 && hi[0] >= lo[0]; i++) sum[i] += hi[i] - lo[i];
    }
  if (print) PetscCall(PetscPrintf(s->comm, "node distance in an element: %.4g of the mesh's own\n", sum[0] / sum[1]));
  PetscCall(expect(s->comm, "order of the nodes no worse than the mesh's", sum[0] <= sum[1], 1, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c NULL: the mesh of the command line, of which only times and what needs no exact value is known. */
static PetscErrorCode check_mesh(const Case *c, int number)
{
  RhxMesh mesh;
  RhxSpace s;
  RhxFields fields;
  PetscInt dim, unlabelled;
  double volume;
  PetscLogDouble t[3];

  PetscFunctionBegin;
  PetscCall(RhxMeshCreate(PETSC_COMM_WORLD, &mesh));
  PetscCall(RhxMeshSetFromOptions(mesh));
  PetscCall(PetscTime(&t[0]));
  PetscCall(RhxMeshSetUp(mesh));
  PetscCall(PetscTime(&t[1]));
  PetscCall(RhxMeshGetDimension(mesh, &dim));
  PetscCall(RhxFieldsCreate(PETSC_COMM_WORLD, dim, dim == 2 ? 3 : 6, &fields));
  PetscCall(RhxFieldsAddFlow(fields, 1, 1, "stress", "Pa", NULL));
  PetscCall(RhxSpaceCreate(mesh, &fields, &s));
  PetscCall(PetscTime(&t[2]));
  PetscCall(RhxMeshGetUnlabelledFaceCount(s->mesh, &unlabelled));
  if (!c) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "mesh %.2f s, space %.2f s\n", t[1] - t[0], t[2] - t[1]));
    PetscCall(RhxMeshView(mesh, PETSC_VIEWER_STDOUT_WORLD));
  }
  PetscCall(check_cells(s, &volume));
  PetscCall(check_mass(s, volume, c ? c->volume : volume, c ? c->nodes : s->nglobal));
  PetscCall(check_faces(s, volume, (PetscBool)(c && !c->periodic && !unlabelled)));
  PetscCall(check_counts(s, c ? c->labels : NULL));
  PetscCall(check_halo(s));
  PetscCall(check_order(s, (PetscBool)!c));
  PetscCall(check_natural(s, number));
  PetscCall(RhxSpaceDestroy(&s));
  PetscCall(RhxMeshDestroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run(void)
{
  char folder[PETSC_MAX_PATH_LEN] = ".", path[PETSC_MAX_PATH_LEN];
  PetscBool file, box, compare = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(RhxMeshRegisterOptions());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-test_folder", folder, sizeof(folder), NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-test_compare", &compare, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mesh_file", &file));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mesh_box_faces", &box));
  if (file || box) {
    PetscCall(check_mesh(NULL, -1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < (int)PETSC_STATIC_ARRAY_LENGTH(cases); k++) {
    const int before = failures;

    PetscCall(PetscOptionsClear(NULL));
    PetscCall(PetscOptionsInsertString(NULL, cases[k].options));
    if (compare) PetscCall(PetscOptionsSetValue(NULL, "-test_compare", "1"));
    PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, cases[k].file));
    if (cases[k].file) PetscCall(PetscOptionsSetValue(NULL, "-mesh_file", path));
    PetscCall(check_mesh(&cases[k], k));
    if (failures > before)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  in case %d: %s %s\n", k, cases[k].options,
                            cases[k].file ? cases[k].file : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (run()) return 2;
  PetscCall(PetscFinalize());
  return failures != 0;
}

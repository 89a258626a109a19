#include "diagnostics/diagnostics.h"
#include "petsc_compat.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void write_vector(FILE *f, PetscInt dim, const PetscReal *v)
{
  for (PetscInt d = 0; d < dim; d++) fprintf(f, ",%.12g", v[d]);
}

static int close_file(FILE *f)
{
  int bad = ferror(f);
  return fclose(f) || bad;
}

static int write_wall(const RhxWall *w, PetscInt dim, const char *file, double rate, double length)
{
  FILE *f = fopen(file, "w");

  if (!f) return 1;
  fprintf(f, "part,s,x,y%s,wss_x,wss_y%s,shear_rate,pressure,s_scaled,x_scaled,y_scaled%s,shear_rate_scaled\n",
          dim == 2 ? "" : ",z",
          w->wss_theta ? ",wss_theta"
          : dim == 2   ? ""
                       : ",wss_z",
          dim == 2 ? "" : ",z_scaled");
  for (PetscInt i = 0; i < w->n; i++) {
    fprintf(f, "%d,%.12g", (int)w->part[i], w->s[i]);
    write_vector(f, dim, w->x + i * dim);
    write_vector(f, dim, w->wss + i * dim);
    if (w->wss_theta) write_vector(f, 1, w->wss_theta + i);
    fprintf(f, ",%.12g,%.12g,%.12g", w->shear[i], w->pressure[i], w->s[i] / length);
    for (PetscInt d = 0; d < dim; d++) fprintf(f, ",%.12g", w->x[i * dim + d] / length);
    fprintf(f, ",%.12g\n", w->shear[i] / rate);
  }
  return close_file(f);
}

static void write_points(FILE *f, const char *kind, PetscInt n, const RhxWallPoint *at, double length)
{
  for (PetscInt i = 0; i < n; i++)
    fprintf(f, "%s,%d,%.12g,%.12g,%.12g,%.12g,%.12g,%.12g\n", kind, (int)at[i].part, at[i].s, at[i].x[0], at[i].x[1],
            at[i].s / length, at[i].x[0] / length, at[i].x[1] / length);
}

static int write_point_file(const RhxWall *w, const char *file, double length)
{
  char name[PETSC_MAX_PATH_LEN];
  size_t n = strlen(file);
  FILE *f;

  if (n > 4 && !strcmp(file + n - 4, ".csv")) n -= 4;
  snprintf(name, sizeof name, "%.*s_points.csv", (int)n, file);
  if (!(f = fopen(name, "w"))) return 1;
  fprintf(f, "kind,part,s,x,y,s_scaled,x_scaled,y_scaled\n");
  write_points(f, "separation", w->nsep, w->sep, length);
  write_points(f, "reattachment", w->nreat, w->reat, length);
  return close_file(f);
}

PetscErrorCode RhxWallWrite(const RhxWall *wall, PetscInt dim, const char *file, double velocity, double length,
                            int *err)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  if (!(velocity > 0)) velocity = 1;
  if (!(length > 0)) length = 1;
  PetscCallMPI(MPI_Comm_rank(wall->comm, &rank));
  *err = errno = 0;
  if (!rank &&
      (write_wall(wall, dim, file, velocity / length, length) || (dim == 2 && write_point_file(wall, file, length))))
    *err = errno ? errno : EIO;
  PetscCallMPI(MPI_Bcast(err, 1, MPI_INT, 0, wall->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

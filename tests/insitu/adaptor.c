/* An adaptor without a library behind it: what it is shown goes to <folder>/seen_<rank>.csv, a row a field. Its script is one
 * text: "every n" and "fail n" are the steps it wants and the one that its last rank cannot show, "end n" the one in which its last
 * rank gets a SIGTERM (-1: while it begins). */
#include <rheoplex/insitu.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifndef SEEN_VERSION
#define SEEN_VERSION RHX_INSITU_VERSION
#endif

static FILE *seen;
static int rank, size, every = 1, failing = -1, ending = -2;

static int begin(const RhxInsituRun *run, char message[RHX_INSITU_MESSAGE])
{
  char path[4096], line[256];
  FILE *script = fopen(run->script[0], "r");

  MPI_Comm_rank(run->comm, &rank);
  MPI_Comm_size(run->comm, &size);
  while (script && fgets(line, sizeof(line), script)) {
    sscanf(line, "every %d", &every);
    sscanf(line, "fail %d", &failing);
    sscanf(line, "end %d", &ending);
  }
  if (script) fclose(script);
  if (ending == -1 && rank == size - 1) raise(SIGTERM);
  snprintf(path, sizeof(path), "%s/seen_%d.csv", run->folder, rank);
  if (!(seen = fopen(path, "w"))) snprintf(message, RHX_INSITU_MESSAGE, "%.200s cannot be written", path);
  if (seen) fprintf(seen, "step,t,last,npoints,ncells,volume,field,components,values,sum,squares\n");
  return message[0] != 0;
}

static int wants(const RhxInsituStep *step) { return step->last || step->step % every == 0; }

/* Of the box that the piece's points span; 0 where the cells' connectivity is no list of points. */
static double extent(const RhxInsituMesh *m)
{
  double low[3], high[3], volume = 1;

  if (m->offset[0] != 0) return 0;
  for (int64_t i = 0; i < m->offset[m->ncells]; i++)
    if (m->connectivity[i] < 0 || m->connectivity[i] >= m->npoints) return 0;
  for (int d = 0; d < 3; d++) {
    low[d] = 1e300, high[d] = -1e300;
    for (int64_t i = 0; i < m->npoints; i++) {
      if (m->xyz[3 * i + d] < low[d]) low[d] = m->xyz[3 * i + d];
      if (m->xyz[3 * i + d] > high[d]) high[d] = m->xyz[3 * i + d];
    }
    if (high[d] > low[d]) volume *= high[d] - low[d];
  }
  return volume;
}

static int show(const RhxInsituStep *step, const RhxInsituMesh *mesh, int nfields, const RhxInsituField *fields,
                char message[RHX_INSITU_MESSAGE])
{
  for (int k = 0; k < nfields; k++) {
    const RhxInsituField *f = &fields[k];
    const int64_t n = f->components * (f->cell ? mesh->ncells : mesh->npoints);
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < n; i++) {
      sum += f->values[i];
      squares += f->values[i] * f->values[i];
    }
    fprintf(seen, "%lld,%.17g,%d,%lld,%lld,%.17g,%s,%d,%lld,%.17g,%.17g\n", (long long)step->step, step->t, step->last,
            (long long)mesh->npoints, (long long)mesh->ncells, extent(mesh), f->name, f->components, (long long)n, sum,
            squares);
  }
  fflush(seen);
  if (step->step == ending && rank == size - 1) raise(SIGTERM);
  if (step->step != failing || rank != size - 1) return 0;
  snprintf(message, RHX_INSITU_MESSAGE, "the script of the test has failed at step %lld", (long long)step->step);
  return 1;
}

static void end(void)
{
  if (seen) fclose(seen);
  seen = NULL;
}

__attribute__((visibility("default"))) const RhxInsituAdaptor *rhx_insitu(void)
{
  static const RhxInsituAdaptor adaptor = {sizeof(adaptor), SEEN_VERSION, "seen", begin, wants, show, end};
  return &adaptor;
}

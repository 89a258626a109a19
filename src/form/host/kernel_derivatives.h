/* A part of kernel.c: derivatives of what the points of a lane group give, by what they see; then by the chain rule by the nodes. */
#if !defined(RHX_KERNEL_DERIVATIVES_H) && TANGENT
#define RHX_KERNEL_DERIVATIVES_H

/* A number of each node of an element. */
typedef double Nodes __attribute__((vector_size(8 * MAX_NODES), aligned(8), may_alias));

/* Derivatives of the integrands of a point: of `rows` rows that go with N and, if `sloped`, its slopes, by `columns` values and, if
 * `slopes`, their slopes. d [NLANES][1 + DIM][rows][1 + DIM][columns], m [rows][1 + DIM][columns], k [NLANES], the elements':
 * workspace. */
typedef struct {
  PetscInt rows, columns;
  PetscInt first, height, of, from; /* rows from `first` on, of `height` a node; first of what a point gives, sees */
  int sloped, slopes;
  double *d, *m;
  Nodes *k;
  size_t point, nodes, element; /* numbers of a lane in d, in k and in pass->out */
} Derivatives;

/* A number of the point that changes by d for each unit of its column. */
typedef struct {
  RhxReal *at;
  double d;
} Seed;

/* What a point is asked for: numbers of [1 + DIM][stride] that hold its rows. */
typedef struct Ask Ask;
struct Ask {
  void (*evaluate)(Io *io, const Ask *ask);
  Result *result;
  PetscInt stride;
  const RhxFaceTerm *term;
  const RhxReal *n;
};

static const PetscReal one = 1.0; /* shape function of a point that is an element of one node */

/* io of a point, with what the compiler may know of it. */
#define AT_POINT(io)                                                                                           \
  {                                                                                                            \
    (io)->pass, (io)->form, (io)->wk, (io)->el, &one, (io)->xg, (io)->ge, NULL, (io)->as, (io)->div_tau, 1, 0, \
        (io)->law, 0, 1, 1                                                                                     \
  }

static void ask_residual(Io *io, const Ask *ask)
{
  const Io here = AT_POINT(io);
  RhxPoint pt;
  (void)ask;
  rhx_compose_residual(&here, &pt);
}

static void ask_projection(Io *io, const Ask *ask)
{
  const Io here = AT_POINT(io);
  RhxPoint pt;
  rhx_compose_project(&here, &pt, io->wk->aux);
  for (PetscInt c = 0; c < ask->stride; c++) ask->result[c] = TAKEN(io->wk->aux[c]);
}

static void ask_face(Io *io, const Ask *ask)
{
  const Io here = AT_POINT(io);
  RhxPoint pt;
  RhxReal f[DIM];
  face_terms(&here, ask->term, ask->n, &pt, f);
  for (int i = 0; i < DIM; i++) ask->result[i] = TAKEN(f[i]);
}

/* What the state, its rate, sources and auxiliary fields are at the point. */
static void point_values(int nn, const RhxPass *pass, const PetscReal *N, const Geometry *ge, const Element *el,
                         const Work *wk)
{
  const PetscInt bs = el->bs, naux = pass->form->naux;
  for (PetscInt c = 0; c < bs; c++) {
    wk->P[c] = value(nn, bs, N, el->U, c);
    if (pass->xdot) wk->P[bs + c] = value(nn, bs, N, el->V, c);
    if (pass->form->source) wk->P[2 * bs + c] = value(nn, bs, N, el->S, c);
  }
  for (PetscInt c = 0; c < naux && pass->aux; c++) wk->B[c] = value(nn, naux, N, wk->A, c);
  slopes(nn, ge, el);
}

/* Direction `along` of column c: the numbers that change. */
static int seeds(const RhxPass *pass, const Work *wk, int by_aux, PetscInt c, int along, Seed s[2])
{
  const PetscInt bs = pass->form->space->bs;
  s[0] = (Seed){by_aux ? wk->B + c : along ? wk->G + c * DIM + along - 1 : wk->P + c, 1.0};
  s[1] = (Seed){wk->P + bs + c, pass->shift};
  return !by_aux && !along && pass->xdot ? 2 : 1;
}

/* All derivatives of the point of io, times UNIT, by auxiliary fields or by the state. */
static void differentiate(Io *io, const Ask *ask, int by_aux, const Derivatives *dv)
{
  const PetscInt width = (1 + DIM * dv->slopes) * dv->columns;
  for (int along = 0; along <= DIM * dv->slopes; along++)
    for (PetscInt c = 0; c < dv->columns; c++) {
      double *to = dv->d + along * dv->columns + c;
      Seed s[2];
      const int n = seeds(io->pass, io->wk, by_aux, dv->from + c, along, s);
      RhxReal was[2];
      for (int k = 0; k < n; k++) {
        was[k] = *s[k].at;
        *s[k].at = SEEDED(rhx_value(was[k]), s[k].d);
      }
      ask->evaluate(io, ask);
      for (int k = 0; k < n; k++) *s[k].at = was[k];
      for (int test = 0; test <= DIM * dv->sloped; test++) {
        const Result *from = ask->result + test * ask->stride + dv->of;
        for (PetscInt r = 0; r < dv->rows; r++, to += width)
          for (int l = 0; l < NLANES; l++) to[l * dv->point] = LANE_CHANGE(from[r], l);
      }
    }
}

/* m = w (N d_0 + g . d_1..), of all rows: what goes with node a, n numbers. */
RHX_INLINED void test_point(int sloped, double w, double N, const double g[DIM], PetscInt n, const double *__restrict d,
                            double *__restrict m)
{
  for (PetscInt i = 0; i < n; i++) {
    double s = N * d[i];
    for (int j = 0; j < DIM && sloped; j++) s += g[j] * d[(1 + j) * n + i];
    m[i] = w * s;
  }
}

/* row[columns] += N m_0 + g . m_1.., a vector of the nodes each */
RHX_INLINED void along_point(int slopes, Nodes N, const Nodes g[DIM], PetscInt columns, const double *__restrict m,
                             Nodes *__restrict row)
{
  for (PetscInt c = 0; c < columns; c++) {
    Nodes s = N * m[c];
    for (int j = 0; j < DIM && slopes; j++) s += g[j] * m[(1 + j) * columns + c];
    row[c] += s;
  }
}

/* k[nn][rows][columns] of a lane += w sum of T_s(a) T_t(b) d, T_0 = N and T_k its slopes; a vector of the nodes b each */
RHX_INLINED void add_to_nodes(int sloped, int slopes, int nn, int lane, const PetscReal *N, const Geometry *ge,
                              const Derivatives *dv)
{
  const PetscInt width = (1 + DIM * slopes) * dv->columns;
  const double w = LENGTH_LANE(ge->w, lane) / UNIT, *d = dv->d + lane * dv->point;
  Nodes at = {0.0}, g[DIM] = {{0.0}}, *row = dv->k + lane * dv->nodes;
  for (int a = 0; a < nn; a++) {
    at[a] = N[a];
    for (int j = 0; j < DIM; j++) g[j][a] = LENGTH_LANE(ge->dN[a][j], lane);
  }
  for (int a = 0; a < nn; a++) {
    double ga[DIM];
    for (int j = 0; j < DIM; j++) ga[j] = g[j][a];
    test_point(sloped, w, N[a], ga, dv->rows * width, d, dv->m);
    for (PetscInt r = 0; r < dv->rows; r++, row += dv->columns)
      along_point(slopes, at, g, dv->columns, dv->m + r * width, row);
  }
}

static void add_point(int nn, int lane, const PetscReal *N, const Geometry *ge, const Derivatives *dv)
{
  if (dv->sloped && dv->slopes)
    add_to_nodes(1, 1, nn, lane, N, ge, dv);
  else if (dv->sloped)
    add_to_nodes(1, 0, nn, lane, N, ge, dv);
  else if (dv->slopes)
    add_to_nodes(0, 1, nn, lane, N, ge, dv);
  else
    add_to_nodes(0, 0, nn, lane, N, ge, dv);
}

/* out[nn][height][nn][columns] of a lane from its k, which becomes zero. */
static void turn_nodes(int nn, int lane, const Derivatives *dv, double *out)
{
  Nodes *k = dv->k + lane * dv->nodes;
  out += lane * dv->element;
  for (int a = 0; a < nn; a++)
    for (PetscInt r = 0; r < dv->rows; r++) {
      double *row = out + (a * dv->height + dv->first + r) * nn * dv->columns;
      for (PetscInt c = 0; c < dv->columns; c++, k++) {
        for (int b = 0; b < nn; b++) row[b * dv->columns + c] = (*k)[b];
        *k = (Nodes){0.0};
      }
    }
}

/* Of nn nodes, `height` rows and `columns` columns each; behind the matrices is workspace. Rows [first, first + rows). */
static Derivatives derivatives(int nn, const RhxPass *pass, PetscInt first, PetscInt rows, PetscInt height,
                               PetscInt columns)
{
  const size_t point = (size_t)(1 + DIM) * rows * (1 + DIM) * columns, nodes = (size_t)nn * rows * columns,
               element = (size_t)nn * height * nn * columns;
  double *d = pass->out + NLANES * element, *m = d + NLANES * point;
  Nodes *k = (Nodes *)(m + (size_t)rows * (1 + DIM) * columns);
  const Derivatives dv = {rows, columns, first, height, 0, 0, 0, 0, d, m, k, point, nodes, element};
  memset(pass->out, 0, sizeof(double) * NLANES * element);
  memset(k, 0, sizeof(Nodes) * NLANES * nodes);
  return dv;
}
#endif

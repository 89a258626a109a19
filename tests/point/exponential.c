/* exp(s) and exp(-s) of the log-conformation and their tangents against Taylor's series in quadruple precision, scaled and
 * squared, over tensors whose exponentials have eigenvalues 1e-6 to 1e6, equal and nearly equal ones included.
 * exponential [samples of each class, default 400] [0: plane, 1: with zz, 2: space; default all] */
#include "../common/largest.h"
#include "logarithm.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef __float128 Quad;
typedef Quad Matrix[3][3];

enum { TERMS = 18, SQUARINGS = 7 }; /* |s| / 2^7 < 1/4: the term left out is below 1e-28 */
enum { CLASSES = 6 };

static const char *const class_name[CLASSES] = {"distinct",     "two equal",         "all equal",
                                                "nearly equal", "axes of the frame", "almost its axes"};
static const double tolerance = 1e-13, tangent_tolerance = 1e-11;

static double uniform(double a, double b)
{
  return a + (b - a) * ((double)rand() + (double)rand() / RAND_MAX) / RAND_MAX;
}

/* C += A B */
static void add_product(Matrix A, Matrix B, Matrix C)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) C[i][j] += A[i][k] * B[k][j];
}

static void scaled(Matrix A, Quad factor, Matrix B)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[i][j] = factor * A[i][j];
}

/* E = exp(A), dE its derivative in the direction D: term by term, then (E, dE) becomes (E E, E dE + dE E). */
static void reference(Matrix A0, Matrix D0, double sign, Matrix E, Matrix dE)
{
  const Quad half = (Quad)sign / (1 << SQUARINGS);
  Matrix A, D, T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, dT = {{0}};
  scaled(A0, half, A);
  scaled(D0, half, D);
  scaled(T, 1, E);
  scaled(dT, 1, dE);
  for (int n = 1; n <= TERMS; n++) {
    Matrix N = {{0}}, dN = {{0}};
    add_product(A, T, N);
    add_product(D, T, dN);
    add_product(A, dT, dN);
    scaled(N, (Quad)1 / n, T);
    scaled(dN, (Quad)1 / n, dT);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        E[i][j] += T[i][j];
        dE[i][j] += dT[i][j];
      }
  }
  for (int k = 0; k < SQUARINGS; k++) {
    Matrix N = {{0}}, dN = {{0}};
    add_product(E, E, N);
    add_product(E, dE, dN);
    add_product(dE, E, dN);
    scaled(N, 1, E);
    scaled(dN, 1, dE);
  }
}

/* A rotation about a random axis: by any angle, or by one below 1e-4. */
static void rotation(int small, double R[3][3])
{
  double n[3], length = 0, angle = small ? pow(10, uniform(-12, -4)) : uniform(0, 2 * M_PI);
  for (int i = 0; i < 3; i++) n[i] = uniform(-1, 1);
  for (int i = 0; i < 3; i++) length += n[i] * n[i];
  for (int i = 0; i < 3; i++) n[i] /= sqrt(length);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[i][j] = (i == j ? cos(angle) : sin(angle) * ((j - i + 3) % 3 == 1 ? -1 : 1) * n[3 - i - j]) +
                (1 - cos(angle)) * n[i] * n[j];
}

/* A symmetric tensor of the class in all three dimensions, or with zz apart (planar). */
static void sample(int class, int planar, double s[3][3])
{
  const double limit = log(1e6);
  double e[3], R[3][3];
  for (int i = 0; i < 3; i++) e[i] = uniform(-limit, limit);
  if (class == 1 || class == 2) e[1] = e[0];
  if (class == 2) e[2] = e[0];
  if (class == 3)
    for (int i = 1; i < 3; i++) e[i] = e[0] + pow(10, uniform(-17, -1)) * (i == 1 ? 1 : -1);
  rotation(class == 5, R);
  if (planar) {
    const double angle = class == 5 ? 1e-9 : uniform(0, M_PI);
    const double P[3][3] = {{cos(angle), -sin(angle), 0}, {sin(angle), cos(angle), 0}, {0, 0, 1}};
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) R[i][j] = P[i][j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      s[i][j] = class == 4 && i == j ? e[i] : 0;
      for (int k = 0; k < 3 && class != 4; k++) s[i][j] += R[i][k] * e[k] * R[j][k];
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) s[i][j] = s[j][i];
}

typedef struct {
  const char *name;
  int dim, ntens;
  LogPoint *point[4]; /* double, lanes, complex, lanes with a derivative */
} Size;

static void pack(const Size *size, double a[3][3], double *out)
{
  for (int i = 0; i < (size->ntens == 3 ? 2 : 3); i++) out[i] = a[i][i];
  for (int i = 0; i < size->dim; i++)
    for (int j = i + 1; j < size->dim; j++) out[rhx_tensor_index(size->dim, size->ntens, i, j)] = a[i][j];
}

/* Largest difference over the largest component of the exact one */
static double difference(const Size *size, const double *got, Matrix exact)
{
  double a[3][3], want[6], worst = 0, scale = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a[i][j] = (double)exact[i][j];
  pack(size, a, want);
  for (int k = 0; k < size->ntens; k++) {
    worst = larger(worst, fabs(got[k] - want[k]));
    scale = larger(scale, fabs(want[k]));
  }
  return worst / scale;
}

static void worse(double value, double *worst) { *worst = larger(*worst, value); }

static void compare(const Size *size, int class, double worst[4][2])
{
  double s[3][3], ds[3][3], x[6], dx[6];
  Matrix S = {{0}}, D = {{0}}, E, dE, I, dI;
  sample(class, size->dim == 2, s);
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++) ds[i][j] = ds[j][i] = size->dim == 2 && (i < 2) != (j < 2) ? 0 : uniform(-1, 1);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      if (size->ntens == 3 && (i == 2 || j == 2)) continue;
      S[i][j] = s[i][j];
      D[i][j] = ds[i][j];
    }
  pack(size, s, x);
  pack(size, ds, dx);
  reference(S, D, 1, E, dE);
  reference(S, D, -1, I, dI);
  for (int kind = 0; kind < 4; kind++) {
    Exponential got;
    size->point[kind](x, dx, &got);
    worse(difference(size, got.c, E), &worst[kind][0]);
    worse(difference(size, got.ic, I), &worst[kind][0]);
    if (kind < 2) continue;
    worse(difference(size, got.dc, dE), &worst[kind][1]);
    worse(difference(size, got.dic, dI), &worst[kind][1]);
  }
}

int main(int argc, char **argv)
{
  static const Size sizes[] = {
      {"plane", 2, 3, {logarithm_2_3_0, logarithm_2_3_1, logarithm_2_3_2, logarithm_2_3_5}},
      {"plane with zz", 2, 4, {logarithm_2_4_0, logarithm_2_4_1, logarithm_2_4_2, logarithm_2_4_5}},
      {"space", 3, 6, {logarithm_3_6_0, logarithm_3_6_1, logarithm_3_6_2, logarithm_3_6_5}}};
  const int samples = argc > 1 ? atoi(argv[1]) : 400, only = argc > 2 ? atoi(argv[2]) : -1;
  int failures = 0;
  printf("largest relative difference of exp(s), exp(-s): double, lanes, complex, lanes with a derivative; tangents of "
         "the "
         "last two; %d samples a row\n",
         samples);
  for (int n = 0; n < 3; n++)
    for (int class = 0; class < (only < 0 || only == n ? CLASSES : 0); class ++) {
      double worst[4][2] = {{0}};
      int good;
      for (int k = 0; k < samples; k++) compare(&sizes[n], class, worst);
      good = worst[0][0] <= tolerance && worst[1][0] <= tolerance && worst[2][0] <= tolerance &&
             worst[3][0] <= tolerance && worst[2][1] <= tangent_tolerance && worst[3][1] <= tangent_tolerance;
      printf("%s %-14s %-18s %.1e %.1e %.1e %.1e  %.1e %.1e\n", good ? "ok    " : "FAILED", sizes[n].name,
             class_name[class], worst[0][0], worst[1][0], worst[2][0], worst[3][0], worst[2][1], worst[3][1]);
      failures += !good;
    }
  return failures || samples < 1;
}

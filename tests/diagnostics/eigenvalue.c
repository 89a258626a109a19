/* RhxMinEigenvalue against tensors made from known eigenvalues, near multiple and vanishing ones included. */
#include "diagnostics/diagnostics.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;

static double uniform(void) { return 2.0 * rand() / RAND_MAX - 1; }

/* Columns of an orthogonal matrix by Gram-Schmidt. */
static void random_frame(double q[3][3])
{
  for (int c = 0; c < 3; c++) {
    double length = 0;
    for (int i = 0; i < 3; i++) q[i][c] = uniform();
    for (int pass = 0; pass < 2; pass++)
      for (int b = 0; b < c; b++) {
        double dot = q[0][c] * q[0][b] + q[1][c] * q[1][b] + q[2][c] * q[2][b];
        for (int i = 0; i < 3; i++) q[i][c] -= dot * q[i][b];
      }
    for (int i = 0; i < 3; i++) length += q[i][c] * q[i][c];
    for (int i = 0; i < 3; i++) q[i][c] /= sqrt(length);
  }
}

static void check(const char *what, double got, double expected, double tolerance)
{
  if (fabs(got - expected) <= tolerance) return;
  printf("%s: got %.17g, expected %.17g +- %g\n", what, got, expected, tolerance);
  failures++;
}

static void check_3d(const double w[3])
{
  double q[3][3], a[3][3] = {{0}}, c[6], size = fabs(w[0]) + fabs(w[1]) + fabs(w[2]),
                  least = fmin(w[0], fmin(w[1], w[2]));

  random_frame(q);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) a[i][j] += q[i][k] * w[k] * q[j][k];
  c[0] = a[0][0], c[1] = a[1][1], c[2] = a[2][2], c[3] = a[1][2], c[4] = a[0][2], c[5] = a[0][1];
  /* beyond the range where LAPACK decides the closed form is good to sqrt(epsilon) at two equal eigenvalues */
  check("3D", RhxMinEigenvalue(6, c), least, (fabs(least) < 5e-6 * size ? 1e-14 : 5e-8) * size);
}

static void check_2d(const double w[3])
{
  double t = uniform(), s = sin(t), k = cos(t), xx = k * k * w[0] + s * s * w[1], yy = s * s * w[0] + k * k * w[1];
  double xy = s * k * (w[0] - w[1]), three[3] = {xx, yy, xy}, four[4] = {xx, yy, w[2], xy};
  double size = fabs(w[0]) + fabs(w[1]);

  check("plane, 3 components", RhxMinEigenvalue(3, three), fmin(w[0], w[1]), 1e-14 * size);
  check("plane, 4 components", RhxMinEigenvalue(4, four), fmin(w[2], fmin(w[0], w[1])), 1e-14 * size);
}

int main(void)
{
  static const double special[][3] = {{1, 1, 1}, {1, 1, 100},    {100, 100, 1},  {1, 1 + 1e-9, 50},
                                      {0, 0, 1}, {1e-12, 1, 1},  {-1e-12, 1, 1}, {-1e-9, 1e-9, 1e3},
                                      {0, 0, 0}, {1e-8, 1e8, 1}, {-3, -2, -1}};
  double bad[6] = {1, 1, 1, 0, NAN, 0};

  srand(1);
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    for (int k = 0; k < 200; k++) check_3d(special[i]), check_2d(special[i]);
  for (int k = 0; k < 20000; k++) {
    double w[3] = {exp(8 * uniform()), exp(8 * uniform()), exp(8 * uniform()) - 1};
    check_3d(w), check_2d(w);
  }
  if (!isnan(RhxMinEigenvalue(6, bad)) || !isnan(RhxMinEigenvalue(4, (double[]){1, 1, 1, NAN})) ||
      !isnan(RhxMinEigenvalue(3, (double[]){NAN, 1, 0}))) {
    printf("a NaN component does not give NaN\n");
    failures++;
  }
  return failures != 0;
}

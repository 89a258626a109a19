/* The exponential of a symmetric 3 x 3 tensor and the strain of the log-conformation equation, with their tangents; a part of
 * logconf.h, which says what and why. */
#ifndef RHX_LOGCONF3D_H
#define RHX_LOGCONF3D_H

/* Three leave 1e-5 where exp(s) has eigenvalues from 1e-6 to 1e6, four are at rounding, equal eigenvalues included. What is
 * left off the diagonal of s is an error of exp(s) relative to it: three are enough for most. */
#define RHX_JACOBI_SWEEPS 4
#define RHX_JACOBI_LEFT 1e-15

typedef struct {
  RhxReal c[RHX_NTENS], ic[RHX_NTENS]; /* exp(s), exp(-s) */
  RhxLogValue e[3], Q[3][3];           /* eigenvalues of s; s = Q diag(e) Q^T */
  RhxLogValue K[3];                    /* x coth x of x = (e_a - e_b)/2, of (a, b) = (1, 2), (0, 2), (0, 1) */
#if RHX_LOG_TANGENT                    /* e, Q, K and g are of the value of s */
  RhxLogValue g[3];                    /* (K - 1)/x^2 */
  RhxLogChange P[3][3];                /* Q^T ds Q, ds the infinitesimal part of s */
#endif
} RhxLog;

/* One rotation that annihilates A_pq: tan(2 angle) = 2 A_pq/(A_qq - A_pp), t = tan, c = cos, s = sin of the angle. */
RHX_POINTWISE void rhx_jacobi_rotate(RhxLogValue A[3][3], RhxLogValue Q[3][3], int p, int q)
{
  const int r = 3 - p - q;
  const RhxLogValue apq = A[p][q], h = 0.5 * (A[q][q] - A[p][p]), side = RHX_LOG_IF_LT(h, 0.0, -0.5, 0.5);
  const RhxLogValue b = 2.0 * side * h + 1e-140; /* |h|; where all is 0 the angle is 0 */
  const RhxLogValue inverse = 1.0 / RHX_LOG_SQRT(b * b + apq * apq), cc = 0.5 + 0.5 * (b * inverse);
  const RhxLogValue ic = 1.0 / RHX_LOG_SQRT(cc), c = cc * ic, s = side * (apq * inverse) * ic, t = s * ic;
  const RhxLogValue arp = A[r][p], arq = A[r][q];
  A[p][p] = A[p][p] - t * apq;
  A[q][q] = A[q][q] + t * apq;
  A[p][q] = A[q][p] = RHX_LOG_ZERO;
  A[r][p] = A[p][r] = c * arp - s * arq;
  A[r][q] = A[q][r] = s * arp + c * arq;
  for (int i = 0; i < 3; i++) {
    const RhxLogValue vp = Q[i][p], vq = Q[i][q];
    Q[i][p] = c * vp - s * vq;
    Q[i][q] = s * vp + c * vq;
  }
}

/* Of the value of s: e and Q. */
RHX_POINTWISE void rhx_log_eigen(const RhxReal s[RHX_NTENS], RhxLog *lg)
{
  RhxLogValue A[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
#if RHX_LOG_TANGENT
      A[i][j] = rhx_value(s[rhx_ij(i, j)]);
#else
      A[i][j] = s[rhx_ij(i, j)];
#endif
      lg->Q[i][j] = RHX_LOG_ZERO + (i == j ? 1.0 : 0.0);
    }
  RHX_ROLLED(int sweep = 0; sweep < RHX_JACOBI_SWEEPS; sweep++)
  {
    rhx_jacobi_rotate(A, lg->Q, 0, 1);
    rhx_jacobi_rotate(A, lg->Q, 0, 2);
    rhx_jacobi_rotate(A, lg->Q, 1, 2);
    if (RHX_LOG_ALL_LT(A[0][1] * A[0][1] + A[0][2] * A[0][2], RHX_JACOBI_LEFT * RHX_JACOBI_LEFT)) break;
  }
  for (int i = 0; i < 3; i++) lg->e[i] = A[i][i];
}

/* out = Q W Q^T, W symmetric */
RHX_POINTWISE void rhx_from_eigen(RhxLogValue Q[3][3], RhxReal W[3][3], RhxReal out[RHX_NTENS])
{
  for (int i = 0; i < 3; i++) {
    RhxReal m[3];
    for (int b = 0; b < 3; b++) m[b] = Q[i][0] * W[0][b] + Q[i][1] * W[1][b] + Q[i][2] * W[2][b];
    for (int j = i; j < 3; j++) out[rhx_ij(i, j)] = m[0] * Q[j][0] + m[1] * Q[j][1] + m[2] * Q[j][2];
  }
}

/* E = Q^T M Q of a matrix M, row by row */
RHX_POINTWISE void rhx_to_eigen(RhxLogValue Q[3][3], RhxReal M[3][3], RhxReal E[3][3])
{
  RhxReal m[3][3];
  for (int i = 0; i < 3; i++)
    for (int b = 0; b < 3; b++) m[i][b] = M[i][0] * Q[0][b] + M[i][1] * Q[1][b] + M[i][2] * Q[2][b];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) E[a][b] = Q[0][a] * m[0][b] + Q[1][a] * m[1][b] + Q[2][a] * m[2][b];
}

#if RHX_LOG_TANGENT
#include <rheoplex/logtangent3d.h>
#else
/* x coth x of x = (e_a - e_b)/2 from the exponentials, which differ by 2 sinh x: by its series, to x^14, where they are close. */
RHX_POINTWISE RhxReal rhx_xcoth_of(RhxReal ea, RhxReal eb, RhxReal wa, RhxReal wb)
{
  const RhxReal x = 0.5 * (ea - eb), z = x * x;
  const RhxMask small = RHX_LT(z, RHX_CONST(0.05));
  const RhxReal zs = RHX_SELECT(small, z, RHX_CONST(0.0)), d = RHX_SELECT(small, RHX_CONST(1.0), wa - wb);
  const RhxReal series =
      1.0 +
      zs * (1.0 / 3 + zs * (-1.0 / 45 +
                            zs * (2.0 / 945 + zs * (-1.0 / 4725 + zs * (2.0 / 93555 + zs * (-1382.0 / 638512875 +
                                                                                            zs * (4.0 / 18243225)))))));
  return RHX_SELECT(small, series, x * (wa + wb) / d);
}

/* out = Q diag(w) Q^T */
RHX_POINTWISE void rhx_from_eigenvalues(RhxReal Q[3][3], const RhxReal w[3], RhxReal out[RHX_NTENS])
{
  for (int i = 0; i < 3; i++) {
    RhxReal m[3];
    for (int b = 0; b < 3; b++) m[b] = Q[i][b] * w[b];
    for (int j = i; j < 3; j++) out[rhx_ij(i, j)] = m[0] * Q[j][0] + m[1] * Q[j][1] + m[2] * Q[j][2];
  }
}

RHX_POINTWISE void rhx_log_set(const RhxReal s[RHX_NTENS], RhxLog *lg)
{
  RhxReal w[3];
  rhx_log_eigen(s, lg);
  for (int a = 0; a < 3; a++) w[a] = RHX_EXP(lg->e[a]);
  rhx_from_eigenvalues(lg->Q, w, lg->c);
  for (int k = 0; k < 3; k++) {
    const int a = k == 0, b = k == 2 ? 1 : 2;
    lg->K[k] = rhx_xcoth_of(lg->e[a], lg->e[b], w[a], w[b]);
  }
  for (int a = 0; a < 3; a++) w[a] = 1.0 / w[a];
  rhx_from_eigenvalues(lg->Q, w, lg->ic);
}
#endif

/* f(s) eps = Q (K o E) Q^T, E = Q^T eps Q, K_ij = x coth x of x = (e_i - e_j)/2, and its tangent with respect to s. */
RHX_POINTWISE void rhx_log_strain(const RhxLog *lg, const RhxReal *L, RhxReal out[RHX_NTENS])
{
  RhxReal eps[3][3], E[3][3], W[3][3];
  RhxLogValue Q[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      eps[i][j] = 0.5 * (L[3 * i + j] + L[3 * j + i]);
      Q[i][j] = lg->Q[i][j];
    }
  rhx_to_eigen(Q, eps, E);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) W[a][b] = W[b][a] = a == b ? E[a][b] : E[a][b] * lg->K[3 - a - b];
#if RHX_LOG_TANGENT
  rhx_log_add_tangent(lg, E, W);
#endif
  rhx_from_eigen(Q, W, out);
}

#endif

/* The exponential of a symmetric 3 x 3 tensor and the strain of the log-conformation equation, with their tangents; a part of
 * logconf.h, which says what and why. */
#ifndef RHX_LOGCONF3D_H
#define RHX_LOGCONF3D_H

/* Three leave 1e-5 where exp(s) has eigenvalues from 1e-6 to 1e6, four are at rounding, equal eigenvalues included. */
#define RHX_JACOBI_SWEEPS 4

#if (RHX_KIND == RHX_KIND_COMPLEX || RHX_KIND == RHX_KIND_DUAL) && !defined(RHX_NO_DERIVATIVES)
#define RHX_LOG_TANGENT 1
#else
#define RHX_LOG_TANGENT 0
#endif

typedef struct {
  RhxReal c[RHX_NTENS], ic[RHX_NTENS]; /* exp(s), exp(-s) */
  RhxReal e[3], Q[3][3];               /* eigenvalues of s; s = Q diag(e) Q^T */
#if RHX_LOG_TANGENT
  RhxReal P[3][3]; /* Q^T ds Q, ds the infinitesimal part of s; e and Q are of its value */
#else
  RhxReal K[3]; /* x coth x of x = (e_a - e_b)/2, of (a, b) = (1, 2), (0, 2), (0, 1) */
#endif
} RhxLog;

/* One rotation that annihilates A_pq: t = tan, c = cos, s = sin of the angle. */
RHX_POINTWISE void rhx_jacobi_rotate(RhxReal A[3][3], RhxReal Q[3][3], int p, int q)
{
  const int r = 3 - p - q;
  const RhxReal apq = A[p][q], h = 0.5 * (A[q][q] - A[p][p]);
  const RhxReal root = RHX_SQRT(h * h + apq * apq + RHX_TINY);
  const RhxReal t = apq / RHX_SELECT(RHX_LT(h, RHX_ZERO), h - root, h + root);
  const RhxReal c = 1.0 / RHX_SQRT(1.0 + t * t), s = t * c;
  const RhxReal arp = A[r][p], arq = A[r][q];
  A[p][p] = A[p][p] - t * apq;
  A[q][q] = A[q][q] + t * apq;
  A[p][q] = A[q][p] = RHX_ZERO;
  A[r][p] = A[p][r] = c * arp - s * arq;
  A[r][q] = A[q][r] = s * arp + c * arq;
  for (int i = 0; i < 3; i++) {
    const RhxReal vp = Q[i][p], vq = Q[i][q];
    Q[i][p] = c * vp - s * vq;
    Q[i][q] = s * vp + c * vq;
  }
}

/* out = Q W Q^T, W symmetric */
RHX_POINTWISE void rhx_from_eigen(RhxReal Q[3][3], RhxReal W[3][3], RhxReal out[RHX_NTENS])
{
  for (int i = 0; i < 3; i++) {
    RhxReal m[3];
    for (int b = 0; b < 3; b++) m[b] = Q[i][0] * W[0][b] + Q[i][1] * W[1][b] + Q[i][2] * W[2][b];
    for (int j = i; j < 3; j++) out[rhx_ij(i, j)] = m[0] * Q[j][0] + m[1] * Q[j][1] + m[2] * Q[j][2];
  }
}

/* E = Q^T M Q of a matrix M, row by row */
RHX_POINTWISE void rhx_to_eigen(RhxReal Q[3][3], RhxReal M[3][3], RhxReal E[3][3])
{
  RhxReal m[3][3];
  for (int i = 0; i < 3; i++)
    for (int b = 0; b < 3; b++) m[i][b] = M[i][0] * Q[0][b] + M[i][1] * Q[1][b] + M[i][2] * Q[2][b];
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) E[a][b] = Q[0][a] * m[0][b] + Q[1][a] * m[1][b] + Q[2][a] * m[2][b];
}

#if RHX_LOG_TANGENT
/* W = exp(sign e) on the diagonal, plus its tangent: the divided difference of exp times P. */
RHX_POINTWISE void rhx_log_exponential(const RhxLog *lg, double sign, RhxReal W[3][3])
{
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) {
      const RhxReal h = 0.5 * (lg->e[a] - lg->e[b]);
      RhxReal S, C, g;
      rhx_hyperbolic(h * h, &S, &C, &g);
      W[a][b] = a == b ? RHX_EXP(sign * lg->e[a]) : RHX_ZERO;
      W[a][b] += sign * RHX_EXP(0.5 * sign * (lg->e[a] + lg->e[b])) * S * lg->P[a][b];
    }
}

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
#endif

RHX_POINTWISE void rhx_log_set(const RhxReal s[RHX_NTENS], RhxLog *lg)
{
  RhxReal A[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
#if RHX_LOG_TANGENT
      A[i][j] = RHX_CONST(rhx_value(s[rhx_ij(i, j)]));
#else
      A[i][j] = s[rhx_ij(i, j)];
#endif
      lg->Q[i][j] = RHX_ZERO + (i == j ? 1.0 : 0.0);
    }
  for (int sweep = 0; sweep < RHX_JACOBI_SWEEPS; sweep++) {
    rhx_jacobi_rotate(A, lg->Q, 0, 1);
    rhx_jacobi_rotate(A, lg->Q, 0, 2);
    rhx_jacobi_rotate(A, lg->Q, 1, 2);
  }
  for (int i = 0; i < 3; i++) lg->e[i] = A[i][i];
#if RHX_LOG_TANGENT
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[i][j] = s[rhx_ij(i, j)] - rhx_value(s[rhx_ij(i, j)]);
  rhx_to_eigen(lg->Q, A, lg->P);
  RhxReal W[3][3];
  rhx_log_exponential(lg, 1.0, W);
  rhx_from_eigen(lg->Q, W, lg->c);
  rhx_log_exponential(lg, -1.0, W);
  rhx_from_eigen(lg->Q, W, lg->ic);
#else
  RhxReal w[3];
  for (int a = 0; a < 3; a++) w[a] = RHX_EXP(lg->e[a]);
  rhx_from_eigenvalues(lg->Q, w, lg->c);
  for (int k = 0; k < 3; k++) {
    const int a = k == 0, b = k == 2 ? 1 : 2;
    lg->K[k] = rhx_xcoth_of(lg->e[a], lg->e[b], w[a], w[b]);
  }
  for (int a = 0; a < 3; a++) w[a] = 1.0 / w[a];
  rhx_from_eigenvalues(lg->Q, w, lg->ic);
#endif
}

#if RHX_LOG_TANGENT
/* x coth x */
RHX_POINTWISE RhxReal rhx_xcoth(RhxReal x)
{
  RhxReal S, C, g;
  rhx_hyperbolic(x * x, &S, &C, &g);
  return 1.0 + g * x * x;
}

/* Divided difference of x coth x between x and y; its derivative coth x - x/sinh^2 x where they are close. */
RHX_POINTWISE RhxReal rhx_xcoth_difference(RhxReal x, RhxReal y)
{
  const RhxReal d = x - y, m = 0.5 * (x + y), z = m * m;
  const RhxMask close = RHX_LT(d * d, RHX_CONST(1e-10)), small = RHX_LT(z, RHX_CONST(0.0225));
  const RhxReal dl = RHX_SELECT(close, RHX_CONST(1.0), d), ml = RHX_SELECT(small, RHX_CONST(1.0), m);
  const RhxReal series = m * (2.0 / 3 + z * (-4.0 / 45 + z * (12.0 / 945 + z * (-8.0 / 4725 + z * (20.0 / 93555)))));
  RhxReal S, C, g;
  rhx_hyperbolic(ml * ml, &S, &C, &g); /* sinh = S m, coth = C/(S m) */
  return RHX_SELECT(close, RHX_SELECT(small, series, (C / S - 1.0 / (S * S)) / ml), (rhx_xcoth(x) - rhx_xcoth(y)) / dl);
}
#endif

/* f(s) eps = Q (K o E) Q^T, E = Q^T eps Q, K_ij = x coth x of x = (e_i - e_j)/2; its tangent with respect to s is
 * sum_l (K[i,l;j] P_il E_lj + E_il K[i;l,j] P_lj), K[...] the divided differences in the first and the second argument. */
RHX_POINTWISE void rhx_log_strain(const RhxLog *lg, const RhxReal *L, RhxReal out[RHX_NTENS])
{
  RhxReal eps[3][3], E[3][3], W[3][3], Q[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      eps[i][j] = 0.5 * (L[3 * i + j] + L[3 * j + i]);
      Q[i][j] = lg->Q[i][j];
    }
  rhx_to_eigen(Q, eps, E);
#if RHX_LOG_TANGENT
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) W[a][b] = W[b][a] = a == b ? E[a][b] : E[a][b] * rhx_xcoth(0.5 * (lg->e[a] - lg->e[b]));
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++)
      for (int l = 0; l < 3; l++) {
        const RhxReal ab = 0.5 * (lg->e[a] - lg->e[b]), lb = 0.5 * (lg->e[l] - lg->e[b]),
                      al = 0.5 * (lg->e[a] - lg->e[l]);
        W[a][b] += 0.5 * (rhx_xcoth_difference(ab, lb) * lg->P[a][l] * E[l][b] -
                          rhx_xcoth_difference(al, ab) * E[a][l] * lg->P[l][b]);
      }
#else
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) W[a][b] = W[b][a] = a == b ? E[a][b] : E[a][b] * lg->K[3 - a - b];
#endif
  rhx_from_eigen(Q, W, out);
}

#endif

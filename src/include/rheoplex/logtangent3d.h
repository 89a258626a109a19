/* Tangents of the functions of a symmetric 3 x 3 tensor that logconf3d.h needs, by divided differences of its eigenvalues; a part
 * of that header, of kinds with derivatives. */
#ifndef RHX_LOGTANGENT3D_H
#define RHX_LOGTANGENT3D_H

/* W = diag(w) plus the tangent of exp(sign s): the divided difference of exp, h_a h_b S_ab with h = exp(sign e/2), times P. */
RHX_POINTWISE void rhx_log_exponential(const RhxLog *lg, double sign, const RhxLogValue h[3], RhxLogValue S[3],
                                       RhxReal W[3][3])
{
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      const RhxLogValue w = h[a] * h[b];
      const RhxReal diagonal = a == b ? RHX_CONST(w) : RHX_ZERO;
      W[a][b] = W[b][a] = rhx_log_changed(diagonal, sign * (a == b ? w : w * S[3 - a - b]) * lg->P[a][b]);
    }
}

RHX_POINTWISE void rhx_log_set(const RhxReal s[RHX_NTENS], RhxLog *lg)
{
  RhxReal ds[3][3], P[3][3], W[3][3];
  RhxLogValue h[3], S[3];
  rhx_log_eigen(s, lg);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) ds[i][j] = s[rhx_ij(i, j)] - rhx_value(s[rhx_ij(i, j)]);
  rhx_to_eigen(lg->Q, ds, P);
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 3; b++) lg->P[a][b] = rhx_log_change(P[a][b]);
  for (int k = 0; k < 3; k++) {
    const RhxLogValue x = 0.5 * (lg->e[k == 0] - lg->e[k == 2 ? 1 : 2]);
    RhxLogValue C;
    rhx_hyperbolic(x * x, &S[k], &C, &lg->g[k]);
    lg->K[k] = 1.0 + lg->g[k] * x * x;
  }
  for (int a = 0; a < 3; a++) h[a] = RHX_LOG_EXP(0.5 * lg->e[a]);
  rhx_log_exponential(lg, 1.0, h, S, W);
  rhx_from_eigen(lg->Q, W, lg->c);
  for (int a = 0; a < 3; a++) h[a] = 1.0 / h[a];
  rhx_log_exponential(lg, -1.0, h, S, W);
  rhx_from_eigen(lg->Q, W, lg->ic);
}

/* Derivative of x coth x: coth x - x/sinh^2 x, by its series where x is small. */
RHX_POINTWISE RhxLogValue rhx_xcoth_slope(RhxLogValue x)
{
  const RhxLogValue z = x * x, xl = RHX_LOG_IF_LT(z, 0.0225, 1.0, x);
  const RhxLogValue series =
      x * (2.0 / 3 + z * (-4.0 / 45 + z * (12.0 / 945 + z * (-8.0 / 4725 + z * (20.0 / 93555)))));
  RhxLogValue S, C, g;
  rhx_hyperbolic(xl * xl, &S, &C, &g); /* sinh = S x, coth = C/(S x) */
  return RHX_LOG_IF_LT(z, 0.0225, series, (C / S - 1.0 / (S * S)) / xl);
}

/* D[j][i][l]: divided difference of x coth x between (e_i - e_j)/2 and (e_l - e_j)/2, symmetric in i and l. */
RHX_POINTWISE void rhx_xcoth_differences(const RhxLog *lg, RhxLogValue D[3][3][3])
{
  for (int j = 0; j < 3; j++) {
    const int i = (j + 1) % 3, l = (j + 2) % 3;
    const RhxLogValue x = 0.5 * (lg->e[i] - lg->e[j]), y = 0.5 * (lg->e[l] - lg->e[j]), d = x - y;
    const RhxLogValue dl = RHX_LOG_IF_LT(d * d, 1e-10, 1.0, d), slope = rhx_xcoth_slope(x);
    D[j][i][l] = D[j][l][i] =
        RHX_LOG_IF_LT(d * d, 1e-10, rhx_xcoth_slope(0.5 * (x + y)), (lg->K[3 - i - j] - lg->K[3 - l - j]) / dl);
    D[j][i][i] = slope;
    D[i][j][j] = -slope;
    D[j][i][j] = D[j][j][i] = lg->g[3 - i - j] * x;
    D[j][l][j] = D[j][j][l] = lg->g[3 - l - j] * y;
    D[j][j][j] = RHX_LOG_ZERO;
  }
}

/* W += the tangent of K o E with respect to s: sum_l (K[i,l;j] P_il E_lj + E_il K[i;l,j] P_lj), K[...] the divided differences
 * in the first and the second argument; K is even. */
RHX_POINTWISE void rhx_log_add_tangent(const RhxLog *lg, RhxReal E[3][3], RhxReal W[3][3])
{
  RhxLogValue D[3][3][3];
  rhx_xcoth_differences(lg, D);
  for (int a = 0; a < 3; a++)
    for (int b = a; b < 3; b++) {
      RhxReal w = W[a][b];
      for (int l = 0; l < 3; l++)
        w = rhx_log_changed(
            w, 0.5 * (D[b][a][l] * rhx_value(E[l][b]) * lg->P[a][l] + D[a][l][b] * rhx_value(E[a][l]) * lg->P[l][b]));
      W[a][b] = W[b][a] = w;
    }
}

#endif

/* Terms of each stabiliser against their formulas at one point in 2D, and their sign: dissipation of what they weight. */
#define RHX_DIM 2
#define RHX_NTENS 3
#include "petsc_compat.h"
#include "plugin/option.h"
#include "plugin/registry.h"
#include <math.h>
#include <stdlib.h>

static int failures;
static RhxPoint pt;
static RhxMode md;
static double aux[RHX_MAX_AUX_COMPONENTS];

static const double h = 0.25, hy = 0.5, rho = 1.3, dt = 0.02, eta_s = 0.4, eta_p = 0.9, lambda = 0.7;

typedef struct {
  const RhxPlugin *plugin;
  const RhxStabiliserOps *op;
  char *par;
  RhxStage stage;
} Stabiliser;

static void near(const char *what, double got, double expected)
{
  int good = fabs(got - expected) <= 1e-13 * fmax(1.0, fabs(expected)) && expected != 0.0;
  printf("%s %-56s %.15g\n", good ? "ok    " : "FAILED", what, got);
  failures += !good;
}

static void zero(const char *what, double got)
{
  printf("%s %-56s %.15g\n", got == 0.0 ? "ok    " : "FAILED", what, got);
  failures += got != 0.0;
}

/* A state with residuals of its own: conv = (grad u) u, a gradient that is not symmetric, all projections as given. */
static void state(double projection)
{
  static const double gu[2][2] = {{0.8, 1.7}, {-0.6, -0.3}}, gs[3][2] = {{0.4, -1.1}, {0.9, 0.2}, {-0.5, 0.6}};
  memset(&pt, 0, sizeof(pt));
  memset(&md, 0, sizeof(md));
  pt.dt = dt;
  pt.rho = rho;
  pt.convection = 1.0;
  pt.u[0] = 1.2;
  pt.u[1] = -0.7;
  pt.g[0][0] = 4 / (h * h);
  pt.g[1][1] = 4 / (hy * hy);
  pt.ih2 = (pt.g[0][0] + pt.g[1][1]) / 8;
  pt.eta_s = eta_s;
  pt.eta_p = eta_p;
  pt.gp[0] = 2.1;
  pt.gp[1] = -0.4;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      pt.gu[i][j] = gu[i][j];
      pt.conv[i] += gu[i][j] * pt.u[j];
    }
  pt.rc = gu[0][0] + gu[1][1];
  for (int i = 0; i < 2; i++) pt.rm[i] = rho * pt.conv[i] + pt.gp[i];
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 2; j++) {
      md.gs[k][j] = gs[k][j];
      md.conv[k] += gs[k][j] * pt.u[j];
    }
  for (int k = 0; k < 3; k++) md.rs[k] = md.conv[k] + 0.3;
  md.prop.lambda = lambda;
  for (int k = 0; k < RHX_MAX_AUX_COMPONENTS; k++) aux[k] = projection;
  pt.aux = md.aux = aux;
}

static PetscErrorCode open_stabiliser(const char *name, const char *options, Stabiliser *s)
{
  const RhxPlugin *p;
  char prefix[256];
  PetscFunctionBegin;
  PetscCall(PetscOptionsClear(NULL));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(RhxPluginFind(PETSC_COMM_SELF, RHX_STABILISER, name, &p));
  s->plugin = p;
  s->op = p->variant[RhxVariantIndex(2, 3, RHX_KIND_DOUBLE)];
  PetscCall(PetscMalloc1(p->param_size, &s->par));
  PetscCall(PetscSNPrintf(prefix, sizeof(prefix), "stabiliser_%s_", name));
  PetscCall(RhxRowsRead(PETSC_COMM_SELF, prefix, p->nrows, p->rows, 1, p->param_size, s->par));
  PetscCall(RhxStabiliserParts(PETSC_COMM_SELF, p, &s->stage.parts));
  for (int row = 0, n = 0; row < p->naux; row++, n += 4)
    s->stage.off[row] = p->needs(s->par, s->stage.parts) >> row & 1u ? n : -1;
  printf("       %s %s\n", name, options);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode close_stabiliser(Stabiliser *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void run(Stabiliser *s, double projection)
{
  state(projection);
  if (s->op->add_flow) s->op->add_flow(s->par, &s->stage, &pt);
  if (s->op->add_mode) s->op->add_mode(s->par, &s->stage, &pt, &md);
}

/* f1u against what it is tested with */
static double momentum_power(void)
{
  double power = 0.0;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) power += pt.f1u[i][j] * pt.gu[i][j];
  return power;
}

static double tensor_power(void)
{
  double power = 0.0;
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 2; j++) power += md.f1[k][j] * md.gs[k][j];
  return power;
}

static double convective_rate2(void) { return pow(2 * 1.2 / h, 2) + pow(2 * 0.7 / hy, 2); }
static double inverse_h2(void) { return (1 / (h * h) + 1 / (hy * hy)) / 2; }
static double tau1(double per_dt)
{
  return 1 / (4 * (eta_s + eta_p) * inverse_h2() + rho * sqrt(convective_rate2()) + rho * per_dt);
}
static double conv2(void) { return pt.conv[0] * pt.conv[0] + pt.conv[1] * pt.conv[1]; }
static double tensor_conv2(double shift)
{
  double s = 0.0;
  for (int k = 0; k < 3; k++) s += (md.conv[k] + shift) * md.conv[k];
  return s;
}

static RhxDiffusion diffusion(const Stabiliser *s)
{
  RhxDiffusion df = {0.0, 0.0, 0.0, 0.0};
  s->op->diffusion(s->par, &s->stage, &pt, &df);
  return df;
}

static PetscErrorCode check_gls(void)
{
  Stabiliser s;
  PetscFunctionBegin;
  for (int transient = 0; transient < 2; transient++) {
    double r = transient ? 1 / lambda + 2 / dt : 1 / lambda, t1 = tau1(transient / dt), t;
    PetscCall(open_stabiliser("gls",
                              transient ? "-stabiliser_gls_tau transient -stabiliser_gls_parts pressure,tensor"
                                        : "-stabiliser_gls_parts pressure,tensor",
                              &s));
    run(&s, 0.0);
    s.op->pressure_tau(s.par, &s.stage, &pt, &t);
    near("tau1", t, t1);
    near("PSPG", pt.f1p[1], t1 * (rho * pt.conv[1] + pt.gp[1]));
    near("SUPG of stress", tensor_power(), tensor_conv2(0.3) / sqrt(r * r + convective_rate2()));
    zero("momentum is off", momentum_power());
    PetscCall(close_stabiliser(&s));
  }
  PetscCall(open_stabiliser("gls", "-stabiliser_gls_parts momentum", &s));
  run(&s, 0.0);
  near("SUPG of momentum", momentum_power(),
       rho * tau1(0) * (rho * conv2() + pt.gp[0] * pt.conv[0] + pt.gp[1] * pt.conv[1]));
  zero("pressure is off", pt.f1p[0]);
  PetscCall(close_stabiliser(&s));
  PetscCall(open_stabiliser("gls", "-stabiliser_gls_parts divergence", &s));
  run(&s, 0.0);
  near("LSIC", momentum_power(), pt.rc * pt.rc / (4 * tau1(0) * inverse_h2()));
  near("LSIC's bulk viscosity", diffusion(&s).bulk, 1 / (4 * tau1(0) * inverse_h2()));
  zero("LSIC is no viscosity", diffusion(&s).viscosity);
  zero("LSIC is not upwind", diffusion(&s).upwind);
  PetscCall(close_stabiliser(&s));
  PetscCall(open_stabiliser("gls", "-stabiliser_gls_weighting upwind -stabiliser_gls_parts momentum,tensor", &s));
  run(&s, 0.0);
  near("upwind momentum", momentum_power(), rho * conv2() / sqrt(4 / (dt * dt) + convective_rate2()));
  near("upwind makes up for Euler's lack", diffusion(&s).upwind, 1.0);
  zero("without LSIC no bulk viscosity", diffusion(&s).bulk);
  near("upwind stress", tensor_power(), tensor_conv2(0) / sqrt(4 / (dt * dt) + convective_rate2()));
  PetscCall(close_stabiliser(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_devss(void)
{
  Stabiliser s;
  PetscFunctionBegin;
  PetscCall(open_stabiliser("devss", "-stabiliser_devss_theta 0.3", &s));
  run(&s, 0.25);
  near("f1u_xx", pt.f1u[0][0], 0.3 * eta_p * (2 * 0.8 - 2 * 0.25));
  near("f1u_xy", pt.f1u[0][1], 0.3 * eta_p * (1.7 - 0.6 - 2 * 0.25));
  near("f1u_yx", pt.f1u[1][0], 0.3 * eta_p * (1.7 - 0.6 - 2 * 0.25));
  near("viscosity of the shortest waves", diffusion(&s).viscosity, 0.3 * eta_p);
  near("and of div u", diffusion(&s).bulk, 0.3 * eta_p);
  s.op->project(s.par, &s.stage, 0, &pt, aux);
  near("G_xy = d u_x/d y", aux[1], 1.7);
  PetscCall(close_stabiliser(&s));
  PetscCall(open_stabiliser("devss", "", &s));
  run(&s, 0.25);
  zero("theta 0", momentum_power());
  zero("theta 0 is no viscosity", diffusion(&s).viscosity);
  zero("theta 0 needs no gradient", s.plugin->needs(s.par, s.stage.parts));
  PetscCall(close_stabiliser(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_devss_g(void)
{
  const double tau2 = eta_s + eta_p + 0.25 * rho * sqrt(convective_rate2()) / ((4 / (h * h) + 4 / (hy * hy)) / 8);
  Stabiliser s;
  PetscFunctionBegin;
  PetscCall(open_stabiliser("devss_g", "-stabiliser_devss_g_theta 0.3 -stabiliser_devss_g_divergence 0.4", &s));
  run(&s, 0.25); /* div u = tr G */
  near("f1u_xx", pt.f1u[0][0], 0.3 * eta_p * (2 * 0.8 - 2 * 0.25));
  near("f1u_xy", pt.f1u[0][1], 0.3 * eta_p * (1.7 - 0.6 - 2 * 0.25));
  run(&s, 0.1);
  near("f1u_xx beside div u", pt.f1u[0][0], 0.3 * eta_p * (2 * 0.8 - 2 * 0.1) + 0.4 * tau2 * (0.8 - 0.3 - 2 * 0.1));
  near("viscosity of the shortest waves", diffusion(&s).viscosity, 0.3 * eta_p);
  near("and of div u", diffusion(&s).bulk, 0.3 * eta_p + 0.4 * tau2);
  s.op->project(s.par, &s.stage, 0, &pt, aux);
  near("G_xy = d u_x/d y", aux[1], 1.7);
  aux[2] = -0.35;
  s.op->kinematics(s.par, &s.stage, &pt);
  near("laws see G_xy", pt.L[0][1], 1.7);
  near("laws see G_yx", pt.L[1][0], -0.35);
  PetscCall(close_stabiliser(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_split_oss(void)
{
  double viscous = 2 * (eta_s + eta_p) / rho * (4 / (h * h) + 4 / (hy * hy));
  Stabiliser s;
  PetscFunctionBegin;
  PetscCall(open_stabiliser("split_oss", "", &s));
  run(&s, 0.0);
  near("tau1 grad p", pt.f1p[0], tau1(0) * 2.1);
  near("momentum", momentum_power(), rho * conv2() / sqrt(convective_rate2() + viscous * viscous));
  near("tensor", tensor_power(), tensor_conv2(0) / sqrt(1 / (lambda * lambda) + convective_rate2()));
  run(&s, 0.25);
  near("tau1 (grad p - P)", pt.f1p[1], tau1(0) * (-0.4 - 0.25));
  near("momentum less its projection", pt.f1u[1][0],
       rho * (pt.conv[1] - 0.25) * 1.2 / sqrt(convective_rate2() + viscous * viscous));
  near("weight of the convection", diffusion(&s).streamline, rho / sqrt(convective_rate2() + viscous * viscous));
  near("tensor less its projection", md.f1[2][1],
       -0.7 * (md.conv[2] - 0.25) / sqrt(1 / (lambda * lambda) + convective_rate2()));
  s.op->project_mode(s.par, &s.stage, 2, &pt, &md, aux);
  near("projected u.grad s", aux[2], md.conv[2]);
  s.op->project(s.par, &s.stage, 1, &pt, aux);
  near("projected u.grad u", aux[1], pt.conv[1]);
  PetscCall(close_stabiliser(&s));
  PetscCall(
      open_stabiliser("split_oss", "-stabiliser_split_oss_tau transient -stabiliser_split_oss_parts pressure", &s));
  run(&s, 0.0);
  near("transient tau1", pt.f1p[0], tau1(1 / dt) * 2.1);
  zero("no weight without momentum", diffusion(&s).streamline);
  zero("momentum is off", momentum_power());
  zero("tensor is off", tensor_power());
  PetscCall(close_stabiliser(&s));
  PetscCall(open_stabiliser("split_oss", "-stabiliser_split_oss_tau 0.02 -stabiliser_split_oss_parts pressure", &s));
  run(&s, 0.0);
  near("constant tau1", pt.f1p[0], 0.02 * 2.1);
  PetscCall(close_stabiliser(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One scalar of gradient (0.5, 1.5), whose u.grad c is -0.45 and projection 0.25, at two diffusivities. */
static PetscErrorCode check_crosswind(void)
{
  const double r = 0.7, uu = 1.2 * 1.2 + 0.7 * 0.7, cc = 0.5 * 0.5 + 1.5 * 1.5, D[] = {0.01, 0.5};
  const double hc = sqrt(cc / (0.25 / (h * h) + 2.25 / (hy * hy))), across = 1.2 * 1.5 + 0.7 * 0.5;
  Stabiliser s;
  PetscFunctionBegin;
  PetscCall(open_stabiliser("crosswind", "-stabiliser_crosswind_coefficient 0.6", &s));
  for (int k = 0; k < 3; k++) {
    RhxScalar sc = {.gc = {0.5, 1.5}, .conv = 1.2 * 0.5 - 0.7 * 1.5, .D = D[k % 2], .aux = aux};
    const double rate = k == 2 ? sqrt(uu) : r / sqrt(cc), nu = 0.3 * hc * rate - D[k % 2];
    state(k == 2 ? 40.0 : 0.25);
    s.op->add_scalar(s.par, &s.stage, &pt, &sc);
    if (k == 1) {
      zero("a diffusivity that is enough", sc.f1[0]);
      continue;
    }
    near(k ? "with |u| the most" : "crosswind", sc.f1[0] * 0.5 + sc.f1[1] * 1.5, nu * across * across / uu);
    near("D of the time step", sc.D, D[0] + nu);
    near("nothing along u", 1.0 + (sc.f1[0] * 1.2 - sc.f1[1] * 0.7), 1.0);
    s.op->project_scalar(s.par, &s.stage, 0, &pt, &sc, aux);
    near("projected u.grad c", aux[0], sc.conv);
  }
  PetscCall(close_stabiliser(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  if (PetscInitialize(&argc, &argv, NULL, NULL)) return 2;
  PetscCall(RhxPluginsLoad(PETSC_COMM_SELF));
  PetscCall(check_gls());
  PetscCall(check_devss());
  PetscCall(check_devss_g());
  PetscCall(check_split_oss());
  PetscCall(check_crosswind());
  PetscCall(PetscFinalize());
  return failures ? 1 : 0;
}

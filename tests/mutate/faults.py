"""Faults for share/mutate: name, file, text (stands there once), what replaces it, what it is, and a regular expression of the
tests that ought to see it. Who changes the code changes the fault; a fault that a test was needed for stays."""
from collections import namedtuple

Fault = namedtuple("Fault", "name file find replace what tests")

PIPELINE, COMPOSE, KERNEL = "kernels/pipeline.h", "kernels/compose.h", "src/form/kernel.c"
HOST, LUMPED, STAGE = "src/step/host.c", "src/scheme/lumped.c", "src/scheme/stage.c"
DEVICE, STEP = "src/step/device.c", "kernels/step.cuh"
FACE, POINT, SOURCE = "kernels/face.cuh", "kernels/point.cuh", "src/form/device_source.c"
GLS, OSS, DEVSS = (f"plugins/stabiliser/{name}/{name}.c" for name in ("gls", "split_oss", "devss"))


def law(name):
    return f"plugins/physics/{name}/{name}.c"


FORM = [
    (PIPELINE, "continuity_source_sign", "pt->rc = -pt->fp;", "pt->rc = pt->fp;", "source of continuity with the wrong sign", "reference_oss"),
    (PIPELINE, "convection_not_switched", "pt->conv[i] = pt->convection * s;", "pt->conv[i] = s;", "convection in creeping flow too", "reference_zero_rate"),
    (PIPELINE, "convection_transposed", "s += pt->u[k] * pt->gu[i][k];", "s += pt->u[k] * pt->gu[k][i];", "u.grad u with the transposed gradient", "reference_oss"),
    (PIPELINE, "shear_rate_without_two", "RHX_SQRT(2.0 * rhx_double_dot(kin->D, kin->D) + RHX_TINY)", "RHX_SQRT(rhx_double_dot(kin->D, kin->D) + RHX_TINY)", "shear rate sqrt(D:D)", "reference_oss"),
    (PIPELINE, "conformation_by_eta_over_lambda", "md->c[k] += md->s[k] / md->prop.modulus;", "md->c[k] += md->s[k] * md->prop.lambda / md->prop.eta_p;", "c of the stress without the modulus' 1/(1 - xi)", "reference_oss"),
    (PIPELINE, "viscosity_of_last_mode", "pt->eta_p += md->prop.eta_p;", "pt->eta_p = md->prop.eta_p;", "eta_p of the last mode instead of the sum", "reference_oss"),
    (PIPELINE, "stress_of_last_mode", "pt->tau[k] += md->tau[k];", "pt->tau[k] = md->tau[k];", "stress of the last mode instead of the sum", "reference_oss"),
    (PIPELINE, "div_tau_index", "pt->div_tau[i] += G * md->gs[rhx_ij(i, j)][j];", "pt->div_tau[i] += G * md->gs[rhx_ij(i, j)][i];", "div tau derived along the wrong index", "reference_gls$"),
    (PIPELINE, "div_tau_without_modulus", "RHX_ZERO + 1.0 : md->prop.modulus;", "RHX_ZERO + 1.0 : RHX_ZERO + 1.0;", "div c for div tau", "reference_gls_heun$"),
    (PIPELINE, "slip_sign", "L[i][j] -= xi * kin->D[rhx_ij(i, j)];", "L[i][j] += xi * kin->D[rhx_ij(i, j)];", "slip with the wrong sign", "reference_oss"),
    (PIPELINE, "slip_half", "L[i][j] -= xi * kin->D[rhx_ij(i, j)];", "L[i][j] -= 0.5 * xi * kin->D[rhx_ij(i, j)];", "half the slip", "reference_oss"),
    (PIPELINE, "rate_without_modulus", "e[k] = G * (r[k] - up[k]);", "e[k] = r[k] - G * up[k];", "relaxation of the stress not scaled by the modulus", "reference_oss"),
    (PIPELINE, "source_of_stress_ignored", "md->f0[k] = md->conv[k] + e[k] - md->src[k];", "md->f0[k] = md->conv[k] + e[k];", "source of the transport equation ignored", "reference_oss"),
    (PIPELINE, "mode_rate_ignored", "md->rs[k] = md->f0[k] + md->st[k];", "md->rs[k] = md->f0[k];", "strong residual of a mode without its rate", "reference_gls$"),
    (PIPELINE, "inertia_without_density", "const RhxReal inertia = pt->rho * pt->conv[i] - pt->f[i];", "const RhxReal inertia = pt->conv[i] - pt->f[i];", "momentum without rho", "reference_oss"),
    (PIPELINE, "body_force_sign", "const RhxReal inertia = pt->rho * pt->conv[i] - pt->f[i];", "const RhxReal inertia = pt->rho * pt->conv[i] + pt->f[i];", "body force with the wrong sign", "reference_oss"),
    (PIPELINE, "strong_rate_without_density", "inertia + pt->rho * pt->ut[i]", "inertia + pt->ut[i]", "rate of u in the strong residual without rho", "reference_gls$"),
    (PIPELINE, "strong_div_tau_sign", "+ pt->gp[i] - pt->div_tau[i];", "+ pt->gp[i] + pt->div_tau[i];", "div tau in the strong residual with the wrong sign", "reference_gls$"),
    (PIPELINE, "strong_pressure_dropped", "+ pt->gp[i] - pt->div_tau[i];", "- pt->div_tau[i];", "strong residual without grad p", "reference_gls$"),
    (PIPELINE, "solvent_div_u_dropped", "pt->f1u[i][i] -= pt->p + pt->eta_s * pt->rc;", "pt->f1u[i][i] -= pt->p;", "solvent's stress without eta_s div u I", "reference_oss"),
    ("kernels/limits.h", "limit_bulk_ignored", "(pt->eta_s + df->viscosity + df->bulk)", "(pt->eta_s + df->viscosity)", "viscous limit without LSIC", "case_step_limits_(rates|fast)"),
    ("kernels/limits.h", "limit_stretch_ignored", "const RhxReal n = md->tau[i] + G;", "const RhxReal n = G;", "elastic limit without stretch", "case_step_limits_(rates|fast)"),
    ("kernels/limits.h", "limit_growth_of_half", "(0.5 * pt->rho * pt->convection)", "(0.05 * pt->rho * pt->convection)", "growth of long waves ten times too small", "case_step_limits_(rates|fast)"),
    (PIPELINE, "solvent_transposed_dropped", "pt->eta_s * (pt->gu[i][j] + pt->gu[j][i])", "pt->eta_s * (pt->gu[i][j] + pt->gu[i][j])", "solvent's stress 2 eta_s grad u", "reference_oss"),
    (KERNEL, "metric_of_the_plane", "ge->ih2 = rhx_metric(DIM, affine, Ji, ce->metric, 1.0, ge->g) / (4.0 * DIM);", "ge->ih2 = rhx_metric(DIM, affine, Ji, ce->metric, 1.0, ge->g) / 8.0;", "1/h^2 of the plane in space", "reference_(tets|hexes)$"),
    (COMPOSE, "outlet_gradient_transposed", "f[i] -= pt->eta_s * pt->gu[j][i] * pt->n[j];", "f[i] -= pt->eta_s * pt->gu[i][j] * pt->n[j];", "outlet's gradient form with the transposed gradient", "(reference_oss|emulated_reference)$"),
    (COMPOSE, "outlet_div_u_dropped", "f[i] = pt->eta_s * pt->rc * pt->n[i];", "f[i] = 0.0 * pt->n[i];", "outlet without eta_s div u n", "(reference_oss|emulated_reference)$"),
    (KERNEL, "outlet_form_ignored", "if (term->gradient_form) rhx", "if (term->faces) rhx", "symmetric form of an outlet taken for the gradient form", "reference_heun$"),
    (KERNEL, "traction_sign", "if (traction) f[i] -= load(", "if (traction) f[i] += load(", "prescribed traction with the wrong sign", "reference_oss"),
    (KERNEL, "projections_of_first_mode", "out + io->form->naux_flow + m * io->form->naux_mode;", "out + io->form->naux_flow;", "projections of all modes in the first one's place", "reference_oss"),
    (KERNEL, "auxiliary_of_first_mode", "md->aux = io->wk->aux + form->naux_flow + m * form->naux_mode;", "md->aux = io->wk->aux + form->naux_flow;", "every mode reads the first one's projections", "reference_oss"),
    (KERNEL, "padding_scattered", "return n - group * LANES < LANES ? (int)(n - group * LANES) : LANES;", "return n < 0 ? (int)group : LANES;", "padded lanes are added too", "reference_heun$"),
    (KERNEL, "slip_of_first_mode", "return io->form->mode[m].slip;", "return io->form->mode[m * 0].slip;", "slip of the first mode for all", "reference_oss"),
    (KERNEL, "rate_of_first_mode", "io->wk->law[m]->rate(io->form->mode[m].par,", "io->wk->law[m]->rate(io->form->mode[0].par,", "parameters of the first mode in the rate of all", "reference_oss"),
    (KERNEL, "gradient_sign", "R[a * DIM + i] += ce->N[q * nn + a] * g;", "R[a * DIM + i] -= ce->N[q * nn + a] * g;", "gradient of the pressure's increment with the wrong sign", "reference_oss"),
    (KERNEL, "source_not_gathered", "pt->f[i] = form->source ? value(nn, bs, io->N, el->S, i) : RHX_ZERO;", "pt->f[i] = RHX_ZERO;", "body force ignored", "reference_oss"),
    ("src/form/passes.c", "projection_without_halo", "PetscCall(RhxSpaceGlobalToLocal(sp, naux, aux, aux));", "", "projections without the halo", "reference_heun_np3"),
    ("src/form/passes.c", "rate_not_passed", ".xdot = form->needs_rate ? xdot : NULL,", ".xdot = NULL,", "strong residuals without rates", "reference_gls$"),
    ("src/form/passes.c", "residual_not_reduced", "PetscCall(reduce(form, sp->bs, r));", "", "residuals not summed over ranks", "reference_gls_np2"),
    ("src/form/law.c", "scale_without_slip", "*scale = prop[2];", "*scale = prop[0] / prop[1];", "stress per conformation without 1/(1 - xi)", "reference_gls$"),
    ("src/form/law.c", "logarithm_not_taken", "A[k * dim + i] * PetscLogReal(w[k]) * A[k * dim + j]", "A[k * dim + i] * (w[k] - 1.0) * A[k * dim + j]", "c - I for log c of a given conformation", "boundary_sources$"),
    ("src/form/matrices.c", "diagonal_mass_not_scaled", "mass[node[a]] += m[a] * volume / sum;", "mass[node[a]] += m[a];", "diagonal mass without its scale", "reference_upwind"),
    ("src/form/matrices.c", "laplacian_of_one_point", "if (nq < ce->nq) ep.w *= ce->nq;", "if (nq < ce->nq) ep.w *= 1;", "Laplacian of simplices by a third of its weight", "reference_gls_heun$"),
    ("src/form/matrices.c", "laplacian_by_x_alone", "for (PetscInt i = 0; i < dim; i++) k[a][b] += ep.w * ep.dN[a][i] * ep.dN[b][i];", "for (PetscInt i = 0; i < 2; i++) k[a][b] += ep.w * ep.dN[a][i] * ep.dN[b][i];", "Laplacian of the plane in space", "reference_(tets|hexes)$"),
    ("src/form/steady.c", "steady_off_the_branch", "if (newton(m, Ls, trial) && positive(trial, m->ntens)) {", "if (newton(m, Ls, trial)) {", "a steady state that is no conformation is taken", "laws_|boundary_(developed|errors)"),
    ("src/form/oscillation.c", "solvent_in_moduli_dropped", "*loss = frequency * direct;", "*loss = 0.0 * direct;", "loss modulus without what a law adds at once", "laws_check"),
    ("src/form/oscillation.c", "storage_sign", "*storage += T[k] * x[k];", "*storage -= T[k] * x[k];", "storage modulus with the wrong sign", "laws_rheometer_1"),
    ("src/form/flowcurve.c", "flow_curve_not_monotone", "stress >= fc->stress * (1.0 - 1e-9)", "stress >= -1e300", "falling flow curves are accepted", "boundary_errors$|viscoelastic_negative|laws_negative"),
]

LIMITS = "kernels/limits.h"

SCHEME = [
    (LIMITS, "elastic_waves_without_density", "w = RHX_MAX(w, RHX_ZERO) * (0.25 / pt->rho);", "w = RHX_MAX(w, RHX_ZERO) * 0.25;", "rate of elastic waves without rho", "case_step_limits_(rates|fast)"),
    (LIMITS, "viscous_limit_without_stabilisers", "(pt->eta_s + df->viscosity + df->bulk)", "(pt->eta_s + df->viscosity)", "viscous limit without LSIC", "case_step_limits_(rates|fast)"),
    ("src/scheme/scheme.c", "elastic_limit_ignored", "PetscMax(rate[RHX_LIMIT_ELASTIC], rate[RHX_LIMIT_RELAXATION])", "rate[RHX_LIMIT_RELAXATION]", "elastic limit ignored", "case_step_limits_(rates|fast)"),
    ("src/scheme/scheme.c", "convection_shares_no_step", "PetscMax(most + rate[RHX_LIMIT_CONVECTIVE], rate[RHX_LIMIT_GROWTH]);", "PetscMax(PetscMax(most, rate[RHX_LIMIT_CONVECTIVE]), rate[RHX_LIMIT_GROWTH]);", "the largest limit alone bounds dt", "case_step_limits_rates|case_blow_up_(floor|developed)"),
    ("src/scheme/scheme.c", "relaxation_limit_ignored", "PetscMax(rate[RHX_LIMIT_ELASTIC], rate[RHX_LIMIT_RELAXATION])", "rate[RHX_LIMIT_ELASTIC]", "relaxation limit ignored", "case_step_limits_(rates|fast)"),
    (STAGE, "conditions_of_old_time", "PetscCall(ops->table->values(ops, PETSC_TRUE));", "", "given values of t instead of t + dt", "reference_oss"),
    (HOST, "heun_pressure_averaged", "y[k] = c == sp->dim ? z[k] : a * x[k] + b * z[k];", "y[k] = a * x[k] + b * z[k];", "Heun averages the pressure", "reference_heun$"),
    (LUMPED, "heun_without_halo", "PetscCall(ops->table->ghosts(ops, sc->y));", "", "Heun without the halo of its first stage", "reference_gls_heun_np3|emulated_reference"),
    (LUMPED, "rate_without_halo", "if (sc->form->needs_rate) PetscCall(ops->table->ghosts(ops, sc->xdot));", "", "rate without the halo", "reference_gls_np2|emulated_reference"),
    (HOST, "momentum_without_density", "const double b = a / f->mass;", "const double b = a;", "step of the velocity without rho", "reference_oss"),
    (HOST, "projection_without_density", "const double b = ops->stage_dt / ops->form->rho;", "const double b = ops->stage_dt;", "projection without rho", "reference_oss"),
    (STAGE, "dissipation_without_density", "-sc->form->rho / eps", "-1.0 / eps", "dissipation without rho", "reference_upwind|emulated_reference"),
    (HOST, "planes_of_projections_not_imposed", "PetscCall(RhxBoundaryImposeAuxiliary(ops->bc, (PetscScalar *)aux->at));", "", "projections not imposed on planes of symmetry", "reference_oss"),
    (HOST, "tau0_whole", "tau0 = 0.5 * ops->result.stats.tau;", "tau0 = ops->result.stats.tau;", "tau_0 is the bound, not half of it", "reference_oss"),
    (HOST, "projection_by_row_sums", "const double a = b / ops->mass[i];", "const double a = b / sp->mass[i];", "projection by the row-sum mass whatever the mass is", "reference_yield"),
    (HOST, "zero_rate_ignored", "ops->settings.strong_rate ? (const PetscScalar *)xdot->at : NULL", "(const PetscScalar *)xdot->at", "rate zero taken for lagged", "reference_zero_rate"),
    (LUMPED, "heun_conditions_of_second_stage", "PetscCall(ops->table->values(ops, PETSC_FALSE));", "", "Heun ends with the values of t + 2 dt", "reference_heun$"),
    (LUMPED, "heun_second_stage_at_t", "stage(ops, 1.0, 1.0, 2.0, RhxStageFirst(sc))", "stage(ops, 0.0, 1.0, 2.0, RhxStageFirst(sc))", "Heun's second stage at t", "reference_heun$"),
    (HOST, "change_of_stress_not_scaled", "1.0 / PetscSqr(ops->form->scale[k])", "1.0", "|dc/dt| of the stress not scaled by the modulus", "reference_gls$"),
    (STAGE, "divergence_of_whole_velocity", "advance(sc, base, x, y, x, ", "advance(sc, base, x, y, NULL, ", "projection takes D u^ for D (u^ - u)", "reference_oss|emulated_reference"),
    (HOST, "velocity_not_given_after_projection", "if (solved && g) PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_VELOCITY | RHX_BC_PRESSURE, y));", "if (solved && g) PetscCall(RhxBoundaryImpose(ops->bc, RHX_BC_PRESSURE, y));", "projection moves the given velocities", "reference_oss"),
    (HOST, "given_pressure_not_lessened", "given[i] - (x ? x[(size_t)fixed[i] * sp->bs + sp->dim] : 0.0);", "given[i];", "increment of a given pressure is the pressure", "reference_oss"),
    (HOST, "pressure_increment_sign", "x[(size_t)i * bs + dim] + dp[i] : dp[i];", "x[(size_t)i * bs + dim] - dp[i] : dp[i];", "the pressure's increment with the wrong sign", "reference_oss"),
    (HOST, "continuity_at_given_pressure", "if (mark[i] == 0.0) {", "if (mark[i] >= 0.0) {", "continuity residual of rows with given pressure too", "reference_"),
]

BOUNDARY = [
    ("src/boundary/types/inlet.c", "stress_not_ramped", "rest[a] + factor * (v[i * width] - rest[a])", "v[i * width]", "stress by formula not ramped", "reference_ramp"),
    ("src/boundary/types/shared.c", "stress_in_time_ignored", "(c->stress_time ? RHX_CHANGES_STRESS : 0u)", "0u", "stress by formula kept where the velocity is steady", "reference_out_of_plane$"),
    ("src/boundary/types/shared.c", "pressure_in_time_ignored", "(c->pressure_time ? RHX_CHANGES_PRESSURE | RHX_CHANGES_TRACTION : 0u)", "0u", "given pressure kept at its first value", "reference_oss"),
    ("src/boundary/nodes.c", "symmetry_tensor_index", "idx[n] = node * bc->space->bs + f->offset + (dim == 2 ? ntens - 1 : 6 - a - b);", "idx[n] = node * bc->space->bs + f->offset + (dim == 2 ? ntens - 1 : 2 + a + b);", "wrong components of the tensor vanish on a plane in space", "reference_hexes"),
    ("src/boundary/nodes.c", "priority_turned", "c->type->priority < bc->cond[*w].type->priority", "c->type->priority > bc->cond[*w].type->priority", "weaker conditions win at corners", "boundary_priority$|reference_oss"),
    ("src/boundary/symmetry.c", "projection_tensor_index", "at + (dim == 2 ? ntens - 1 : 6 - a - b);", "at + (dim == 2 ? ntens - 1 : 2 + a + b);", "wrong components of projected tensors vanish in space", "boundary_symmetry$|reference_hexes"),
    ("src/boundary/symmetry.c", "projected_vectors_kept", "if (shape == RHX_AUX_VECTOR) bc->vector[bc->nvectors++] = offset;", "(void)bc, (void)shape, (void)offset;", "projected vectors keep their normal part on planes", "boundary_symmetry$|reference_oss"),
    ("src/boundary/symmetry.c", "plane_moves_given_velocity", "node < space->nowned && !(bc->role[node] & RHX_TYPE_VELOCITY)", "node < space->nowned", "planes take the normal part of given velocities", "reference_oss"),
    ("src/boundary/symmetry.c", "normals_not_orthogonal", "n[d] -= along * p->normal[i * dim + d];", "n[d] -= 0.0 * along * p->normal[i * dim + d];", "normals of a corner's planes not made orthogonal", "boundary_symmetry|reference_"),
    ("src/boundary/profile.c", "ramp_linear", "0.5 * (1 - PetscCosReal(PETSC_PI * t / ramp))", "t / ramp", "linear ramp", "reference_ramp|boundary_ramp$"),
    ("src/boundary/profile.c", "parabola_mean_in_space", "c->opt->mean_velocity * (dim == 2 ? 1.5 : 2);", "c->opt->mean_velocity * 1.5;", "maximum of the parabola in a pipe by that of the plane", "boundary_parabola$"),
    ("src/boundary/profile.c", "parabola_gradient_sign", "= -2 * direction * maximum * r[b] / square;", "= 2 * direction * maximum * r[b] / square;", "gradient of the parabola with the wrong sign", "boundary_(parabola|developed)$"),
    ("src/boundary/profile.c", "difference_weight", "-9.0 / 60", "9.0 / 60", "differences of a profile's formula with a wrong weight", "boundary_|reference_ramp"),
    ("src/boundary/types/outlet.c", "outlet_pressure_sign", "values[i * dim + d] - p[i] * normal[i * dim + d];", "values[i * dim + d] + p[i] * normal[i * dim + d];", "outlet's pressure pulls", "reference_oss"),
    ("src/boundary/faces.c", "outlet_forms_swapped", "c->opt->form == 0 ? PETSC_TRUE : PETSC_FALSE", "c->opt->form == 0 ? PETSC_FALSE : PETSC_TRUE", "gradient and symmetric form swapped", "reference_oss"),
    ("src/boundary/types/outlet.c", "outlet_stress_index", "tau[a == b ? a : dim == 2 ? ntens - 1 : 6 - a - b] * normal", "tau[a == b ? a : dim == 2 ? ntens - 1 : 2 + a + b] * normal", "developed traction in space by wrong components", "reference_logconf_hexes"),
    ("src/boundary/state.c", "state_of_a_restart_not_taken", "bc->evaluated = PETSC_FALSE;", "(void)bc;", "a restart keeps the values of the initial state's conditions", "extensions_condition$"),
    ("src/boundary/state.c", "later_state_at_once", "(PetscBool)(t > c->kept[2 * c->type->nstate])", "(PetscBool)(t > c->kept[2 * c->type->nstate] - 1)", "tractions jump ahead of the flow", "extensions_condition$"),
    ("src/boundary/initial.c", "second_source_replaces", "value[i] + (bc->row[0][r] ? bc->form->source[i * bs + r] : 0);", "value[i];", "source of momentum replaces the body force", "boundary_sources$|reference_oss"),
    ("src/boundary/initial.c", "source_in_time_ignored", "bc->source_time = (PetscBool)(bc->source_time || time);", "bc->source_time = (PetscBool)(bc->source_time && time);", "sources kept at their first value", "boundary_sources$|reference_oss"),
    ("src/boundary/geometry.c", "half_width_at_symmetry", "geo->half = on_low || on_high ? high - low : 0.5 * (high - low);", "geo->half = 0.5 * (high - low);", "parabola of a half channel over its own width", "boundary_parabola$"),
]

SPACE = [
    ("src/space/element.c", "quadrature_of_tetrahedra", "(5 - PetscSqrtReal(5.0)) / 20", "(5 - PetscSqrtReal(4.9)) / 20", "points of tetrahedra a little off", "element_space$|reference_tets$"),
    ("src/space/element.c", "metric_of_simplices", "q += 2 * e->dN[a * s->dim + i] * e->dN[a * s->dim + j];", "q += e->dN[a * s->dim + i] * e->dN[a * s->dim + j];", "half the metric of simplices", "element_space$|reference_gls_heun$"),
    ("src/space/space.c", "halo_added", "PetscCall(PetscSFBcastBegin(space->sf, unit, local, local, MPI_REPLACE));\n  PetscCall(PetscSFBcastEnd(space->sf, unit, local, local, MPI_REPLACE));", "PetscCall(PetscSFBcastBegin(space->sf, unit, local, local, MPIU_SUM));\n  PetscCall(PetscSFBcastEnd(space->sf, unit, local, local, MPIU_SUM));", "ghosts add what they get", "element_space_np2|reference_gls_np2"),
    ("src/space/number.c", "ghosts_in_disorder", "index[n] = number[v];", "index[n] = number[v] > 0 ? number[v] - 1 : 0;", "ghosts stand for the owner's node before", "element_space_np2|reference_gls_np2"),
    ("src/space/colour.c", "colour_even_out_unchecked", "if (!(taken >> c % WORD_BITS & 1) && size[c] < below) {", "if (size[c] < below) {", "colours evened out against the neighbours", "element_colour$"),
    ("src/mesh/box.c", "diagonals_alike", "*nodes = box->n == 2 ? halves[odd][0] : kuhn[0];", "*nodes = box->n == 2 ? halves[0][0] : kuhn[0];", "diagonals of triangles all one way", "reference_gls_heun$"),
    ("src/mesh/box.c", "jitter_of_the_boundary", "if (interior && box->jitter > 0)", "if (box->jitter > 0)", "jitter moves the boundary", "reference_oss"),
    ("src/mesh/box.c", "seam_not_closed", "v = v * layers(box, d) + index[d] % layers(box, d);", "v = v * layers(box, d) + index[d] % (layers(box, d) + (d == 1 && box->periodic[d]));", "a periodic seam across y points at other nodes", "reference_turned"),
]

LAWS = [
    (GLS, "gls_tau_viscous", "*tau = 1.0 / (4.0 * (pt->eta_s + pt->eta_p) * pt->ih2", "*tau = 1.0 / (2.0 * (pt->eta_s + pt->eta_p) * pt->ih2", "tau1 with half its viscous part", "point_stabilisers|reference_gls$"),
    (GLS, "gls_momentum_sign", "pt->f1u[i][j] += weight * (full", "pt->f1u[i][j] -= weight * (full", "SUPG of momentum with the wrong sign", "point_stabilisers|reference_gls$"),
    (GLS, "gls_pressure_sign", "pt->f1p[i] += tau1 * pt->rm[i];", "pt->f1p[i] -= tau1 * pt->rm[i];", "PSPG with the wrong sign", "point_stabilisers|reference_gls$"),
    (GLS, "gls_divergence_factor", "return 1.0 / (4.0 * tau1 * pt->ih2);", "return 1.0 / (tau1 * pt->ih2);", "LSIC four times too large", "point_stabilisers|reference_gls$"),
    (GLS, "gls_weight_without_density", "RhxReal weight = pt->rho * (full ?", "RhxReal weight = (full ?", "SUPG of momentum without rho", "point_stabilisers|reference_gls$"),
    (GLS, "gls_alpha_per_dt", "per_dt(par->tau == 1, 2.0, pt);\n  RhxReal alpha", "per_dt(par->tau == 1, 1.0, pt);\n  RhxReal alpha", "alpha with 1/dt for 2/dt", "point_stabilisers|reference_gls_heun$"),
    (GLS, "gls_upwind_residual", "(full ? md->rs[k] : md->conv[k]) * pt->u[j];", "md->rs[k] * pt->u[j];", "upwind weights the residual of a mode", "point_stabilisers|reference_upwind"),
    (OSS, "oss_viscous_factor", "8.0 * RHX_DIM * (pt->eta_s + pt->eta_p)", "16.0 * (pt->eta_s + pt->eta_p)", "momentum's weight by the plane's trace in space", "reference_(hexes|logconf_hexes)$"),
    (OSS, "oss_projection_added", "(md->conv[k] - P[k]) * pt->u[j];", "(md->conv[k] + P[k]) * pt->u[j];", "projection added", "point_stabilisers|reference_oss"),
    (OSS, "oss_pressure_not_projected", "pt->f1p[i] += tau1 * (pt->gp[i] - P[i]);", "pt->f1p[i] += tau1 * pt->gp[i];", "pressure term without its projection", "point_stabilisers|reference_oss"),
    (OSS, "oss_transient_ignored", "par->tau == RHX_NAMED(1) && pt->dt > 0.0 ? 1.0 / pt->dt : 0.0;", "par->tau == RHX_NAMED(1) && pt->dt < 0.0 ? 1.0 / pt->dt : 0.0;", "transient tau1 is the steady one", "point_stabilisers|reference_logconf$"),
    (DEVSS, "devss_transposed_dropped", "- G[i * RHX_DIM + j] - G[j * RHX_DIM + i]);", "- G[i * RHX_DIM + j] - G[i * RHX_DIM + j]);", "DEVSS takes G twice", "reference_oss"),
    (DEVSS, "devss_of_solvent", "RhxReal eta = par->theta * pt->eta_p;", "RhxReal eta = par->theta * pt->eta_s;", "DEVSS with the solvent's viscosity", "point_stabilisers|reference_oss"),
    (law("oldroydb"), "oldroydb_modulus", "prop->modulus = RHX_CONST(par->viscosity / par->lambda);", "prop->modulus = RHX_CONST(par->viscosity);", "modulus eta_p", "reference_(upwind|casson)"),
    (law("ptt"), "ptt_modulus_without_slip", "return par->viscosity / (par->lambda * (1.0 - par->xi));", "return par->viscosity / par->lambda;", "modulus without 1/(1 - xi)", "reference_oss|laws_equations"),
    (law("ptt"), "ptt_exponential_ignored", "if (par->form == form_exponential) Y = RHX_EXP(e);", "(void)form_exponential;", "exponential form taken for the linear one", "reference_yield"),
    (law("ptt"), "ptt_trace_of_space", "(rhx_trace(c) - (double)RHX_NDIAG)", "(rhx_trace(c) - 3.0)", "tr c - 3 in the plane", "reference_oss"),
    (law("giesekus"), "giesekus_square_sign", "(e[k] + par->alpha * square[k]) / par->lambda;", "(e[k] - par->alpha * square[k]) / par->lambda;", "mobility with the wrong sign", "reference_hexes$|laws_equations"),
    (law("johnson_segalman"), "johnson_segalman_modulus", "return par->viscosity / (par->lambda * (1.0 - par->xi));", "return par->viscosity / par->lambda;", "modulus without 1/(1 - xi)", "reference_thinning"),
    (law("fene_p"), "fene_p_rest", "double a = par->L2 / (par->L2 - 3.0);\n  (void)kin;\n  for (int k = 0; k < RHX_NTENS; k++) tau", "double a = 1.0;\n  (void)kin;\n  for (int k = 0; k < RHX_NTENS; k++) tau", "stress f c - I, not zero at rest", "reference_out_of_plane$"),
    (law("fene_cr"), "fene_cr_rate_linear", "r[k] = f / par->lambda * (c[k] - rhx_delta(k));", "r[k] = (c[k] - rhx_delta(k)) / par->lambda + 0.0 * f;", "relaxation without the spring factor", "reference_out_of_plane$"),
    (law("white_metzner"), "white_metzner_exponent", "(par->n - 1.0) / par->a);", "(par->n - 1.0));", "exponent n - 1 for (n - 1)/a", "reference_thinning"),
    (law("white_metzner"), "white_metzner_modulus", "prop->modulus = RHX_CONST(par->viscosity / par->lambda);", "prop->modulus = par->viscosity * s / par->lambda;", "modulus that thins", "reference_thinning"),
    (law("carreau_yasuda"), "carreau_exponent", "RHX_POW(x, (par->n - 1.0) / par->a);", "RHX_POW(x, (par->n - 1.0) / 2.0);", "Carreau's exponent whatever a is", "reference_oss"),
    (law("cross"), "cross_plateau", "(par->viscosity - par->viscosity_inf) / x;", "par->viscosity / x;", "viscosity at infinite rate added to the whole", "reference_thinning"),
    (law("power_law"), "power_law_exponent", "RHX_POW(kin->shear_rate, par->n - 1.0);", "RHX_POW(kin->shear_rate, par->n);", "exponent n for n - 1", "reference_newtonian"),
    (law("power_law"), "power_law_cut_offs", "RHX_MIN(RHX_MAX(eta, par->viscosity_min), par->viscosity_max);", "RHX_MAX(eta, par->viscosity_min);", "no upper cut-off", "laws_"),
    (law("casson"), "casson_square", "*eta_s = root * root;", "*eta_s = root * RHX_SQRT(RHX_CONST(par->viscosity));", "Casson without its square", "reference_casson"),
    (law("herschel_bulkley"), "herschel_bulkley_exponent", "par->consistency * RHX_POW(kin->shear_rate, par->n - 1.0);", "par->consistency * RHX_POW(kin->shear_rate, par->n);", "exponent n for n - 1", "reference_yield"),
    ("src/include/rheoplex/point.h", "stretch_transposed", "s += L[RHX_DIM * i + k] * c[rhx_ij(k, j)] + c[rhx_ij(i, k)] * L[RHX_DIM * j + k];", "s += L[RHX_DIM * k + i] * c[rhx_ij(k, j)] + c[rhx_ij(i, k)] * L[RHX_DIM * k + j];", "L^T c + c L", "reference_oss|point_laws"),
    ("src/include/rheoplex/logconf.h", "logconf_rotation_sign", "- oik * s[rhx_ij(k, j)] + s[rhx_ij(i, k)] * okj;", "+ oik * s[rhx_ij(k, j)] - s[rhx_ij(i, k)] * okj;", "rotation of log c with the wrong sign", "form_logconf_d|reference_logconf$"),
]

REPORTS = [
    ("src/diagnostics/forces.c", "reaction_without_density", "r[i * space->bs + d] += form->rho * balance->mass[i]", "r[i * space->bs + d] += balance->mass[i]", "inertia in reactions without rho", "case_reactions"),
    ("src/diagnostics/forces.c", "reaction_of_sharing_nodes", "area[a] * t[d] - push[a][d];", "area[a] * t[d];", "forces of shared nodes without their pressure", "diagnostics_flow|case_forces"),
    ("src/diagnostics/forces.c", "reaction_sign", "force[d] -= v[d];", "force[d] += v[d];", "forces with the wrong sign", "diagnostics_flow|case_forces"),
    ("src/output/checkpoint.c", "checkpoint_in_own_order", "ISCreateBlock(space->comm, bs, space->nowned, space->natural, PETSC_COPY_VALUES, &to)", "ISCreateBlock(space->comm, bs, space->nowned, rows, PETSC_COPY_VALUES, &to)", "checkpoints in the ranks' order of nodes", "reference_gls_np2|output_checkpoint"),
    ("src/diagnostics/flux.c", "flux_inward_sign", "flux->in -= un;", "flux->in += un;", "inward flux negative", "diagnostics_flow"),
    ("src/diagnostics/flux.c", "mass_error_of_sum", "(out - in) / (in > 0 ? in : out);", "(out - in) / (in + out);", "mass error over both fluxes", "diagnostics_flow"),
    ("src/form/eigenvalue.c", "least_eigenvalue_shear", "c[ntens - 1] * c[ntens - 1]);", "4 * c[ntens - 1] * c[ntens - 1]);", "least eigenvalue with four times the shear", "diagnostics_(eigenvalue|health)|reference_oss"),
    ("src/diagnostics/health.c", "zero_is_positive", "if (!(e > 0)) h->nbad++;", "if (e < 0) h->nbad++;", "semi-definite conformations are not counted", "diagnostics_health"),
    ("src/diagnostics/health.c", "trace_of_plane", "return c[0] + c[1] + (ntens == 3 ? 1 : c[2]);", "return c[0] + c[1] + (ntens == 3 ? 0 : c[2]);", "trace without zz in the plane", "diagnostics_health|output_"),
    ("src/diagnostics/wall.c", "wall_shear_sign", "wall->wss[i * w->dim + d] = -(traction[i][d] - normal * n[d]);", "wall->wss[i * w->dim + d] = traction[i][d] - normal * n[d];", "wall shear stress with the wrong sign", "diagnostics_(wall|channel|traction)"),
    ("src/diagnostics/wall.c", "separation_for_reattachment", "at = a >= 0 ? wall->sep", "at = a < 0 ? wall->sep", "separation and reattachment swapped", "diagnostics_"),
    ("src/diagnostics/wall_slope.c", "wall_that_turns", "slope[d] += inwards * t[i][d];", "slope[d] += 0.0 * inwards * t[i][d];", "shear of a moving wall without what it turns", "diagnostics_wall"),
    ("src/output/types/vtu.c", "paraview_order", "out[4] = ntens == 6 ? a[3] : 0;", "out[4] = ntens == 6 ? a[4] : 0;", "yz of the fields is xz", "output_fields|viscoelastic_representations_linear3d"),
    ("src/output/types/vtu.c", "stress_of_last_mode_in_fields", "for (int k = 0; k < 6; k++) out[k] += one[k];", "for (int k = 0; k < 6; k++) out[k] = one[k];", "total stress of the fields is the last mode's", "output_fields"),
    ("src/app/rheometer_point.c", "strain_slip_whole", "0.5 * xi * (L[3 * i + j] + L[3 * j + i])", "xi * (L[3 * i + j] + L[3 * j + i])", "sudden strain with twice the slip", "laws_"),
    ("src/app/rheometer_point.c", "loss_without_solvent", "*loss = frequency * eta;", "*loss = 0.0 * eta;", "loss modulus without the solvent", "laws_rheometer_(sums|1)"),
    ("src/app/rheometer.c", "second_difference_sign", "v[n++] = tau[1] - tau[2];", "v[n++] = tau[2] - tau[1];", "second normal stress difference with the wrong sign", "laws_rheometer_"),
    ("src/app/rheometer_time.c", "oscillation_in_sine", "mo->rate * cos(mo->frequency * t);", "mo->rate * sin(mo->frequency * t);", "large oscillations with the rate's phase off", "laws_"),
    ("src/case/run.c", "steady_by_velocity_alone", "du <= rc->stop.steady_tol &&\n             dc <= rc->stop.steady_tol) {", "du <= rc->stop.steady_tol) {", "steady although the polymer changes", "app_stop_criteria"),
    ("src/solver/coarsen.c", "weak_entries_lost", "if (diagonal >= 0) f->value[diagonal] += moved;", "if (diagonal >= 0) f->value[diagonal] += 0.0 * moved;", "weak entries of the filtered matrix are lost", "^solver_"),
    ("src/solver/sell.c", "sell_second_part", "put(s, at, pad = a->m + b->column[b->row[i] + e - na]", "put(s, at, pad = b->column[b->row[i] + e - na]", "ghost columns taken for owned ones", "^solver_(layout|products)"),
]

ON_DEVICE = [
    (DEVICE, "device_planes_of_projections", "PetscCall(RhxBoundaryDeviceImposeAuxiliary(d->bc, aux->at));", "", "projections not imposed on planes of symmetry", "emulated_reference"),
    (STEP, "device_heun_pressure_averaged", "c == RHX_DIM ? z[i] : a * x[i] + b * z[i];", "a * x[i] + b * z[i];", "Heun averages the pressure", "emulated_reference$"),
    (STEP, "device_momentum_without_density", "(c < RHX_DIM ? a * irho : a) * r[i]", "a * r[i]", "step of the velocity without rho", "emulated_reference$"),
    (STEP, "device_tau0_whole", "(clock[1] * irho + 0.5 * s[RHX_S_TAU])", "(clock[1] * irho + s[RHX_S_TAU])", "tau_0 is the bound, not half of it", "emulated_reference$"),
    (STEP, "device_projection_without_density", "dt * irho * imass[first + k]", "dt * imass[first + k]", "projection without rho", "emulated_reference$"),
    (STEP, "device_change_of_stress", "const double d = rate[at] * inverse_scale[m];", "const double d = rate[at];", "|dc/dt| of the stress not scaled by the modulus", "emulated_reference"),
    (FACE, "device_traction_sign", "if (traction) f[d] -= traction[", "if (traction) f[d] += traction[", "prescribed traction with the wrong sign", "emulated_reference$"),
    (SOURCE, "device_slip_of_first_mode", '"0.0" : "rhx_slip[m]"', '"0.0" : "rhx_slip[0]"', "slip of the first mode for all", "emulated_reference$"),
    (POINT, "device_auxiliary_of_first_mode", "md->aux = val.aux + RHX_NAUX_FLOW + m * RHX_NAUX_MODE;", "md->aux = val.aux + RHX_NAUX_FLOW;", "every mode reads the first one's projections", "emulated_reference"),
    ("kernels/simplex.cuh", "device_simplex_far_share", "all *= RHX_FAR / (RHX_NEAR - RHX_FAR);", "all *= RHX_FAR / RHX_NEAR;", "shares of the far nodes of simplices", "emulated_reference$"),
    ("kernels/tensor.cuh", "device_metric_of_tensor_cells", "rhx_set_metric(I, 4.0, pt);", "rhx_set_metric(I, 1.0, pt);", "metric of quads and hexes on [0, 1]", "emulated_reference"),
    ("kernels/exchange.cuh", "device_halo_replaces", "double sum = v[(size_t)list[k] * width + c];", "double sum = 0.0;", "reductions replace", "emulated_exchange_np2"),
    ("kernels/exchange.cuh", "ghosts_from_zero", "return (size_t)(base + list[k]) * width + (i - k * width);", "return (size_t)list[k] * width + (i - k * width);", "ghosts lie where own entries do", "emulated_exchange_np2"),
    ("src/exchange/exchange.c", "sums_of_one_neighbour", "slot[k] = k;", "slot[k] = 0;", "an own entry gets the block of another", "emulated_exchange_np2"),
    ("src/exchange/link.c", "gather_from_rank_0", "RhxNcclType(type), r, link->nccl_comm", "RhxNcclType(type), 0, link->nccl_comm", "every part is broadcast by rank 0", "emulated_exchange_nccl_np3"),
]

FAULTS = [Fault(name, file, *rest) for file, name, *rest in FORM + SCHEME + BOUNDARY + SPACE + LAWS + REPORTS + ON_DEVICE]

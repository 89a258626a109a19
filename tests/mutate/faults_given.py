"""Faults of what a user gives and is told: as in faults.py."""
GIVEN = [
    ("src/scheme/scheme.c", "control_ends_the_run", "check_least(ts, sc, cfl, dt, step, bound)", "check_least(ts, sc, cfl, dt, dt, bound)", "a time step by the control file that no step could follow with is taken", "app_control_refused"),
    ("src/plugin/word.c", "word_cut_at_a_blank", "size_t length = strlen(start);", "size_t length = strcspn(start, blanks);", "of names without commas between them all but the first are lost without a word", "app_lists"),
    ("src/output/output.c", "folder_for_a_shell", "PetscCheck(!shell_head(o->set.folder), o->comm", "PetscCheck(!shell_head(o->set.folder) || o->set.folder[0], o->comm", "~ of a case is a folder of that name", "output_names"),
    ("src/boundary/csv.c", "quoted_rows_uncounted", 'strpbrk(text, "0123456789")', 'strpbrk(text, "")', "a file of quoted numbers is said to have no rows", "boundary_flow_rate$"),
    ("src/boundary/weight.c", "film_held", "*walls = (PetscBool)(n[0] && !n[1]);", "*walls = PETSC_TRUE;", "a free surface is expected to hold the force along a film", "boundary_weight"),
    ("src/boundary/weight.c", "held_by_nothing", "PetscCall(RhxConditionLevelAt(c, t, c->faces->node[j], &p));", "p = 0.0 * t;", "a force along an outlet whose pressure holds it is told", "boundary_weight"),
    ("src/boundary/weight.c", "period_held", "f[d] -= part * e[k][d];", "f[d] -= 0 * part * e[k][d];", "an outlet is expected to hold the force that drives a flow along a period", "boundary_weight"),
    ("src/boundary/weight.c", "periods_of_a_rank", "PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 9, MPI_DOUBLE", "if (space->dim > 3) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 9, MPI_DOUBLE", "ranks whose elements do not cross the period keep the force along it", "boundary_weight"),
    ("src/case/behind.c", "pressures_apart_of_a_wide_passage", "width = PetscMin(D, width);", "width = D;", "the flow through a narrow gap is doubted for the pressure that it takes", "case_choice_apart$"),
    ("src/case/behind.c", "viscosity_of_a_wide_passage", "U / width, &eta", "U / D, &eta", "the flow of a thinning fluid through a gap is judged by its viscosity in a wide passage", "case_choice_apart$"),
    ("src/boundary/level.c", "width_of_the_wider", "*width = PetscMin(width_of(end[0]), width_of(end[1]));", "*width = PetscMax(width_of(end[0]), width_of(end[1]));", "the flow into a narrow opening is doubted for the pressure that it takes", "case_choice_apart$"),
    ("src/case/behind.c", "pressures_apart_of_a_restart", "if (!steady && !rc->option.restart[0]) PetscCall(doubt_apart", "if (!steady) PetscCall(doubt_apart", "a run that goes on is told of the flow that it has", "case_choice_apart$"),
    ("src/case/unheld.c", "force_along_an_outlet", "over > FELT * own", "over > 1e9 * FELT * own", "a force along an outlet that no pressure holds is not told", "boundary_weight"),
    ("src/diagnostics/kinds/forces.c", "outlet_without_force_untold", "if (!o->parts) PetscCall(tell_open", "if (o->parts) PetscCall(tell_open", "that reactions are no force on an outlet is not told", "diagnostics_forces"),
]

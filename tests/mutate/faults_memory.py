"""Faults of laws that are followed in time at inlets: as in faults.py."""
MEMORY = [
    ("src/law/transient.c", "transient_of_other_stages", "(-2 - 3 * ROOT) / 225}", "(-2 - 2.9 * ROOT) / 225}", "a formula of Radau that is of no order", "boundary_memory_nodes$"),
    ("src/law/transient.c", "transient_without_the_shift", "f[i][k] /= -a[i];", "f[i][k] = -f[i][k];", "a law in time that does not feel the temperature", "boundary_memory_nodes$"),
    ("src/law/transient.c", "transient_error_of_the_first_stage", "second += f[i][k] / (", "second += f[0][k] / (", "a step in time of any length", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_of_the_first_gradient", "const double then = t + stage[k] * dt;", "const double then = t + 0 * stage[k] * dt;", "what flows in has the history of what was given before", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_of_any_step", "#define TOLERANCE 1e-5 ", "#define TOLERANCE 1e9 ", "long steps in time of what flows in without a bound of their error", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_settles_early", "#define SETTLED 1e-10 ", "#define SETTLED 3.0 ", "what flows in stays as it was when its flow came to rest", "boundary_memory_nodes$"),
    ("src/boundary/types/shared.c", "memory_ends_with_the_flow", "|| RhxMemoryMoves(c) ?", "?", "what flows in stays as it was when its flow stopped to change", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_begins_at_rest", "rests && k < c->memory->n", "k < c->memory->n", "a run that begins with a stress has an inlet that begins at rest", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_from_the_start", "develop_from(c, t - before, t)", "develop_from(c, t - 0 * before, t)", "a flow that has gone on begins in steady flow", "boundary_memory_nodes$"),
    ("src/boundary/memory.c", "memory_by_local_number", "(double)bc->space->natural[node_of(c, k)];", "(double)node_of(c, k);", "what inlets remember is that of other nodes after a restart", "boundary_memory_(ranks|nodes)$"),
    ("src/boundary/state.c", "memory_does_not_move_on", "PetscCall(RhxMemoryAdvance(&bc->cond[i], t));", "(void)t;", "a checkpoint keeps what an inlet remembered at the start", "boundary_memory_(nodes|ranks)$"),
    ("src/boundary/memory.c", "memory_forgets_its_state", "if (least > 0.0) PetscCall(RhxFormConformation", "if (least > 1e9) PetscCall(RhxFormConformation", "a checkpoint without what inlets remember goes on from steady flow", "boundary_memory_ranks$"),
    ("src/boundary/largest.c", "memory_looked_at_before_it_is", "bc->momentary = PETSC_TRUE;", "bc->momentary = PETSC_FALSE;", "the limits of a time step are those of an inlet at rest", "boundary_memory_told$"),
    ("src/case/brought.c", "memory_told_of_a_constant_viscosity", "if (has && !mixes)", "if (has && !rc)", "a profile that is the same at all rates is told", "boundary_memory_told$"),
    ("src/case/brought.c", "momentary_stress_not_told", "if (has && !mixes)", "if (!mixes)", "a stress of the moment is not told", "boundary_(memory|brought)_told$"),
    ("src/boundary/memory.c", "memory_in_steady_flow", "if (!has || !in_time) continue;", "if (!has) continue;", "a steady state with an inlet at rest", "boundary_memory_told$"),
]

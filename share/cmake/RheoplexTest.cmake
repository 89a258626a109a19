# Tests: one function that registers a command with its label, ranks and environment.
set(RHX_PYTHON "" CACHE FILEPATH "Python with share/scripts/requirements.txt, for the tests that read results")
if(NOT RHX_PYTHON OR NOT EXISTS ${RHX_PYTHON})
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(RHX_PYTHON ${Python3_EXECUTABLE} CACHE FILEPATH "Python with share/scripts/requirements.txt, for the tests that read results" FORCE)
endif()

# What the tests import: named here, not by the first test that fails.
execute_process(COMMAND ${RHX_PYTHON} -c
  "import importlib.util as u; print(', '.join(n for n in 'numpy scipy matplotlib vtkmodules pyvista h5py yaml sympy jsonschema'.split() if not u.find_spec(n)))"
  OUTPUT_VARIABLE RHX_PYTHON_MISSING OUTPUT_STRIP_TRAILING_WHITESPACE)

option(RHX_TESTS_COMPLETE "stop the configuration where a package that some tests need is missing" OFF)
if(RHX_PYTHON_MISSING)
  set(missing "Tests that read results will fail: ${RHX_PYTHON} has no ${RHX_PYTHON_MISSING} (share/scripts/requirements.txt; share/check makes an environment; -DRHX_PYTHON=...)")
  if(RHX_TESTS_COMPLETE)
    message(FATAL_ERROR "${missing}; RHX_TESTS_COMPLETE expects all tests")
  endif()
  message(WARNING "${missing}")
endif()

# Open MPI refuses to start as root (containers) and to start more ranks than cores unless told, looks for networks between ranks
# of one host (0.2 s a start), and waits for a second after a rank that ends with an error.
set(RHX_MPIEXEC ${MPIEXEC_EXECUTABLE} CACHE STRING "starts MPI programs in tests")
set(RHX_TEST_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1
    OMPI_MCA_odls_base_sigkill_timeout=0
    OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1
    PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/common
    RHEOPLEX=$<TARGET_FILE:rheoplex-bin> RHEOPLEX_SOURCE=${PROJECT_SOURCE_DIR} RHEOPLEX_BUILD_DIR=${PROJECT_BINARY_DIR}
    RHEOPLEX_MPIEXEC=${RHX_MPIEXEC} RHEOPLEX_PYTHON=${RHX_PYTHON}
    RHEOPLEX_RESULTS=${PROJECT_BINARY_DIR}/results)
if(RHX_SANITIZE) # Open MPI and Python leak; ours are caught by PETSc's -malloc_dump
  list(APPEND RHX_TEST_ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 RHEOPLEX_SANITIZE=1)
endif()

# Adds `label` to labels unless a row of `rows` (tests/costs.cmake) is the beginning of the name; notes the rows that are.
function(rheoplex_label_again name label rows)
  foreach(row IN LISTS ${rows})
    if(name MATCHES "^${row}")
      set_property(GLOBAL APPEND PROPERTY ${rows}_MET ${row})
      return()
    endif()
  endforeach()
  set(labels ${labels} ${label} PARENT_SCOPE)
endfunction()

# rheoplex_add_test(<name> LABEL fast|slow|long|gpu [NP <ranks>] [TIMEOUT <s>] [SERIAL] COMMAND <program> [arguments])
# A program that ends in .py is run by RHX_PYTHON; SERIAL: no other test beside it.
# gpu: for a machine that has a device; exit code 77 says that there is none.
function(rheoplex_add_test name)
  cmake_parse_arguments(T "SERIAL" "LABEL;NP;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT T_LABEL MATCHES "^(fast|slow|long|gpu)$" OR NOT T_COMMAND)
    message(FATAL_ERROR "rheoplex_add_test(${name}): LABEL is fast, slow, long or gpu, COMMAND is needed")
  endif()
  set_property(GLOBAL APPEND PROPERTY RHX_TESTS ${name})
  if(name IN_LIST RHX_COSTS_LONG) # tests/costs.cmake
    set(T_LABEL long)
  elseif(name IN_LIST RHX_COSTS_SLOW)
    set(T_LABEL slow)
  endif()
  list(GET T_COMMAND 0 program)
  if(program MATCHES "\\.py$")
    list(PREPEND T_COMMAND ${RHX_PYTHON})
  endif()
  if(T_NP)
    list(PREPEND T_COMMAND ${RHX_MPIEXEC} -n ${T_NP})
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 600) # for what hangs: ten times what the slowest takes on an idle machine
  endif()
  if(RHX_SANITIZE)
    math(EXPR T_TIMEOUT "10 * ${T_TIMEOUT}")
  endif()
  set(labels ${T_LABEL})
  if(T_LABEL STREQUAL "fast")
    rheoplex_label_again(${name} memory RHX_NOT_OF_MEMORY)
    rheoplex_label_again(${name} petsc RHX_NOT_OF_PETSC)
  endif()
  add_test(NAME ${name} COMMAND ${T_COMMAND})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${T_TIMEOUT} ENVIRONMENT "${RHX_TEST_ENVIRONMENT}")
  if(T_LABEL STREQUAL "gpu")
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endif()
  if(T_SERIAL)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

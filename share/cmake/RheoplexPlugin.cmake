# rheoplex_add_plugin(NAME <name> KIND physics|stabiliser SOURCE <file.c> [FOLDER <folder>])
#
# Compiles the one source for each dimension, tensor size and kind of RhxReal, and once as the descriptor, into
# <name>.so in lib/rheoplex/plugins of the build folder, and installs it there with the source beside it (the device
# compiles that); with FOLDER it is built there and not installed. A compiler's message about RhxReal is explained. Works inside Rheoplex and after find_package(Rheoplex). Target: rheoplex_<kind>_<name>.
include(GNUInstallDirs)

function(rheoplex_add_plugin)
  cmake_parse_arguments(PARSE_ARGV 0 plugin "" "NAME;KIND;SOURCE;FOLDER" "")
  if(plugin_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rheoplex_add_plugin: unknown argument ${plugin_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT plugin_NAME OR NOT plugin_SOURCE OR NOT plugin_KIND MATCHES "^(physics|stabiliser)$")
    message(FATAL_ERROR "rheoplex_add_plugin: needs NAME, SOURCE and KIND physics|stabiliser")
  endif()
  if(NOT plugin_FOLDER)
    set(plugin_FOLDER ${PROJECT_BINARY_DIR}/lib/rheoplex/plugins)
    set(installed TRUE)
  endif()
  get_filename_component(source ${plugin_SOURCE} ABSOLUTE)
  get_filename_component(file ${source} NAME)
  set(target rheoplex_${plugin_KIND}_${plugin_NAME})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target})

  set(wrappers "")
  foreach(size IN ITEMS "2;3" "2;4" "3;6" "2;6")
    list(GET size 0 dim)
    list(GET size 1 ntens)
    foreach(kind IN ITEMS DOUBLE LANES COMPLEX COUNT)
      set(wrapper ${folder}/${dim}d${ntens}_${kind}.c)
      file(CONFIGURE OUTPUT ${wrapper} @ONLY CONTENT
        "#define RHX_VARIANT\n#define RHX_DIM @dim@\n#define RHX_NTENS @ntens@\n#define RHX_KIND RHX_KIND_@kind@\n#include \"@source@\"\n")
      list(APPEND wrappers ${wrapper})
      if(kind STREQUAL "COMPLEX") # products without a rescue of overflow: the imaginary part is infinitesimal
        set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "$<$<C_COMPILER_ID:GNU>:-fcx-limited-range>")
      elseif(kind STREQUAL "COUNT") # operations as they are written
        set_source_files_properties(${wrapper} PROPERTIES COMPILE_OPTIONS "-O0")
      endif()
    endforeach()
    if(CMAKE_CXX_COMPILER_LOADED)
      set(wrapper ${folder}/${dim}d${ntens}_DUAL_LANES.cpp)
      file(CONFIGURE OUTPUT ${wrapper} @ONLY CONTENT
        "#define RHX_VARIANT\n#define RHX_DIM @dim@\n#define RHX_NTENS @ntens@\n#define RHX_KIND RHX_KIND_DUAL_LANES\n#include \"@source@\"\n")
      list(APPEND wrappers ${wrapper})
    endif()
  endforeach()
  set(duals "")
  if(CMAKE_CXX_COMPILER_LOADED)
    set(duals "#define RHX_WITH_DUALS\n")
  endif()
  set(wrapper ${folder}/descriptor.c)
  file(CONFIGURE OUTPUT ${wrapper} @ONLY CONTENT
    "#define RHX_DESCRIPTOR\n@duals@#define RHX_SOURCE_NAME \"@file@\"\n#define RHX_DIM 3\n#define RHX_NTENS 6\n#define RHX_KIND RHX_KIND_LANES\n#include \"@source@\"\n")

  add_library(${target} MODULE ${wrappers} ${wrapper})
  target_link_libraries(${target} PRIVATE Rheoplex::plugin m)
  target_compile_options(${target} PRIVATE ${RHX_WARNINGS} ${RHX_POINT_FLAGS} "$<$<CONFIG:>:-O3>")
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${plugin_NAME} PREFIX "" SUFFIX ".so" C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS ON
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS ON CXX_VISIBILITY_PRESET hidden LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY ${plugin_FOLDER}
    RULE_LAUNCH_COMPILE "sh ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/explain-plugin.sh")
  if(CMAKE_INSTALL_RPATH) # else CMake makes room for it with empty elements, the current folder to the loader
    set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${source} $<TARGET_FILE_DIR:${target}>/${file} VERBATIM)
  if(installed)
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/rheoplex/plugins)
    install(FILES ${source} DESTINATION ${CMAKE_INSTALL_LIBDIR}/rheoplex/plugins)
  endif()
endfunction()

# Files that the program finds beside itself: installed to <datadir>/rheoplex, and linked there in the build folder.
file(RELATIVE_PATH RHX_DATA_PATH ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_DATADIR}/rheoplex)
get_filename_component(data ${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/${RHX_DATA_PATH} ABSOLUTE)
file(MAKE_DIRECTORY ${data})
foreach(folder IN ITEMS options meshes share/doc share/scripts share/template share/catalyst)
  get_filename_component(name ${folder} NAME)
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${data}/${name} SYMBOLIC)
endforeach()

set(to ${CMAKE_INSTALL_DATADIR}/rheoplex)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/options ${PROJECT_SOURCE_DIR}/meshes ${PROJECT_SOURCE_DIR}/share/doc ${PROJECT_SOURCE_DIR}/share/template
  DESTINATION ${to})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/scripts DESTINATION ${to}
  FILES_MATCHING PATTERN "plot*.py" PATTERN "results.py" PATTERN "requirements.txt" PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/catalyst DESTINATION ${to} FILES_MATCHING PATTERN "*.py" PATTERN "__pycache__" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${to})

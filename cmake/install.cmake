# `cmake --install`: the program (apps/), the library libespalier with its two headers, a CMake package and a pkg-config
# file, manual pages, shell completions, the documentation. Another project says find_package(espalier) and links
# espalier::espalier, or asks pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/espalier)
install(TARGETS espalier_shared EXPORT espalier LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/lib/libespalier.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT espalier NAMESPACE espalier:: DESTINATION ${package_dir} FILE espalierTargets.cmake)
install(FILES ${PROJECT_BINARY_DIR}/include/espalier/espalier.h ${PROJECT_BINARY_DIR}/include/espalier/task.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/espalier)

configure_package_config_file(cmake/espalierConfig.cmake.in ${PROJECT_BINARY_DIR}/espalierConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/espalierConfig.cmake ${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake
              cmake/dependencies.cmake DESTINATION ${package_dir})
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/espalier.pc.in ${PROJECT_BINARY_DIR}/espalier.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/espalier.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(GLOB documents ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES README.md CHANGELOG.md LICENSE ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/images DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The service as a unit of systemd; docs/service.md says how it is used.
if(TARGET espalier-serve)
  install(FILES packaging/espalier@.service DESTINATION lib/systemd/system)
endif()

# Manual pages and completions come from the program itself, when it is installed: no build waits for them.
if(ESPALIER_APPS)
  set(reference ${PROJECT_BINARY_DIR}/reference)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DESPALIER=$<TARGET_FILE:espalier>\" \"-DOUT=${reference}\"
    -P \"${PROJECT_SOURCE_DIR}/cmake/reference.cmake\" COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${reference}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${reference}/espalier.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME espalier)
  install(FILES ${reference}/_espalier DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${reference}/espalier.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

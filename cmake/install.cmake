# `cmake --install`: the program (apps/), the library with its headers and a CMake package, the manual.
# Another project then says find_package(espalier) and links espalier::model, or a lower module.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/espalier)
get_property(modules GLOBAL PROPERTY espalier_modules)
foreach(module ${modules})
  set_target_properties(espalier_${module} PROPERTIES EXPORT_NAME ${module})
  list(APPEND libraries espalier_${module})
endforeach()
set_target_properties(espalier_options PROPERTIES EXPORT_NAME options)
install(TARGETS espalier_options ${libraries} EXPORT espalier INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT espalier NAMESPACE espalier:: DESTINATION ${package_dir} FILE espalierTargets.cmake)
install(DIRECTORY espalier DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN "*test*" EXCLUDE)

configure_package_config_file(cmake/espalierConfig.cmake.in ${PROJECT_BINARY_DIR}/espalierConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/espalierConfig.cmake ${PROJECT_BINARY_DIR}/espalierConfigVersion.cmake
              cmake/dependencies.cmake DESTINATION ${package_dir})
install(FILES README.md CHANGELOG.md LICENSE docs/manual.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

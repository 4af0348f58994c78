# Puts the Python files and the library next to the extension module.
#
#   cmake -DFROM=python/espalier -DTO=build/python/espalier -DLIBRARY=libespalier.so.0.1.0 -DNAME=libespalier.so.0.1 -P copy.cmake
file(GLOB_RECURSE old ${TO}/*.py ${TO}/*.pyi ${TO}/*.pyc ${TO}/libespalier.so.*)
if(old)
  file(REMOVE ${old})
endif()
file(COPY ${FROM}/ DESTINATION ${TO} FILES_MATCHING PATTERN *.py PATTERN *.pyi PATTERN py.typed
     PATTERN __pycache__ EXCLUDE)
configure_file(${LIBRARY} ${TO}/${NAME} COPYONLY)

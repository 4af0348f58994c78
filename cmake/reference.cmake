# Writes the manual pages and shell completions that the program prints about itself.
#
#   cmake -DESPALIER=PROGRAM -DOUT=FOLDER -P cmake/reference.cmake
#
# makes OUT/man1/espalier.1, OUT/man1/espalier-VERB.1, OUT/espalier.bash, OUT/_espalier (zsh) and OUT/espalier.fish.
function(print_to file)
  execute_process(COMMAND ${ESPALIER} help ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man1)
print_to(man1/espalier.1 --man)
execute_process(COMMAND ${ESPALIER} help --json OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(JSON count LENGTH "${help}" verbs)
math(EXPR last "${count} - 1")
foreach(i RANGE ${last})
  string(JSON verb GET "${help}" verbs ${i})
  print_to(man1/espalier-${verb}.1 ${verb} --man)
endforeach()
print_to(espalier.bash --completion bash)
print_to(_espalier --completion zsh)
print_to(espalier.fish --completion fish)

# Checks of the source tree itself, run by ctest. They need only a POSIX shell and awk. They do not run compiled code, so
# sanitizer builds leave them out.
if(NOT ESPALIER_TESTS OR ESPALIER_SANITIZE)
  return()
endif()

# espalier_check(name script arguments...)
function(espalier_check name script)
  add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/${script} ${ARGN}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS tree)
endfunction()

espalier_check(includes_are_allowed check_includes.sh)
espalier_check(wrong_includes_are_found check_includes.sh --self-test)
espalier_check(sources_have_tests_and_are_short check_layout.sh)
espalier_check(faults_of_layout_are_found check_layout.sh --self-test)
espalier_check(text_files_are_tidy check_text.sh)
espalier_check(examples_are_as_documented check_examples.sh)
espalier_check(links_in_documents_lead_somewhere check_links.sh)
espalier_check(papers_are_as_documented check_papers.sh)
espalier_check(faults_in_the_papers_page_are_found check_papers.sh --self-test)
espalier_check(results_of_the_papers_are_taken_over update_papers.sh --self-test)
espalier_check(corpus_is_well_formed check_corpus.sh corpus/train.txt corpus/test.txt)
espalier_check(corpus_damage_is_found check_corpus.sh --self-test)

# These run the program: the documentation says what it does.
if(ESPALIER_APPS)
  espalier_check(manual_knows_every_option check_docs.sh $<TARGET_FILE:espalier>)
  espalier_check(readme_tour_and_guide_run check_readme.sh $<TARGET_FILE:espalier>)
  espalier_check(installation_is_usable check_install.sh ${PROJECT_BINARY_DIR})
endif()

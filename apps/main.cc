// The espalier command.
#include "apps/command.h"

int main(int argc, char** argv) { return espalier::apps::run_command(argc, argv); }

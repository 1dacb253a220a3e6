// The test on its own; the same is phobos-selftest in an installation.
#include "compiler/tools/Tools.h"

int main(int argc, char **argv) { return phobos::tools::selftestMain(argc, argv); }

// A worker for the tests of supervision: does what each line says.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc > 1 && !std::strcmp(argv[1], "never-ready"))
    return 9;
  char line[256];
  bool greeted = false;
  while (std::fgets(line, sizeof line, stdin)) {
    line[std::strcspn(line, "\n")] = 0;
    auto is = [&](const char *word) { return !std::strcmp(line, word); };
    if (!greeted) {
      greeted = true;
      std::printf("ready %s\n", line);
    } else if (is("segv")) {
      std::signal(SIGSEGV, SIG_DFL);
      std::raise(SIGSEGV);
    } else if (is("abort")) {
      std::fputs("first words\nlast words\n", stderr);
      std::signal(SIGABRT, SIG_DFL);
      std::abort();
    } else if (is("hang")) {
      pause();
    } else if (is("phase")) {
      std::printf("phase the second half\n");
      std::fflush(stdout);
      pause();
    } else if (is("doing")) {
      std::printf("doing the long part\n");
      std::fflush(stdout);
      pause();
    } else if (is("leave")) {
      return 7;
    } else if (is("killed")) {
      std::raise(SIGKILL);
    } else if (is("last")) {
      std::printf("last words\n");
    } else if (is("pid")) {
      std::printf("%d\n", getpid());
    } else {
      std::printf("did %s\n", line);
    }
    std::fflush(stdout);
  }
  return 0;
}

// A disk that takes two milliseconds to flush, for programs that are started with it in LD_PRELOAD:
//     cc -shared -fPIC -o slow-fsync.so slow-fsync.c
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int file) {
  const struct timespec flush = {0, 2000000};
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&flush, 0);
  return real(file);
}

int fsync(int file) { return slowly("fsync", file); }

int fdatasync(int file) { return slowly("fdatasync", file); }

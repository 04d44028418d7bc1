/*
 * Preloaded into a process, makes its writes to files of LMDB fail. The file in FAULTY_DISK, which both processes
 * map, says which one: see struct control.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

struct control {
  _Atomic int32_t position; /* the first call that fails, counted from 1; 0 counts nothing */
  _Atomic int32_t times;    /* how many consecutive calls fail */
  _Atomic int32_t error;    /* their errno; 0 writes half of the bytes, or fails with EIO */
  _Atomic int32_t calls;    /* the calls since position was set */
  _Atomic int32_t failed;   /* the calls that failed */
};

static struct control *control;

__attribute__((constructor)) static void open_control(void) {
  const char *path = getenv("FAULTY_DISK");
  int file = path ? open(path, O_RDWR) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) control = mapped;
  close(file);
}

static int is_data(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path);
  const char name[] = ".mdb";
  const ssize_t end = sizeof name - 1;
  return length > end && memcmp(path + length - end, name, end) == 0;
}

static int fails(int file) {
  if (!control || !control->position || !is_data(file)) return 0;
  int call = ++control->calls;
  if (call < control->position || call - control->position >= control->times) return 0;
  control->failed++;
  return 1;
}

static ssize_t refuse(void) {
  errno = control->error ? control->error : EIO;
  return -1;
}

#define REAL(name)                \
  static __typeof__(&name) real;  \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  REAL(pwrite64);
  if (!fails(file)) return real(file, bytes, length, at);
  return control->error || length < 2 ? refuse() : real(file, bytes, length / 2, at);
}
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { return pwrite64(file, bytes, length, at); }

ssize_t write(int file, const void *bytes, size_t length) {
  REAL(write);
  if (!fails(file)) return real(file, bytes, length);
  return control->error || length < 2 ? refuse() : real(file, bytes, length / 2);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
  REAL(pwritev64);
  if (!fails(file)) return real(file, parts, count, at);
  return control->error || count < 2 ? refuse() : real(file, parts, count / 2, at);
}
ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) { return pwritev64(file, parts, count, at); }

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(writev);
  if (!fails(file)) return real(file, parts, count);
  return control->error || count < 2 ? refuse() : real(file, parts, count / 2);
}

int ftruncate64(int file, off64_t length) {
  REAL(ftruncate64);
  return fails(file) ? (int)refuse() : real(file, length);
}
int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

int fdatasync(int file) {
  REAL(fdatasync);
  return fails(file) ? (int)refuse() : real(file);
}

int fsync(int file) {
  REAL(fsync);
  return fails(file) ? (int)refuse() : real(file);
}

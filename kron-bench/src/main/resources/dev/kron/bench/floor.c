/* The floor under every scheduler: waits for a second, then starts the commands one after another.
   floor SECOND DIRECTORY COUNT */
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  int count = atoi(argv[3]);
  char **commands = calloc(count, sizeof *commands);
  for (int i = 0; i < count; i++) {
    if (asprintf(&commands[i], "echo >>%s/%d", argv[2], i) < 0) return 2;
  }
  struct timespec due = {atol(argv[1]), 0};
  while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &due, NULL) == EINTR) {
  }
  for (int i = 0; i < count; i++) {
    char *words[] = {"sh", "-c", commands[i], NULL};
    pid_t pid;
    int error = posix_spawn(&pid, "/bin/sh", NULL, NULL, words, environ);
    if (error) {
      fprintf(stderr, "posix_spawn: %s\n", strerror(error));
      return 1;
    }
  }
  while (wait(NULL) > 0 || errno == EINTR) {
  }
  return 0;
}

/*
 * Starts a server and asks until it answers.
 *
 *   start SOCKET REQUEST STATUS BODY PROGRAM [ARGUMENT ...]
 *
 * REQUEST is a file with what is sent; the answer is right when both texts are in it. Prints: microseconds from before
 * the program was started to its answer, and, a second later, kibibytes of its resident and its proportional set.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "../../Peers/records.h"

enum { POLL_MICROSECONDS = 200, LONGEST_ANSWER = 16 * 1024, SECONDS_TO_STOP = 10 };

static const uint64_t second = 1000000000ull, patience = 30 * 1000000000ull;

static pid_t program;

static void give_up(const char *what)
{
    fprintf(stderr, "%s\n", what);
    if (program > 0)
        kill(program, SIGKILL);
    exit(1);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static void start(char **arguments)
{
    pid_t starter = getpid();
    program = fork();
    if (program < 0)
        fail("fork");
    if (program > 0)
        return;
    /* It must not outlive a run that was broken off. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == starter)
        execvp(arguments[0], arguments);
    _exit(127);
}

static int connect_when_listening(const char *path, uint64_t end)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    for (;;) {
        int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (descriptor < 0)
            fail("socket");
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
            return descriptor;
        close(descriptor);
        if (waitpid(program, NULL, WNOHANG) == program) {
            program = 0;
            give_up("the program ended at its start");
        }
        if (now() > end)
            give_up("the program does not listen");
        usleep(POLL_MICROSECONDS);
    }
}

static void ask(int descriptor, const char *request, const char *status, const char *body)
{
    char text[LONGEST_ANSWER];
    FILE *file = fopen(request, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    struct timeval limit = { .tv_sec = patience / second };
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (length == 0 || send(descriptor, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        give_up("the request was not sent");

    for (length = 0; length < sizeof text;) {
        ssize_t received = recv(descriptor, text + length, sizeof text - length, 0);
        if (received <= 0)
            break;
        length += received;
        if (memmem(text, length, status, strlen(status)) != NULL && memmem(text, length, body, strlen(body)) != NULL)
            return;
    }
    give_up("the answer is not the right one");
}

static void print_memory(void)
{
    char path[64], line[256];
    unsigned long resident = 0, proportional = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", program);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        give_up(path);
    while (fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "Rss: %lu", &resident);
        sscanf(line, "Pss: %lu", &proportional);
    }
    printf("%lu %lu\n", resident, proportional);
}

static void stop(void)
{
    kill(program, SIGTERM);
    for (uint64_t end = now() + SECONDS_TO_STOP * second; waitpid(program, NULL, WNOHANG) != program;) {
        if (now() > end)
            give_up("the program did not end when asked, and was killed");
        usleep(POLL_MICROSECONDS);
    }
}

int main(int count, char **arguments)
{
    if (count < 6) {
        fputs("usage: start SOCKET REQUEST STATUS BODY PROGRAM [ARGUMENT ...]\n", stderr);
        return 2;
    }

    unlink(arguments[1]);
    uint64_t before = now();
    start(arguments + 5);
    int descriptor = connect_when_listening(arguments[1], before + patience);
    ask(descriptor, arguments[2], arguments[3], arguments[4]);
    printf("%lu ", (unsigned long)((now() - before) / 1000));
    close(descriptor);
    sleep(1);
    print_memory();
    stop();
}

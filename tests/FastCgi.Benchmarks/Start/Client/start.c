/*
 * Starts a server and asks until it answers.
 *
 *   start bind|inherit SOCKET REQUEST STATUS BODY PROGRAM [ARGUMENT ...]
 *
 * With "bind" the program makes the socket. With "inherit" this one does, sends the request, and passes the socket to
 * the program that it starts, as systemd does. REQUEST is a file with what is sent; the answer is right when both texts
 * are in it. Prints: microseconds from before the program was started to its answer, microseconds of processor time
 * that it took for that, and, a second later, kibibytes of its resident and its proportional set.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include "../../Peers/records.h"

enum { POLL_MICROSECONDS = 200, LONGEST_ANSWER = 16 * 1024, SECONDS_TO_STOP = 10, FIRST_INHERITED = 3, BACKLOG = 16 };

static const uint64_t second = 1000000000ull, patience = 30 * 1000000000ull;

static pid_t program;

static void give_up(const char *what)
{
    fprintf(stderr, "%s\n", what);
    if (program > 0)
        kill(program, SIGKILL);
    exit(1);
}

static uint64_t read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * second + time.tv_nsec;
}

static uint64_t now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

static uint64_t processor_time(void)
{
    clockid_t clock;
    if (clock_getcpuclockid(program, &clock) != 0)
        give_up("the program has no clock");
    return read_clock(clock);
}

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

static int open_socket(void)
{
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        fail("socket");
    return descriptor;
}

/* A new descriptor without the flag that closes it, and the variables of sd_listen_fds(3). */
static void inherit(int listener)
{
    char own[16];
    snprintf(own, sizeof own, "%d", getpid());
    if (listener == FIRST_INHERITED)
        fcntl(listener, F_SETFD, 0);
    else
        dup2(listener, FIRST_INHERITED);
    setenv("LISTEN_PID", own, 1);
    setenv("LISTEN_FDS", "1", 1);
}

/* The listener is -1 where the program makes its own. */
static void start(char **arguments, int listener)
{
    pid_t starter = getpid();
    program = fork();
    if (program < 0)
        fail("fork");
    if (program > 0)
        return;
    /* It must not outlive a run that was broken off. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (listener >= 0)
        inherit(listener);
    if (getppid() == starter)
        execvp(arguments[0], arguments);
    _exit(127);
}

static int connect_when_listening(const char *path, uint64_t end)
{
    struct sockaddr_un address = address_of(path);
    for (;;) {
        int descriptor = open_socket();
        if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
            return descriptor;
        close(descriptor);
        if (program > 0 && waitpid(program, NULL, WNOHANG) == program) {
            program = 0;
            give_up("the program ended at its start");
        }
        if (now() > end)
            give_up("the program does not listen");
        usleep(POLL_MICROSECONDS);
    }
}

static void send_request(int descriptor, const char *request)
{
    char text[LONGEST_ANSWER];
    FILE *file = fopen(request, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    if (length == 0 || send(descriptor, text, length, MSG_NOSIGNAL) != (ssize_t)length)
        give_up("the request was not sent");
}

static void receive_answer(int descriptor, const char *status, const char *body)
{
    char text[LONGEST_ANSWER];
    size_t length;
    struct timeval limit = { .tv_sec = patience / second };
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
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
    if (count < 7) {
        fputs("usage: start bind|inherit SOCKET REQUEST STATUS BODY PROGRAM [ARGUMENT ...]\n", stderr);
        return 2;
    }

    bool inherits = strcmp(arguments[1], "inherit") == 0;
    unlink(arguments[2]);
    int listener = inherits ? listen_on(arguments[2], BACKLOG) : -1, descriptor = -1;
    uint64_t before = now();
    if (inherits) {
        descriptor = connect_when_listening(arguments[2], before + patience);
        send_request(descriptor, arguments[3]);
        start(arguments + 6, listener);
    } else {
        start(arguments + 6, listener);
        descriptor = connect_when_listening(arguments[2], before + patience);
        send_request(descriptor, arguments[3]);
    }

    receive_answer(descriptor, arguments[4], arguments[5]);
    uint64_t after = now();
    printf("%lu %lu ", (unsigned long)((after - before) / 1000), (unsigned long)(processor_time() / 1000));
    close(descriptor);
    sleep(1);
    print_memory();
    stop();
}

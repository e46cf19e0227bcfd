/*
 * A FastCGI load generator: kept or fresh connections to a unix socket, one request outstanding on each, every reply
 * verified. One thread. What it sends is made elsewhere; an answer is right when it completes a request with status
 * 200 and exactly the body that is wanted. Bytes equal to those of an earlier right answer need no second look.
 *
 *   load SOCKET CONNECTIONS SECONDS keep|close REQUEST BODY
 *
 * Prints: requests, failed ones, microseconds of the run, 50th and 99th percentile in microseconds, its own CPU time
 * in microseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { END_REQUEST = 3, STDOUT = 6, STDERR = 7 };
enum { HEADER = 8, EVENTS = 512, SLOWEST = 4 * 1000 * 1000, RECEIVED_AT_ONCE = 256 * 1024, TICK = 100 };
enum verdict { INCOMPLETE, RIGHT, WRONG };

struct bytes {
    unsigned char *at;
    size_t length, capacity;
};

struct connection {
    int descriptor;
    int waits_to_send;
    size_t sent;
    uint64_t started;
    struct bytes reply;   /* as received */
    size_t matched;       /* so much of it equals the model */
    unsigned generation;  /* of the model that it was compared with */
    size_t parsed;        /* so much of it is in the content; only when it does not equal the model */
    struct bytes content; /* of STDOUT */
};

static int set, keep;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static struct bytes request, body, model;
static unsigned model_generation;
static uint32_t latencies[SLOWEST + 1];
static uint64_t requests, failed;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void reserve(struct bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->length >= more)
        return;
    bytes->capacity = (bytes->length + more) * 2;
    bytes->at = realloc(bytes->at, bytes->capacity);
    if (bytes->at == NULL)
        fail("realloc");
}

static void append(struct bytes *bytes, const void *from, size_t length)
{
    reserve(bytes, length);
    memcpy(bytes->at + bytes->length, from, length);
    bytes->length += length;
}

static void read_file(const char *path, struct bytes *bytes)
{
    int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0)
        fail(path);
    reserve(bytes, status.st_size + 1);
    while (bytes->length < (size_t)status.st_size) {
        ssize_t length = read(file, bytes->at + bytes->length, status.st_size - bytes->length);
        if (length <= 0)
            fail(path);
        bytes->length += length;
    }
    close(file);
}

/* --- Verification ------------------------------------------------------------------------------------------------ */

/* A head without a Status line means 200. */
static int is_right(const struct bytes *content)
{
    const unsigned char *end = memmem(content->at, content->length, "\r\n\r\n", 4);
    if (end == NULL)
        return 0;
    size_t head = end + 4 - content->at;
    const unsigned char *status = memmem(content->at, head, "Status: ", 8);
    if (status != NULL && memcmp(status + 8, "200", 3) != 0)
        return 0;
    return content->length - head == body.length && memcmp(content->at + head, body.at, body.length) == 0;
}

/* Record by record, when the reply is not byte for byte what an earlier one was: cut otherwise, or with a date. */
static enum verdict parse(struct connection *connection)
{
    const struct bytes *reply = &connection->reply;
    while (reply->length - connection->parsed >= HEADER) {
        const unsigned char *record = reply->at + connection->parsed;
        size_t content = record[4] << 8 | record[5];
        size_t length = HEADER + content + record[6];
        if (record[0] != 1 || record[2] != 0 || record[3] != 1)
            return WRONG;
        if (reply->length - connection->parsed < length)
            break;
        connection->parsed += length;
        if (record[1] == STDOUT)
            append(&connection->content, record + HEADER, content);
        else if (record[1] == END_REQUEST) {
            int complete = content == 8 && memcmp(record + HEADER, "\0\0\0\0\0", 5) == 0;
            if (!complete || connection->parsed != reply->length || !is_right(&connection->content))
                return WRONG;
            model_generation++;
            model.length = 0;
            append(&model, reply->at, reply->length);
            return RIGHT;
        } else if (record[1] != STDERR)
            return WRONG;
    }
    return INCOMPLETE;
}

static enum verdict judge(struct connection *connection)
{
    size_t length = connection->reply.length;
    if (connection->parsed == 0 && length <= model.length) {
        size_t matched = connection->generation == model_generation ? connection->matched : 0;
        if (memcmp(connection->reply.at + matched, model.at + matched, length - matched) == 0) {
            connection->matched = length;
            connection->generation = model_generation;
            return length == model.length ? RIGHT : INCOMPLETE;
        }
    }
    return parse(connection);
}

/* --- Connections ------------------------------------------------------------------------------------------------- */

static void watch(struct connection *connection, int operation, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = connection };
    if (epoll_ctl(set, operation, connection->descriptor, &event) < 0)
        fail("epoll_ctl");
}

static void open_connection(struct connection *connection)
{
    /* Connecting blocks while the backlog is full, which is the server's measure and not an error. */
    connection->descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection->descriptor < 0)
        fail("socket");
    if (connect(connection->descriptor, (struct sockaddr *)&address, sizeof address) < 0)
        fail("connect");
    fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
    connection->waits_to_send = 0;
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
}

/* A connection that breaks while we send is found out by receiving: the answer may be there already. */
static void send_rest(struct connection *connection)
{
    while (connection->sent < request.length) {
        ssize_t sent = send(connection->descriptor, request.at + connection->sent, request.length - connection->sent,
                            MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EAGAIN && !connection->waits_to_send) {
                connection->waits_to_send = 1;
                watch(connection, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
            }
            return;
        }
        connection->sent += sent;
    }
    if (connection->waits_to_send) {
        connection->waits_to_send = 0;
        watch(connection, EPOLL_CTL_MOD, EPOLLIN);
    }
}

static void begin(struct connection *connection, uint64_t time)
{
    connection->started = time;
    connection->sent = 0;
    connection->reply.length = connection->content.length = 0;
    connection->matched = connection->parsed = 0;
    send_rest(connection);
}

static void finish(struct connection *connection, enum verdict verdict)
{
    uint64_t time = now();
    uint64_t microseconds = (time - connection->started) / 1000;
    latencies[microseconds < SLOWEST ? microseconds : SLOWEST]++;
    requests++;
    if (verdict == WRONG)
        failed++;
    if (!keep || verdict == WRONG) {
        close(connection->descriptor);
        open_connection(connection);
    }
    begin(connection, time);
}

static void receive(struct connection *connection)
{
    struct bytes *reply = &connection->reply;
    reserve(reply, RECEIVED_AT_ONCE);
    ssize_t received = recv(connection->descriptor, reply->at + reply->length, RECEIVED_AT_ONCE, 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (received <= 0) {
        finish(connection, WRONG);
        return;
    }
    reply->length += received;
    enum verdict verdict = judge(connection);
    if (verdict != INCOMPLETE)
        finish(connection, verdict);
}

/* --- The run ----------------------------------------------------------------------------------------------------- */

static uint64_t percentile(int percent)
{
    uint64_t rank = (requests * percent + 99) / 100, seen = 0;
    for (int i = 0; i <= SLOWEST; i++) {
        seen += latencies[i];
        if (seen >= rank)
            return i;
    }
    return SLOWEST;
}

static void print_result(uint64_t duration)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t cpu = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000ull + usage.ru_utime.tv_usec
        + usage.ru_stime.tv_usec;
    printf("%lu %lu %lu %lu %lu %lu\n", (unsigned long)requests, (unsigned long)failed,
           (unsigned long)(duration / 1000), (unsigned long)percentile(50), (unsigned long)percentile(99),
           (unsigned long)cpu);
}

int main(int count, char **arguments)
{
    if (count != 7) {
        fputs("usage: load SOCKET CONNECTIONS SECONDS keep|close REQUEST BODY\n", stderr);
        return 2;
    }

    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    int connections = atoi(arguments[2]);
    keep = strcmp(arguments[4], "keep") == 0;
    read_file(arguments[5], &request);
    read_file(arguments[6], &body);
    set = epoll_create1(EPOLL_CLOEXEC);

    struct connection *all = calloc(connections, sizeof *all);
    uint64_t start = now(), end = start + atoi(arguments[3]) * 1000000000ull, time;
    for (int i = 0; i < connections; i++) {
        open_connection(&all[i]);
        begin(&all[i], now());
    }

    struct epoll_event events[EVENTS];
    while ((time = now()) < end) {
        int ready = epoll_wait(set, events, EVENTS, TICK);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT)
                send_rest(connection);
            if (events[i].events & ~EPOLLOUT)
                receive(connection);
        }
    }
    print_result(time - start);
}

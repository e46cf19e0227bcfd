/*
 * A FastCGI load generator: kept or fresh connections to a unix socket, a request outstanding on each, every answer
 * verified. One thread. The beginning of what it sends is made elsewhere. Bytes equal to those of an earlier right
 * answer need no second look.
 *
 *   load [-m REQUESTS] [-u BYTES] [-d BYTES] [-b] SOCKET CONNECTIONS SECONDS keep|close REQUEST [BODY]
 *
 * REQUEST is a file of records, BODY one with the body that is wanted.
 *   -m  so many requests at a time on each connection; their records are REQUEST's with ids from 1 on
 *   -u  so many bytes follow REQUEST on the stream STDIN, and its end
 *   -d  so many bytes of the letter x are wanted instead of BODY
 *   -b  bare bytes instead of records, both ways
 *
 * When the time is over it begins nothing more, and waits for what is outstanding. Prints: requests, failed ones,
 * microseconds of the run, 50th and 99th percentile in microseconds, its own CPU time in microseconds.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include "answer.h"

enum { EVENTS = 512, SLOWEST = 4 * 1000 * 1000, RECEIVED_AT_ONCE = 256 * 1024, LARGEST_MODEL = 64 * 1024, TICK = 100 };
enum { RECORD_SENT = 32 * 1024 }; /* as nginx cuts a body */

static const uint64_t second = 1000000000ull, patience = 30 * 1000000000ull;

struct exchange {
    int is_open;
    uint64_t started;
    struct answer answer;
};

struct connection {
    int descriptor;
    int waits_to_send;
    int is_answered; /* before all was sent: the end of the body is nothing that an answer has to wait for */
    int open;        /* exchanges */
    size_t sent;
    struct stream several; /* what is sent when there are several requests at a time */
    struct cutter cutter;
    struct exchange *exchanges; /* of id 1, 2 ... */
};

static int set, keep, at_a_time = 1, is_ending, outstanding;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static struct stream request;
static struct bytes *requests_by_id;
static struct wanted wanted;
static struct bytes model;
static unsigned char received_bytes[RECEIVED_AT_ONCE];
static uint32_t latencies[SLOWEST + 1];
static uint64_t requests, failed;

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * second + time.tv_nsec;
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

/* --- Sending ----------------------------------------------------------------------------------------------------- */

static void watch(struct connection *connection, int operation, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = connection };
    if (epoll_ctl(set, operation, connection->descriptor, &event) < 0)
        fail("epoll_ctl");
}

static void watch_sending(struct connection *connection, int waits_to_send)
{
    if (connection->waits_to_send != waits_to_send)
        watch(connection, EPOLL_CTL_MOD, waits_to_send ? EPOLLIN | EPOLLOUT : EPOLLIN);
    connection->waits_to_send = waits_to_send;
}

static const struct stream *outgoing(const struct connection *connection)
{
    return at_a_time == 1 ? &request : &connection->several;
}

static int has_sent_all(const struct connection *connection)
{
    return connection->sent == stream_length(outgoing(connection));
}

/* A connection that breaks while we send is found out by receiving: the answer may be there already. */
static void send_rest(struct connection *connection)
{
    while (!has_sent_all(connection)) {
        ssize_t sent = send_stream(connection->descriptor, outgoing(connection), connection->sent);
        if (sent < 0) {
            if (errno == EAGAIN)
                watch_sending(connection, 1);
            return;
        }
        connection->sent += sent;
    }
    watch_sending(connection, 0);
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
    connection->cutter = (struct cutter) { .header_length = 0 };
    connection->sent = 0;
    connection->several.beginning.length = 0;
    watch(connection, EPOLL_CTL_ADD, EPOLLIN);
}

/* Begins a request for each exchange that has none; what they send leaves together. */
static void begin(struct connection *connection, uint64_t time)
{
    if (is_ending)
        return;
    if (has_sent_all(connection)) {
        connection->sent = 0;
        connection->several.beginning.length = 0;
    }
    for (int i = 0; i < at_a_time; i++) {
        struct exchange *exchange = &connection->exchanges[i];
        if (exchange->is_open)
            continue;
        exchange->is_open = 1;
        exchange->started = time;
        forget_answer(&exchange->answer);
        connection->open++;
        outstanding++;
        if (at_a_time > 1)
            append(&connection->several.beginning, requests_by_id[i].at, requests_by_id[i].length);
    }
    send_rest(connection);
}

/* --- Receiving --------------------------------------------------------------------------------------------------- */

static void end_exchange(struct connection *connection, struct exchange *exchange, uint64_t time)
{
    uint64_t microseconds = (time - exchange->started) / 1000;
    latencies[microseconds < SLOWEST ? microseconds : SLOWEST]++;
    requests++;
    exchange->is_open = 0;
    connection->open--;
    outstanding--;
}

/* All that is outstanding has failed. */
static void give_up(struct connection *connection, uint64_t time)
{
    for (int i = 0; i < at_a_time; i++)
        if (connection->exchanges[i].is_open) {
            end_exchange(connection, &connection->exchanges[i], time);
            failed++;
        }
}

static void go_on(struct connection *connection, int is_lost, uint64_t time)
{
    connection->is_answered = 0;
    if (is_lost || (!keep && connection->open == 0)) {
        close(connection->descriptor);
        if (!is_ending)
            open_connection(connection);
    }
    begin(connection, time);
}

static int is_model(const struct exchange *exchange, const struct cutter *cutter, size_t length)
{
    return at_a_time == 1 && cutter->header_length == 0 && !exchange->answer.has_head
        && exchange->answer.head.length == 0 && length == model.length
        && memcmp(received_bytes, model.at, length) == 0;
}

static enum verdict judge_bare(struct connection *connection, size_t length)
{
    return take_body(&connection->exchanges[0].answer, &wanted, received_bytes, length);
}

/* Ends the exchanges whose answers are complete. WRONG: the connection is of no more use. */
static enum verdict judge(struct connection *connection, size_t length, uint64_t time)
{
    const unsigned char *from = received_bytes, *to = from + length;
    int is_begun = connection->cutter.header_length > 0 || connection->exchanges[0].answer.head.length > 0;
    enum verdict all = INCOMPLETE;
    struct piece piece;
    enum cut cut;
    while ((cut = cut_piece(&connection->cutter, &from, to, &piece)) == CUT_PIECE) {
        if (piece.id < 1 || piece.id > at_a_time || !connection->exchanges[piece.id - 1].is_open)
            return WRONG;
        struct exchange *exchange = &connection->exchanges[piece.id - 1];
        enum verdict verdict = take_piece(&exchange->answer, &wanted, &piece);
        if (verdict == WRONG)
            return WRONG;
        if (verdict == RIGHT) {
            end_exchange(connection, exchange, time);
            all = RIGHT;
        }
    }
    if (all == RIGHT && !is_begun && length <= LARGEST_MODEL && connection->cutter.header_length == 0) {
        model.length = 0;
        append(&model, received_bytes, length);
    }
    return cut == CUT_VIOLATION ? WRONG : all;
}

static void receive(struct connection *connection)
{
    ssize_t received = recv(connection->descriptor, received_bytes, RECEIVED_AT_ONCE, 0);
    if (received < 0 && (errno == EAGAIN || errno == EINTR))
        return;

    uint64_t time = now();
    struct exchange *first = &connection->exchanges[0];
    int is_short = connection->open == 0 || received <= 0;
    enum verdict verdict = is_short ? WRONG
        : wanted.is_bare            ? judge_bare(connection, received)
        : is_model(first, &connection->cutter, received) ? RIGHT
                                                          : judge(connection, received, time);
    if (verdict == WRONG)
        give_up(connection, time);
    else if (verdict == RIGHT && first->is_open && at_a_time == 1)
        end_exchange(connection, first, time);

    if (verdict == RIGHT && at_a_time == 1 && !has_sent_all(connection))
        connection->is_answered = 1;
    else if (verdict != INCOMPLETE)
        go_on(connection, verdict == WRONG, time);
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

static void make_requests_by_id(void)
{
    requests_by_id = calloc(at_a_time, sizeof *requests_by_id);
    for (int i = 0; i < at_a_time; i++) {
        struct bytes *bytes = &requests_by_id[i];
        append(bytes, request.beginning.at, request.beginning.length);
        for (size_t at = 0; at + HEADER <= bytes->length;) {
            unsigned char *header = bytes->at + at;
            header[2] = (i + 1) >> 8;
            header[3] = i + 1;
            at += HEADER + (header[4] << 8 | header[5]) + header[6];
        }
    }
}

static void run(struct connection *all, int connections, uint64_t end)
{
    for (int i = 0; i < connections; i++) {
        all[i].exchanges = calloc(at_a_time, sizeof *all[i].exchanges);
        open_connection(&all[i]);
        begin(&all[i], now());
    }

    struct epoll_event events[EVENTS];
    uint64_t time;
    while ((time = now()) < end || (outstanding > 0 && time < end + patience)) {
        is_ending = time >= end;
        int ready = epoll_wait(set, events, EVENTS, TICK);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (events[i].events & EPOLLOUT) {
                send_rest(connection);
                if (connection->is_answered && has_sent_all(connection))
                    go_on(connection, 0, now());
            }
            if (events[i].events & ~EPOLLOUT)
                receive(connection);
        }
    }
    for (int i = 0; i < connections; i++)
        give_up(&all[i], time);
}

int main(int count, char **arguments)
{
    size_t sent = 0;
    int sends = 0, wants_size = 0, option;
    while ((option = getopt(count, arguments, "m:u:d:b")) != -1) {
        if (option == 'm')
            at_a_time = atoi(optarg);
        else if (option == 'u')
            sends = 1, sent = strtoul(optarg, NULL, 10);
        else if (option == 'd')
            wants_size = 1, wanted.size = strtoul(optarg, NULL, 10);
        else if (option == 'b')
            wanted.is_bare = 1;
        else
            count = 0;
    }
    char **rest = arguments + optind;
    if (count - optind != (wants_size ? 5 : 6) || at_a_time < 1 || (at_a_time > 1 && (sends || wanted.is_bare))) {
        fputs("usage: load [-m REQUESTS] [-u BYTES] [-d BYTES] [-b] SOCKET CONNECTIONS SECONDS keep|close REQUEST "
              "[BODY]\n", stderr);
        return 2;
    }

    strncpy(address.sun_path, rest[0], sizeof address.sun_path - 1);
    int connections = atoi(rest[1]);
    keep = strcmp(rest[3], "keep") == 0;
    read_file(rest[4], &request.beginning);
    if (!wants_size)
        read_file(rest[5], &wanted.body);
    if (sends)
        append_content(&request, wanted.is_bare ? BARE : STDIN, RECORD_SENT, sent);
    make_requests_by_id();
    set = epoll_create1(EPOLL_CLOEXEC);

    uint64_t start = now();
    run(calloc(connections, sizeof(struct connection)), connections, start + atoi(rest[2]) * second);
    print_result(now() - start);
}

/*
 * The floor: a FastCGI responder that does nothing but answer. One thread, one epoll set, constant replies; of the
 * params it looks at REQUEST_URI alone. What a request costs here, it costs everywhere.
 *
 *   floor SOCKET
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6 };
enum { HEADER = 8, LARGEST_CONTENT = 65528, INPUT = 128 * 1024, EVENTS = 256, BACKLOG = 4096 };

struct reply {
    const char *target;
    unsigned char *bytes;
    size_t length;
};

struct connection {
    int descriptor;
    int keep;
    int sending;
    const struct reply *reply;
    size_t sent;
    size_t used;
    unsigned char input[INPUT];
};

static struct reply replies[] = { { "/plaintext" }, { "/json" }, { "/form" }, { "/download" }, { "/upload" }, { "" } };

static int set;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static unsigned char *put_record(unsigned char *at, int type, const void *content, size_t length)
{
    const unsigned char header[HEADER] = { 1, type, 0, 1, length >> 8, length };
    memcpy(at, header, HEADER);
    memcpy(at + HEADER, content, length);
    return at + HEADER + length;
}

static void make_reply(struct reply *reply, const char *status, const char *type, const char *body, size_t length)
{
    char *content;
    int head = asprintf(&content, "Status: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", status, type,
                        length);
    content = realloc(content, head + length);
    memcpy(content + head, body, length);

    size_t total = head + length;
    reply->bytes = malloc(total + (total / LARGEST_CONTENT + 4) * HEADER);
    unsigned char *end = reply->bytes;
    for (size_t from = 0; from < total; from += LARGEST_CONTENT) {
        size_t rest = total - from;
        end = put_record(end, STDOUT, content + from, rest < LARGEST_CONTENT ? rest : LARGEST_CONTENT);
    }
    end = put_record(end, STDOUT, "", 0);
    end = put_record(end, END_REQUEST, "\0\0\0\0\0\0\0\0", 8);
    reply->length = end - reply->bytes;
    free(content);
}

static void make_replies(void)
{
    static char mebibyte[1 << 20];
    memset(mebibyte, 'x', sizeof mebibyte);
    const char *json = "{\"message\":\"Hello, World!\"}";
    make_reply(&replies[0], "200 OK", "text/plain", "Hello, World!", 13);
    make_reply(&replies[1], "200 OK", "application/json", json, strlen(json));
    make_reply(&replies[2], "200 OK", "text/plain", "fields=8", 8);
    make_reply(&replies[3], "200 OK", "application/octet-stream", mebibyte, sizeof mebibyte);
    make_reply(&replies[4], "200 OK", "text/plain", "bytes=10485760", 14);
    make_reply(&replies[5], "404 Not Found", "text/plain", "", 0);
}

/* A pair is its two lengths, its name, its value; so the value stands right behind the name. */
static const struct reply *find_reply(const unsigned char *params, size_t length)
{
    static const char name[] = "REQUEST_URI";
    const unsigned char *at = memmem(params, length, name, sizeof name - 1);
    if (at == NULL)
        return NULL;
    const unsigned char *value = at + sizeof name - 1;
    const struct reply *reply = replies;
    while (memcmp(value, reply->target, strnlen(reply->target, params + length - value)) != 0)
        reply++;
    return reply;
}

static void drop(struct connection *connection)
{
    close(connection->descriptor);
    free(connection);
}

static void watch(struct connection *connection, int operation, uint32_t events)
{
    struct epoll_event event = { .events = events, .data.ptr = connection };
    if (epoll_ctl(set, operation, connection->descriptor, &event) < 0)
        fail("epoll_ctl");
}

/* 0: the connection is gone. */
static int send_reply(struct connection *connection)
{
    const struct reply *reply = connection->reply;
    while (connection->sent < reply->length) {
        ssize_t sent = send(connection->descriptor, reply->bytes + connection->sent, reply->length - connection->sent,
                            MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) {
            if (!connection->sending)
                watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
            connection->sending = 1;
            return 1;
        }
        if (sent < 0) {
            drop(connection);
            return 0;
        }
        connection->sent += sent;
    }

    if (!connection->keep) {
        drop(connection);
        return 0;
    }
    if (connection->sending)
        watch(connection, EPOLL_CTL_MOD, EPOLLIN);
    connection->sending = 0;
    connection->sent = 0;
    connection->reply = NULL;
    return 1;
}

/* Handles the whole records of the input. 0: the connection is gone. */
static int take_records(struct connection *connection)
{
    size_t at = 0;
    while (connection->used - at >= HEADER) {
        const unsigned char *record = connection->input + at;
        size_t content = record[4] << 8 | record[5];
        size_t length = HEADER + content + record[6];
        if (connection->used - at < length)
            break;
        at += length;
        if (record[1] == BEGIN_REQUEST)
            connection->keep = record[10] & 1;
        else if (record[1] == PARAMS && content > 0 && connection->reply == NULL)
            connection->reply = find_reply(record + HEADER, content);
        else if (record[1] == STDIN && content == 0) {
            if (connection->reply == NULL)
                connection->reply = &replies[sizeof replies / sizeof *replies - 1];
            if (!send_reply(connection))
                return 0;
        }
    }

    connection->used -= at;
    if (connection->used > 0 && at > 0)
        memmove(connection->input, connection->input + at, connection->used);
    return 1;
}

static void receive(struct connection *connection)
{
    ssize_t received = recv(connection->descriptor, connection->input + connection->used, INPUT - connection->used, 0);
    if (received < 0 && errno == EAGAIN)
        return;
    if (received <= 0) {
        drop(connection);
        return;
    }
    connection->used += received;
    take_records(connection);
}

static void accept_all(int listener)
{
    int descriptor;
    while ((descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct connection *connection = malloc(sizeof *connection);
        memset(connection, 0, offsetof(struct connection, input));
        connection->descriptor = descriptor;
        watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    }
}

static int listen_on(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0)
        fail(path);
    chmod(path, 0666);
    if (listen(listener, BACKLOG) < 0)
        fail("listen");
    return listener;
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: floor SOCKET\n", stderr);
        return 2;
    }

    make_replies();
    set = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_on(arguments[1]);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    epoll_ctl(set, EPOLL_CTL_ADD, listener, &event);

    struct epoll_event events[EVENTS];
    for (;;) {
        int ready = epoll_wait(set, events, EVENTS, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (connection == NULL)
                accept_all(listener);
            else if (connection->sending)
                send_reply(connection);
            else
                receive(connection);
        }
    }
}

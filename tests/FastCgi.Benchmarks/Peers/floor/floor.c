/*
 * The floor: a FastCGI responder that does nothing but answer. One thread, one epoll set, constant replies; of the
 * params it looks at REQUEST_URI alone. What a request costs here, it costs everywhere.
 *
 *   floor SOCKET
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/epoll.h>
#include "../records.h"

enum { LARGEST_CONTENT = 65528, INPUT = 128 * 1024, EVENTS = 256, BACKLOG = 4096, SIZES = 64 };

struct reply {
    const char *target;
    struct stream stream;
};

/* A reply whose size the target says: "/bytes/" so many of them, "/upload?" the number alone. */
struct sized_reply {
    int is_download;
    size_t size;
    struct reply reply;
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

static struct sized_reply sized_replies[SIZES];
static int set, sizes;

static void make_head(struct reply *reply, const char *status, const char *type, const char *body, size_t length)
{
    char *content;
    int head = asprintf(&content, "Status: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n%s", status, type,
                        length, body);
    append_record(&reply->stream.beginning, STDOUT, content, head);
    free(content);
}

static void append_end(struct bytes *bytes)
{
    append_record(bytes, END_REQUEST, "\0\0\0\0\0\0\0\0", 8);
}

static void make_reply(struct reply *reply, const char *status, const char *type, const char *body)
{
    make_head(reply, status, type, body, strlen(body));
    append_record(&reply->stream.beginning, STDOUT, "", 0);
    append_end(&reply->stream.beginning);
}

static void make_download(struct reply *reply, size_t size)
{
    make_head(reply, "200 OK", "application/octet-stream", "", size);
    append_content(&reply->stream, STDOUT, LARGEST_CONTENT, size);
    append_end(&reply->stream.end);
}

static void make_replies(void)
{
    make_reply(&replies[0], "200 OK", "text/plain", "Hello, World!");
    make_reply(&replies[1], "200 OK", "application/json", "{\"message\":\"Hello, World!\"}");
    make_reply(&replies[2], "200 OK", "text/plain", "fields=8");
    make_download(&replies[3], 1 << 20);
    make_reply(&replies[4], "200 OK", "text/plain", "bytes=10485760");
    make_reply(&replies[5], "404 Not Found", "text/plain", "");
}

/* Made once for each size. */
static const struct reply *find_sized_reply(int is_download, size_t size)
{
    for (int i = 0; i < sizes; i++)
        if (sized_replies[i].is_download == is_download && sized_replies[i].size == size)
            return &sized_replies[i].reply;
    if (sizes == SIZES)
        return NULL;

    struct sized_reply *made = &sized_replies[sizes++];
    made->is_download = is_download;
    made->size = size;
    if (is_download)
        make_download(&made->reply, size);
    else {
        char text[32];
        snprintf(text, sizeof text, "bytes=%zu", size);
        make_reply(&made->reply, "200 OK", "text/plain", text);
    }
    return &made->reply;
}

static int begins_with(const unsigned char *value, const unsigned char *end, const char *text)
{
    size_t length = strlen(text);
    return (size_t)(end - value) >= length && memcmp(value, text, length) == 0;
}

static size_t number(const unsigned char *at, const unsigned char *end)
{
    size_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (*at - '0');
    return number;
}

/* A pair is its two lengths, its name, its value: so the value stands right behind the name, and its length, which is
 * a byte for all targets here, right before it. */
static const struct reply *find_reply(const unsigned char *params, size_t length)
{
    static const char name[] = "REQUEST_URI";
    const unsigned char *at = memmem(params, length, name, sizeof name - 1);
    if (at == NULL)
        return NULL;
    const unsigned char *value = at + sizeof name - 1, *end = value + at[-1];
    if (end > params + length)
        return NULL;
    if (begins_with(value, end, "/bytes/"))
        return find_sized_reply(1, number(value + strlen("/bytes/"), end));
    if (begins_with(value, end, "/upload?"))
        return find_sized_reply(0, number(value + strlen("/upload?"), end));
    const struct reply *reply = replies;
    while (!begins_with(value, end, reply->target))
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
    const struct stream *stream = &connection->reply->stream;
    size_t length = stream_length(stream);
    while (connection->sent < length) {
        ssize_t sent = send_stream(connection->descriptor, stream, connection->sent);
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

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: floor SOCKET\n", stderr);
        return 2;
    }

    make_replies();
    set = epoll_create1(EPOLL_CLOEXEC);
    int listener = listen_on(arguments[1], BACKLOG);
    fcntl(listener, F_SETFL, O_NONBLOCK);
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

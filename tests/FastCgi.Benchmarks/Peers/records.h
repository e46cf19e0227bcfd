/*
 * What the programs in C share: bytes that grow, records, and streams of any length out of little memory.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

enum { BEGIN_REQUEST = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6, STDERR = 7, BARE = 0 };
enum { HEADER = 8, PATTERN = 256 * 1024 };

struct bytes {
    unsigned char *at;
    size_t length, capacity;
};

/* A beginning, a middle that repeats a pattern, and an end: it stays in the cache however long it is. */
struct stream {
    struct bytes beginning, pattern, end;
    size_t middle;
};

static inline void fail(const char *what)
{
    perror(what);
    exit(1);
}

static inline void reserve(struct bytes *bytes, size_t more)
{
    if (bytes->capacity - bytes->length >= more)
        return;
    bytes->capacity = (bytes->length + more) * 2;
    bytes->at = realloc(bytes->at, bytes->capacity);
    if (bytes->at == NULL)
        fail("realloc");
}

static inline void append(struct bytes *bytes, const void *from, size_t length)
{
    reserve(bytes, length);
    memcpy(bytes->at + bytes->length, from, length);
    bytes->length += length;
}

static inline void append_record(struct bytes *bytes, int type, const void *content, size_t length)
{
    const unsigned char header[HEADER] = { 1, type, 0, 1, length >> 8, length };
    append(bytes, header, HEADER);
    append(bytes, content, length);
}

/* Lets the stream go on with so many bytes of the letter x in records of the type, and the empty record that ends
 * them; with the bytes alone where the type is BARE. */
static inline void append_content(struct stream *stream, int type, size_t record_size, size_t length)
{
    unsigned char *content = malloc(record_size);
    memset(content, 'x', record_size);
    while (stream->pattern.length < PATTERN) {
        if (type == BARE)
            append(&stream->pattern, content, record_size);
        else
            append_record(&stream->pattern, type, content, record_size);
    }

    size_t rest = length % record_size;
    stream->middle = length / record_size * (record_size + (type == BARE ? 0 : HEADER));
    if (type == BARE)
        append(&stream->end, content, rest);
    else {
        if (rest > 0)
            append_record(&stream->end, type, content, rest);
        append_record(&stream->end, type, "", 0);
    }
    free(content);
}

static inline size_t stream_length(const struct stream *stream)
{
    return stream->beginning.length + stream->middle + stream->end.length;
}

/* As much as the socket takes at once of what follows the first bytes. */
static inline ssize_t send_stream(int descriptor, const struct stream *stream, size_t from)
{
    struct iovec parts[3];
    struct msghdr message = { .msg_iov = parts };
    size_t middle = stream->beginning.length, end = middle + stream->middle;
    if (from < middle) {
        parts[message.msg_iovlen++] = (struct iovec) { stream->beginning.at + from, middle - from };
        from = middle;
    }
    if (from < end) {
        size_t at = (from - middle) % stream->pattern.length, length = stream->pattern.length - at;
        if (length > end - from)
            length = end - from;
        parts[message.msg_iovlen++] = (struct iovec) { stream->pattern.at + at, length };
        from += length;
    }
    if (from >= end && from < end + stream->end.length)
        parts[message.msg_iovlen++] =
            (struct iovec) { stream->end.at + (from - end), stream->end.length - (from - end) };
    return message.msg_iovlen == 1 ? send(descriptor, parts[0].iov_base, parts[0].iov_len, MSG_NOSIGNAL)
                                   : sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

static inline int listen_on(const char *path, int backlog)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    unlink(path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0)
        fail(path);
    chmod(path, 0666);
    if (listen(listener, backlog) < 0)
        fail("listen");
    return listener;
}

#endif

/*
 * cat, through a unix socket: what moving bytes costs when nobody looks at them. Reads and writes of 128 KiB, as the
 * program makes them; a thread for each connection.
 *
 *   cat SOCKET
 *
 * An exchange begins with 16 bytes, a letter and a number: "d1048576" asks for so many bytes of a file (cat FILE),
 * "u1048576" announces as many that go to /dev/null (cat >/dev/null) and are answered with one byte.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include "../records.h"

enum { AT_ONCE = 128 * 1024, ORDER = 16, BACKLOG = 4096, LARGEST = 100 * 1024 * 1024 };

static int file, nowhere;

static int write_all(int descriptor, const char *from, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, from, length);
        if (written <= 0)
            return 0;
        from += written;
        length -= written;
    }
    return 1;
}

static int send_file(int connection, char *buffer, size_t length)
{
    for (size_t sent = 0; sent < length;) {
        ssize_t part = pread(file, buffer, length - sent < AT_ONCE ? length - sent : AT_ONCE, sent);
        if (part <= 0 || !write_all(connection, buffer, part))
            return 0;
        sent += part;
    }
    return 1;
}

static int drop_bytes(int connection, char *buffer, size_t length)
{
    while (length > 0) {
        ssize_t part = read(connection, buffer, length < AT_ONCE ? length : AT_ONCE);
        if (part <= 0 || !write_all(nowhere, buffer, part))
            return 0;
        length -= part;
    }
    return write_all(connection, "x", 1);
}

static void *serve(void *argument)
{
    int connection = (int)(intptr_t)argument;
    char *buffer = malloc(AT_ONCE), order[ORDER + 1] = "";
    while (recv(connection, order, ORDER, MSG_WAITALL) == ORDER) {
        size_t length = strtoul(order + 1, NULL, 10);
        if (length > LARGEST || !(order[0] == 'd' ? send_file : drop_bytes)(connection, buffer, length))
            break;
    }
    close(connection);
    free(buffer);
    return NULL;
}

static void make_file(void)
{
    static char content[1 << 20];
    memset(content, 'x', sizeof content);
    file = memfd_create("file", MFD_CLOEXEC);
    for (size_t length = 0; length < LARGEST; length += sizeof content)
        if (!write_all(file, content, sizeof content))
            fail("memfd");
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: cat SOCKET\n", stderr);
        return 2;
    }

    signal(SIGPIPE, SIG_IGN);
    make_file();
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int listener = listen_on(arguments[1], BACKLOG), connection;
    while ((connection = accept(listener, NULL, NULL)) >= 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)connection) != 0)
            fail("pthread_create");
        pthread_detach(thread);
    }
    fail("accept");
}

/* The application of the peer tests on libfcgi: peer SOCKET. It has one thread and serves one connection at a time. */
#include <fcgiapp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void echo(FCGX_Request *request)
{
    char *custom = FCGX_GetParam("HTTP_X_CUSTOM", request->envp);
    char buffer[8192];
    int count;

    FCGX_FPrintF(request->out,
        "Content-Type: application/octet-stream\r\nX-Method: %s\r\nX-Query: %s\r\nX-Custom: %s\r\n"
        "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\n",
        FCGX_GetParam("REQUEST_METHOD", request->envp), FCGX_GetParam("QUERY_STRING", request->envp),
        custom ? custom : "");
    while ((count = FCGX_GetStr(buffer, sizeof buffer, request->in)) > 0)
        FCGX_PutStr(buffer, count, request->out);
}

static void large(FCGX_Request *request)
{
    char buffer[65536];
    int i;

    memset(buffer, 'x', sizeof buffer);
    FCGX_PutS("Content-Type: application/octet-stream\r\n\r\n", request->out);
    for (i = 0; i < 16; i++)
        FCGX_PutStr(buffer, sizeof buffer, request->out);
}

int main(int argc, char **argv)
{
    FCGX_Request request;
    char *path;

    if (argc != 2 || FCGX_Init())
        return 1;
    FCGX_InitRequest(&request, FCGX_OpenSocket(argv[1], 16), 0);
    while (FCGX_Accept_r(&request) == 0) {
        path = FCGX_GetParam("PATH_INFO", request.envp);
        if (!strcmp(path, "/echo")) {
            echo(&request);
        } else if (!strcmp(path, "/closing")) {
            /* The connection ends with the answer, whatever the client has asked for. */
            request.keepConnection = 0;
            echo(&request);
        } else if (!strcmp(path, "/large")) {
            large(&request);
        } else if (!strcmp(path, "/slow")) {
            FCGX_PutS("Content-Type: text/plain\r\n\r\nfirst\n", request.out);
            FCGX_FFlush(request.out);
            sleep(2);
        } else if (!strcmp(path, "/late")) {
            FCGX_PutS("Content-Type: text/plain\r\n\r\nbegun\n", request.out);
            FCGX_FFlush(request.out);
            usleep(200000);
            FCGX_PutS(FCGX_GetParam("QUERY_STRING", request.envp), request.out);
        } else if (!strcmp(path, "/warning")) {
            FCGX_PutS("a warning of the application\n", request.err);
            FCGX_PutS("Content-Type: text/plain\r\n\r\nwarned", request.out);
        } else {
            FCGX_PutS("Status: 404 Not Found\r\n\r\n", request.out);
        }
        FCGX_Finish_r(&request);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// For tests that talk to `thaw view`: start it, speak HTTP and WebSocket by hand (and wrongly, if that is the point).
// Before it is included, the test defines `static const char program[] = THAW_PROGRAM;`.
#ifndef THAW_TEST_CLIENT_H
#define THAW_TEST_CLIENT_H

#include "app/program.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

enum { ANSWER = 1 << 16, PATIENCE_MS = 180000 };

typedef struct Server {
    pid_t pid;
    int output; // what it says
    int port;
    char token[64], host[64]; // host: with the port
} Server;

static int available = 1; // the program has a server

__attribute__((unused)) static uint64_t draw(uint64_t *seed, uint64_t below) { // splitmix64
    uint64_t z = *seed += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return below ? (z ^ (z >> 31)) % below : 0;
}

__attribute__((unused)) static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Starts `thaw view ...`; words as in program.h. Leaves `available` at 0 where the program has no server.
__attribute__((unused)) static Server start_server(const char *line) {
    Server server = {.output = -1};
    char words[1024];
    snprintf(words, sizeof words, "view --no-open %s", line);
    server.pid = start(words, at("served"));
    const double until = seconds() + 1e-3 * PATIENCE_MS;
    for (char *text = NULL; seconds() < until;) {
        size_t size;
        free(text);
        text = slurp(at("served"), &size);
        if (text && strstr(text, "without libwebsockets")) {
            available = 0;
            free(text);
            waitpid(server.pid, NULL, 0);
            return server;
        }
        if (text && strchr(text, '\n') &&
            sscanf(text, "http://127.0.0.1:%d/?token=%40[0-9a-f]", &server.port, server.token) == 2) {
            snprintf(server.host, sizeof server.host, "127.0.0.1:%d", server.port);
            free(text);
            return server;
        }
        if (waitpid(server.pid, NULL, WNOHANG) == server.pid)
            fail_msg("thaw view ended: %s", text ? text : "");
        usleep(10000);
    }
    fail_msg("thaw view does not start");
    return server;
}

// Asks it to end, and sees to it that it does so in good health (under a sanitizer: without a leak).
__attribute__((unused)) static void stop_server(Server *server) {
    if (!available)
        return;
    int status = 0;
    kill(server->pid, SIGTERM);
    assert_int_equal(waitpid(server->pid, &status, 0), server->pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) {
        size_t size;
        char *text = slurp(at("served"), &size);
        fail_msg("thaw view ended with %d: %s", status, text ? text : "");
    }
}

__attribute__((unused)) static int is_alive(const Server *server) { return kill(server->pid, 0) == 0; }

// --- sockets ---------------------------------------------------------------------------------------------------------

__attribute__((unused)) static int dial(const Server *server) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)server->port)};
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(handle >= 0);
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(handle, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(handle, (struct sockaddr *)&address, sizeof address)) {
        close(handle);
        return -1;
    }
    return handle;
}

// All of it, or as much as the other side takes before it hangs up.
__attribute__((unused)) static int give(int handle, const void *bytes, size_t size) {
    for (size_t sent = 0; sent < size;) {
        const ssize_t n = send(handle, (const char *)bytes + sent, size - sent, MSG_NOSIGNAL);
        if (n <= 0)
            return 0;
        sent += (size_t)n;
    }
    return 1;
}

// Exactly so many bytes; 0 when the other side hung up before.
__attribute__((unused)) static int get(int handle, void *bytes, size_t size) {
    for (size_t got = 0; got < size;) {
        const ssize_t n = recv(handle, (char *)bytes + got, size - got, 0);
        if (n <= 0)
            return 0;
        got += (size_t)n;
    }
    return 1;
}

// The head of an answer, terminated; its status, 0 when there is none.
__attribute__((unused)) static int get_head(int handle, char head[ANSWER]) {
    size_t size = 0;
    int status = 0;
    head[0] = 0;
    while (size < ANSWER - 1 && !strstr(head, "\r\n\r\n")) {
        if (recv(handle, head + size, 1, 0) != 1)
            break;
        head[++size] = 0;
    }
    return sscanf(head, "HTTP/1.%*d %d", &status) == 1 ? status : 0;
}

// A request of one's own making; the status of the answer, and the answer (as much as fits) in *answer.
__attribute__((unused)) static int ask(const Server *server, const char *request, size_t size, char answer[ANSWER]) {
    const int handle = dial(server);
    assert_true(handle >= 0);
    give(handle, request, size);
    const int status = get_head(handle, answer);
    size_t used = strlen(answer);
    const char *length = strcasestr(answer, "content-length:");
    size_t body = length ? (size_t)strtoul(length + 15, NULL, 10) : 0;
    body = body < ANSWER - 1 - used ? body : ANSWER - 1 - used;
    if (body && !get(handle, answer + used, body))
        body = 0;
    answer[used + body] = 0;
    close(handle);
    return status;
}

__attribute__((unused)) static int get_page(const Server *server, const char *path, const char *host, char *answer) {
    char request[2000];
    const int size =
        snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host);
    return ask(server, request, (size_t)size, answer);
}

// --- WebSocket -------------------------------------------------------------------------------------------------------

// Opens the stream; the status of the answer (101: it is open) in *status.
__attribute__((unused)) static int open_stream(const Server *server, const char *token, const char *host,
                                               const char *origin, int *status) {
    char request[2000], head[ANSWER];
    const int handle = dial(server);
    *status = 0;
    if (handle < 0)
        return -1;
    const int size =
        snprintf(request, sizeof request,
                 "GET /stream?token=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s%s%s\r\n",
                 token, host, origin ? "Origin: " : "", origin ? origin : "", origin ? "\r\n" : "");
    give(handle, request, (size_t)size);
    *status = get_head(handle, head);
    return handle;
}

__attribute__((unused)) static int join(const Server *server) {
    char origin[100];
    int status;
    snprintf(origin, sizeof origin, "http://%s", server->host);
    const int handle = open_stream(server, server->token, server->host, origin, &status);
    if (status != 101)
        fail_msg("the stream was refused with %d", status);
    return handle;
}

enum { OP_TEXT = 1, OP_BINARY = 2, OP_CLOSE = 8, OP_PING = 9, OP_PONG = 10 };

__attribute__((unused)) static int say(int handle, int opcode, const void *bytes, size_t size) {
    unsigned char head[14] = {(unsigned char)(0x80 | opcode)};
    size_t length = 2;
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else if (size < 65536) {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(size >> 8);
        head[3] = (unsigned char)size;
        length = 4;
    } else {
        head[1] = 0x80 | 127;
        for (int i = 0; i < 8; i++)
            head[2 + i] = (unsigned char)(size >> (56 - 8 * i));
        length = 10;
    }
    length += 4; // a mask of zeros leaves the bytes as they are
    return give(handle, head, length) && give(handle, bytes, size);
}

__attribute__((unused)) static int say_text(int handle, const char *text) {
    return say(handle, OP_TEXT, text, strlen(text));
}

// The next message, terminated, in memory that the caller frees; its opcode, 0 when the connection is gone.
__attribute__((unused)) static int hear(int handle, unsigned char **bytes, size_t *size) {
    int opcode = 0;
    *bytes = NULL;
    *size = 0;
    for (int final = 0; !final;) {
        unsigned char head[10];
        if (!get(handle, head, 2))
            return 0;
        final = head[0] & 0x80;
        opcode = head[0] & 15 ? head[0] & 15 : opcode;
        uint64_t length = head[1] & 127;
        const int more = length == 126 ? 2 : length == 127 ? 8 : 0;
        if (more) {
            if (!get(handle, head + 2, (size_t)more))
                return 0;
            length = 0;
            for (int i = 0; i < more; i++)
                length = length << 8 | head[2 + i];
        }
        assert_true(length < 100 << 20);
        *bytes = realloc(*bytes, *size + length + 1);
        assert_non_null(*bytes);
        if (!get(handle, *bytes + *size, length))
            return 0;
        *size += length;
        (*bytes)[*size] = 0;
    }
    return opcode;
}

// Reads on until a text message holds the fragment; frames are acknowledged on the way. NULL when the connection is
// gone.
__attribute__((unused)) static char *await(int handle, const char *fragment) {
    const double until = seconds() + 1e-3 * PATIENCE_MS;
    while (seconds() < until) {
        unsigned char *bytes;
        size_t size;
        const int opcode = hear(handle, &bytes, &size);
        if (opcode == OP_TEXT && strstr((char *)bytes, fragment))
            return (char *)bytes;
        if (opcode == OP_BINARY)
            say_text(handle, "{\"type\":\"ack\"}");
        free(bytes);
        if (opcode == 0 || opcode == OP_CLOSE)
            return NULL;
    }
    return NULL;
}

// The JSON header of the next frame, which the caller frees; acknowledged.
__attribute__((unused)) static char *await_frame(int handle, size_t *size) {
    for (;;) {
        unsigned char *bytes;
        const int opcode = hear(handle, &bytes, size);
        if (opcode == OP_BINARY) {
            uint32_t magic, length;
            memcpy(&magic, bytes, 4);
            memcpy(&length, bytes + 4, 4);
            assert_int_equal(magic, 0x46574854);
            assert_true(8 + (size_t)length <= *size);
            memmove(bytes, bytes + 8, length);
            bytes[length] = 0;
            say_text(handle, "{\"type\":\"ack\"}");
            return (char *)bytes;
        }
        free(bytes);
        assert_true(opcode == OP_TEXT);
    }
}

__attribute__((unused)) static double number_in(const char *json, const char *key) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    assert_non_null(at);
    return strtod(at + strlen(quoted), NULL);
}

// 1009, 1008, ...: why the server has closed, 0 when it just hung up. Reads what comes before.
__attribute__((unused)) static int await_close(int handle) {
    for (;;) {
        unsigned char *bytes;
        size_t size;
        const int opcode = hear(handle, &bytes, &size);
        const int why = opcode == OP_CLOSE && size >= 2 ? bytes[0] << 8 | bytes[1] : 0;
        free(bytes);
        if (opcode == OP_CLOSE || opcode == 0)
            return why;
    }
}

#endif

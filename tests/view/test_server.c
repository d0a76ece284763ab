// SPDX-License-Identifier: Apache-2.0
// The server of `thaw view` against strangers: without the token nothing is sent, nothing sent to it makes it fall
// over or grow, and a page that does not read holds up no other. The program runs as it is, so a sanitizer sees all of
// it.
static const char program[] = THAW_PROGRAM;
#include "view/client.h"
#include <math.h>

static Server server;

static int set_up(void **state) {
    if (make_folder(state))
        return -1;
    write_scene(at("bar.json"), "1e5");
    write_text(at("page.html"), "<!doctype html><title>a page for tests</title>");
    server = start_server("@bar.json --page @page.html");
    return 0;
}

static int tear_down(void **state) {
    stop_server(&server);
    return drop_folder(state);
}

#define NEEDS_SERVER()                                                                                                 \
    if (!available)                                                                                                    \
    skip()

static void the_page_goes_to_who_has_the_token(void **state) {
    (void)state;
    NEEDS_SERVER();
    static char answer[ANSWER];
    char path[100];
    snprintf(path, sizeof path, "/?token=%s", server.token);
    assert_int_equal(get_page(&server, path, server.host, answer), 200);
    assert_non_null(strstr(answer, "<title>a page for tests</title>"));
    assert_non_null(strcasestr(answer, "content-security-policy: default-src 'none'"));
    assert_non_null(strcasestr(answer, "x-content-type-options: nosniff"));
    assert_non_null(strcasestr(answer, "cache-control: no-store"));
    char local[40];
    snprintf(local, sizeof local, "localhost:%d", server.port);
    assert_int_equal(get_page(&server, path, local, answer), 200);
}

static void the_browser_is_not_started_with_the_token(void **state) {
    (void)state;
    NEEDS_SERVER();
    char text[2048], path[1200];
    struct stat info;
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "");
    assert_int_equal(mkdir(at("bin"), 0700), 0);
    snprintf(text, sizeof text,
             "#!/bin/sh\necho \"$1\" > '%s/opened'\nls -ld \"$1\" \"${1%%/*}\" >> '%s/opened'\ncat \"$1\" >> "
             "'%s/opened'\necho done >> '%s/opened'\n",
             folder, folder, folder, folder);
    write_text(at("bin/xdg-open"), text);
    assert_int_equal(chmod(at("bin/xdg-open"), 0700), 0);
    snprintf(path, sizeof path, "%s/bin:%s", folder, kept);
    setenv("PATH", path, 1);
    setenv("DISPLAY", ":99", 1);
    const pid_t pid = start("view @bar.json --page @page.html", at("opens"));
    setenv("PATH", kept, 1);
    unsetenv("DISPLAY");
    free(kept);
    char *opened = NULL;
    size_t size;
    for (const double until = seconds() + 1e-3 * PATIENCE_MS;
         seconds() < until && !(opened && strstr(opened, "\ndone\n"));) {
        free(opened);
        usleep(10000);
        opened = slurp(at("opened"), &size);
    }
    assert_non_null(opened);
    char *line = strchr(opened, '\n');
    *line++ = 0;
    assert_null(strstr(opened, "token"));
    assert_non_null(strstr(line, "-rw-------"));
    assert_non_null(strstr(line, "drwx------"));
    assert_non_null(strstr(line, "url=http://127.0.0.1:"));
    kill(pid, SIGTERM);
    assert_int_equal(finish(pid), 0);
    assert_int_not_equal(stat(opened, &info), 0);
    free(opened);
}

static void nobody_else_gets_anything(void **state) {
    (void)state;
    NEEDS_SERVER();
    static char answer[ANSWER];
    char path[200], wrong[64];
    static const char *const bare[] = {"/", "/?token=", "/?token=0", "/?", "/stream", "/favicon.ico", "/?TOKEN=x"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        assert_int_equal(get_page(&server, bare[i], server.host, answer), 403);
    for (size_t i = 0; i < strlen(server.token); i += 7) { // each digit counts
        strcpy(wrong, server.token);
        wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
        snprintf(path, sizeof path, "/?token=%s", wrong);
        assert_int_equal(get_page(&server, path, server.host, answer), 403);
        assert_null(strstr(answer, server.token));
        assert_null(strstr(answer, "a page for tests"));
    }
    snprintf(path, sizeof path, "/?token=%s0", server.token);
    assert_int_equal(get_page(&server, path, server.host, answer), 403);
    // A name that someone made resolve to this machine.
    snprintf(path, sizeof path, "/?token=%s", server.token);
    char foreign[64];
    snprintf(foreign, sizeof foreign, "evil.example:%d", server.port);
    assert_int_equal(get_page(&server, path, foreign, answer), 403);
    assert_int_equal(get_page(&server, path, "127.0.0.1", answer), 403);
    // Other methods, and upgrades to something else.
    char request[500];
    int size = snprintf(request, sizeof request, "POST /?token=%s HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\n\r\nabc",
                        server.token, server.host);
    assert_int_not_equal(ask(&server, request, (size_t)size, answer), 200);
    size = snprintf(request, sizeof request,
                    "GET /?token=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
                    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
                    server.token, server.host);
    assert_int_not_equal(ask(&server, request, (size_t)size, answer), 101);
}

static void only_a_page_of_this_server_may_open_the_stream(void **state) {
    (void)state;
    NEEDS_SERVER();
    static const char *const origins[] = {"http://evil.example", "null",    "https://127.0.0.1",
                                          "http://127.0.0.1",    "file://", "http://"};
    int status;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        close(open_stream(&server, server.token, server.host, origins[i], &status));
        assert_int_equal(status, 403);
    }
    close(open_stream(&server, server.token, server.host, NULL, &status));
    assert_int_equal(status, 403);
    char origin[100];
    snprintf(origin, sizeof origin, "http://%s", server.host);
    close(open_stream(&server, "00000000000000000000000000000000", server.host, origin, &status));
    assert_int_equal(status, 403);
    close(open_stream(&server, server.token, "evil.example", "http://evil.example", &status));
    assert_int_equal(status, 403);
    close(join(&server));
}

static void no_path_leads_out(void **state) {
    (void)state;
    NEEDS_SERVER();
    static const char *const paths[] = {"/../../../../etc/passwd",
                                        "/..%2f..%2f..%2fetc/passwd",
                                        "/%2e%2e/%2e%2e/etc/passwd",
                                        "//etc/passwd",
                                        "/etc/passwd",
                                        "/./etc/passwd",
                                        "/stream/../../etc/passwd",
                                        "/\\..\\..\\etc\\passwd",
                                        "/%00/etc/passwd",
                                        "/page.html",
                                        "/index.html"};
    static char answer[ANSWER];
    char path[300];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        snprintf(path, sizeof path, "%s?token=%s", paths[i], server.token);
        const int status = get_page(&server, path, server.host, answer);
        if (status == 200 || strstr(answer, "root:") || strstr(answer, "a page for tests"))
            fail_msg("%s was answered with %d", paths[i], status);
        assert_int_equal(get_page(&server, paths[i], server.host, answer) == 200, 0);
    }
}

static void a_stream_begins_with_its_header_and_goes_on_with_frames(void **state) {
    (void)state;
    NEEDS_SERVER();
    const int handle = join(&server);
    char *hello = await(handle, "\"hello\"");
    assert_non_null(hello);
    assert_non_null(strstr(hello, "\"name\":\"bar\""));
    free(hello);
    size_t size;
    char *frame = await_frame(handle, &size);
    const double first = number_in(frame, "step");
    free(frame);
    for (int i = 0; i < 5; i++)
        free(await_frame(handle, &size));
    frame = await_frame(handle, &size);
    assert_true(number_in(frame, "step") > first);
    free(frame);
    close(handle);
}

static void what_makes_no_sense_is_answered_and_changes_nothing(void **state) {
    (void)state;
    NEEDS_SERVER();
    static const char *const wrong[] = {
        "{\"type\":\"fly\"}",
        "{\"type\":\"speed\",\"value\":-1}",
        "{\"type\":\"speed\",\"value\":\"fast\"}",
        "{\"type\":\"field\",\"name\":7}",
        "{\"type\":\"drag\",\"triangle\":1e9,\"bary\":[0,0,1],\"to\":[0,0,0]}",
        "{\"type\":\"drag\",\"triangle\":-1,\"bary\":[0,0,1],\"to\":[0,0,0]}",
        "{\"type\":\"drag\",\"triangle\":0,\"bary\":[9,9,9],\"to\":[0,0,0]}",
        "{\"type\":\"drag\",\"triangle\":0,\"bary\":[0,0,1],\"to\":[1e300,0,0]}",
        "{\"type\":\"drag\",\"view\":1,\"triangle\":0,\"bary\":[0,0,1],\"to\":[0,0,0]}",
        "{\"type\":\"pick\",\"element\":99999999}",
        "{\"type\":\"method\",\"name\":\"../../etc/passwd\"}",
        "{\"type\":\"settings\",\"values\":{\"tau_rigid\":-1}}",
        "{\"type\":\"settings\",\"values\":{\"secret\":1}}",
        "{\"type\":\"drop\",\"shape\":\"%s%s%s%n\",\"position\":[0,0,0]}",
        "{\"type\":\"drop\",\"shape\":\"bar\",\"position\":[0,0]}",
        "{\"type\":\"seek\",\"frame\":0}",
    };
    const int handle = join(&server);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_true(say_text(handle, wrong[i]));
        char *answer = await(handle, "\"error\"");
        if (!answer)
            fail_msg("no answer to %s", wrong[i]);
        free(answer);
    }
    close(handle);
}

static void every_request_of_a_page_works(void **state) {
    (void)state;
    NEEDS_SERVER();
    const int handle = join(&server);
    free(await(handle, "\"hello\""));
    say_text(handle, "{\"type\":\"pick\",\"triangle\":3}");
    char *answer = await(handle, "\"element\"");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "\"reason\""));
    free(answer);
    say_text(handle, "{\"type\":\"method\",\"name\":\"rigidify\"}");
    answer = await(handle, "\"method\":\"rigidify\"");
    assert_non_null(answer);
    free(answer);
    say_text(handle, "{\"type\":\"split\",\"on\":true}");
    answer = await(handle, "\"views\":[{\"name\":\"full\"},{\"name\":\"rigidify\"}]");
    assert_non_null(answer);
    free(answer);
    say_text(handle, "{\"type\":\"drop\",\"shape\":\"bar\",\"position\":[0,0,1]}");
    answer = await(handle, "bar, dropped 1");
    assert_non_null(answer);
    free(answer);
    say_text(handle, "{\"type\":\"drag\",\"triangle\":3,\"bary\":[0.2,0.3,0.5],\"to\":[0,0,2]}");
    say_text(handle, "{\"type\":\"interior\",\"on\":true}");
    answer = await(handle, "\"interior\":true");
    assert_non_null(answer);
    free(answer);
    say_text(handle, "{\"type\":\"release\"}");
    say_text(handle, "{\"type\":\"interior\",\"on\":false}");
    say_text(handle, "{\"type\":\"split\",\"on\":false}");
    say_text(handle, "{\"type\":\"reset\"}");
    say_text(handle, "{\"type\":\"pause\"}");
    answer = await(handle, "\"playing\":false");
    assert_non_null(answer);
    free(answer);
    say_text(handle, "{\"type\":\"step\"}");
    say_text(handle, "{\"type\":\"play\"}");
    answer = await(handle, "\"playing\":true");
    assert_non_null(answer);
    free(answer);
    close(handle);
}

static void messages_that_break_the_rules_end_the_connection(void **state) {
    (void)state;
    NEEDS_SERVER();
    char *large = calloc(1, 1 << 20);
    memset(large, ' ', 1 << 20);
    int handle = join(&server);
    say(handle, OP_TEXT, large, 1 << 20);
    assert_int_equal(await_close(handle), 1009);
    close(handle);
    handle = join(&server);
    say(handle, OP_TEXT, large, (16 << 10) + 1);
    assert_int_equal(await_close(handle), 1009);
    close(handle);
    handle = join(&server);
    say(handle, OP_BINARY, "abc", 3);
    assert_int_not_equal(await_close(handle), 1000);
    close(handle);
    static const char *const no_objects[] = {"", "[]", "7", "{", "{\"type\":7}", "{}", "\xff\xfe", "null", "\"play\""};
    for (size_t i = 0; i < sizeof no_objects / sizeof *no_objects; i++) {
        handle = join(&server);
        say_text(handle, no_objects[i]);
        assert_int_not_equal(await_close(handle), 1000);
        close(handle);
    }
    handle = join(&server);
    for (int i = 0; i < 1000; i++)
        if (!say_text(handle, "{\"type\":\"ack\"}"))
            break;
    await_close(handle);
    close(handle);
    free(large);
    assert_true(is_alive(&server));
}

static void a_hundred_at_once_are_let_in_up_to_the_limit(void **state) {
    (void)state;
    NEEDS_SERVER();
    enum { MANY = 100 };
    int handles[MANY], status, open = 0, refused = 0;
    char origin[100];
    snprintf(origin, sizeof origin, "http://%s", server.host);
    for (int i = 0; i < MANY; i++) {
        handles[i] = open_stream(&server, server.token, server.host, origin, &status);
        open += status == 101;
        refused += status == 503;
    }
    assert_int_equal(open, 16);
    assert_int_equal(refused, MANY - 16);
    for (int i = 0; i < MANY; i++)
        close(handles[i]);
    // And a hundred that connect and say nothing, while another one works.
    for (int i = 0; i < MANY; i++)
        handles[i] = dial(&server);
    static char answer[ANSWER];
    char path[100];
    snprintf(path, sizeof path, "/?token=%s", server.token);
    assert_int_equal(get_page(&server, path, server.host, answer), 200);
    for (int i = 0; i < MANY; i++)
        close(handles[i]);
    int handle = -1;
    for (int i = 0; i < 6000 && status != 101; i++) { // those that left may not be forgotten yet
        usleep(20000);
        handle = open_stream(&server, server.token, server.host, origin, &status);
        if (status != 101)
            close(handle);
    }
    assert_int_equal(status, 101);
    close(handle);
}

// --- seeded nonsense -------------------------------------------------------------------------------------------------

static size_t mutate(char *bytes, size_t size, size_t room, uint64_t *seed) {
    for (uint64_t times = 1 + draw(seed, 6); times > 0; times--) {
        const size_t at_byte = (size_t)draw(seed, size + 1);
        switch (draw(seed, 6)) {
        case 0: // another byte
            if (at_byte < size)
                bytes[at_byte] = (char)draw(seed, 256);
            break;
        case 1: // cut off
            if (draw(seed, 4) == 0)
                size = at_byte;
            break;
        case 2: { // some bytes go
            const size_t cut = (size_t)draw(seed, 8);
            if (at_byte + cut <= size) {
                memmove(bytes + at_byte, bytes + at_byte + cut, size - at_byte - cut);
                size -= cut;
            }
            break;
        }
        default: { // a stretch of it again
            const size_t from = (size_t)draw(seed, size + 1), most = size - from;
            const size_t count = (size_t)draw(seed, (most < 64 ? most : 64) + 1);
            char piece[64];
            if (size + count > room)
                break;
            memcpy(piece, bytes + from, count);
            memmove(bytes + at_byte + count, bytes + at_byte, size - at_byte);
            memcpy(bytes + at_byte, piece, count);
            size += count;
        }
        }
    }
    return size;
}

static void malformed_http_is_refused(void **state) {
    (void)state;
    NEEDS_SERVER();
    uint64_t seed = 20240307;
    char bytes[8192];
    for (int i = 0; i < 600; i++) {
        size_t size = (size_t)snprintf(
            bytes, 2000,
            "GET /%s?token=%s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
            "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nOrigin: http://%s\r\nCookie: a=b\r\n\r\n",
            i % 3 ? "stream" : "", i % 5 ? server.token : "0123", server.host, server.host);
        size = mutate(bytes, size, sizeof bytes, &seed);
        const int handle = dial(&server);
        assert_true(handle >= 0);
        give(handle, bytes, size);
        if (i % 4 == 0) { // some wait for an answer
            struct pollfd ready = {.fd = handle, .events = POLLIN};
            char part[512];
            if (poll(&ready, 1, 20) > 0)
                (void)!recv(handle, part, sizeof part, 0);
        }
        close(handle);
        assert_true(is_alive(&server));
    }
    // Headers without end.
    const int handle = dial(&server);
    give(handle, "GET / HTTP/1.1\r\n", 16);
    for (int i = 0; i < 2000; i++)
        if (!give(handle, "X-Padding: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n", 61))
            break;
    close(handle);
    assert_true(is_alive(&server));
}

static void malformed_frames_are_refused(void **state) {
    (void)state;
    NEEDS_SERVER();
    uint64_t seed = 77;
    char origin[100];
    snprintf(origin, sizeof origin, "http://%s", server.host);
    for (int i = 0; i < 400; i++) {
        int status;
        const int handle = open_stream(&server, server.token, server.host, origin, &status);
        if (status == 503) { // the ones before are still being taken leave of
            close(handle);
            usleep(5000);
            continue;
        }
        assert_int_equal(status, 101);
        char bytes[4096];
        size_t size = 0;
        for (uint64_t frames = 1 + draw(&seed, 5); frames > 0; frames--) {
            static const char *const texts[] = {"{\"type\":\"play\"}", "{\"type\":\"ack\",\"frame\":1}",
                                                "{\"type\":\"drag\",\"triangle\":1,\"bary\":[1,0,0],\"to\":[1,2,3]}",
                                                "{\"type\":\"pick\",\"triangle\":2}",
                                                "{\"type\":\"speed\",\"value\":2}"};
            const char *text = texts[draw(&seed, 5)];
            const size_t length = strlen(text);
            bytes[size++] = (char)(draw(&seed, 4) ? 0x81 : draw(&seed, 256)); // any opcode, reserved bits, fragments
            if (draw(&seed, 6) == 0) {                                        // any length
                bytes[size++] = (char)(draw(&seed, 2) ? 0xff : 0xfe);
                for (int k = 0; k < 8; k++)
                    bytes[size++] = (char)(draw(&seed, 2) ? 0 : draw(&seed, 256));
            } else {
                bytes[size++] = (char)((draw(&seed, 8) ? 0x80 : 0) | (length & 127)); // sometimes without a mask
            }
            memset(bytes + size, 0, 4);
            memcpy(bytes + size + 4, text, length);
            size += 4 + length;
        }
        if (i % 2)
            size = mutate(bytes, size, sizeof bytes, &seed);
        give(handle, bytes, size);
        if (i % 8 == 0)
            usleep(2000);
        close(handle);
        assert_true(is_alive(&server));
    }
    static char answer[ANSWER];
    char path[100];
    snprintf(path, sizeof path, "/?token=%s", server.token);
    assert_int_equal(get_page(&server, path, server.host, answer), 200);
}

// --- slow readers ----------------------------------------------------------------------------------------------------

// Whether a pull is refused because of another page. Two picks are waited for: by then an error has been sent as well.
static int is_refused(int handle) {
    int refused = 0;
    say_text(handle, "{\"type\":\"drag\",\"triangle\":0,\"bary\":[0,0,1],\"to\":[0,0,1]}");
    for (int picks = 0; picks < 2; picks++) {
        say_text(handle, "{\"type\":\"pick\",\"triangle\":0}");
        for (int found = 0; !found;) {
            unsigned char *bytes;
            size_t size;
            const int opcode = hear(handle, &bytes, &size);
            assert_true(opcode == OP_TEXT || opcode == OP_BINARY);
            refused |= opcode == OP_TEXT && strstr((char *)bytes, "another page") != NULL;
            found = opcode == OP_TEXT && strstr((char *)bytes, "\"type\":\"element\"") != NULL;
            free(bytes);
            if (opcode == OP_BINARY)
                say_text(handle, "{\"type\":\"ack\"}");
        }
    }
    return refused;
}

static void a_page_that_leaves_lets_go(void **state) {
    (void)state;
    NEEDS_SERVER();
    const int first = join(&server), second = join(&server);
    assert_false(is_refused(first));
    assert_true(is_refused(second));
    say_text(second, "{\"type\":\"release\"}");
    assert_true(is_refused(second));
    close(first);
    const double until = seconds() + 1e-3 * PATIENCE_MS;
    int refused = 1;
    while (refused && seconds() < until)
        refused = is_refused(second);
    assert_false(refused);
    close(second);
}

// CPU seconds of the server so far.
static double cpu_seconds(void) {
    char path[64];
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)server.pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel),
                     2);
    fclose(file);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static void a_page_that_does_not_draw_costs_no_time(void **state) {
    (void)state;
    NEEDS_SERVER();
    const int handle = join(&server);
    say_text(handle, "{\"type\":\"speed\",\"value\":0.01}"); // a step a second
    say_text(handle, "{\"type\":\"play\"}");
    usleep(2500000); // more frames than may be on the way
    const double before = cpu_seconds();
    usleep(1500000);
    const double idle = cpu_seconds() - before;
    say_text(handle, "{\"type\":\"speed\",\"value\":100}"); // and as fast as it goes, for comparison
    char *answer = await(handle, "\"speed\":100");
    assert_non_null(answer);
    free(answer);
    const double busy_before = cpu_seconds();
    for (int i = 0; i < 100; i++) { // a page that does draw
        size_t size;
        free(await_frame(handle, &size));
    }
    const double busy = cpu_seconds() - busy_before;
    say_text(handle, "{\"type\":\"speed\",\"value\":1}");
    answer = await(handle, "\"speed\":1.0");
    assert_non_null(answer);
    free(answer);
    close(handle);
    print_message("%.2f s of a core while there was nothing to do, %.2f s for a hundred frames\n", idle, busy);
    assert_true(idle <= busy / 2); // work against work: neither the load nor the speed of the machine matters
}

static double resident_mb(void) {
    char path[64], line[256];
    double kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)server.pid);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %lf", &kb);
    if (file)
        fclose(file);
    return kb / 1024;
}

// Reads frames until so many of them were of a later step than the one before; steps made in a second meanwhile.
static double read_frames(int handle, int count) {
    size_t size;
    const double begin = seconds();
    double made = 0, last = INFINITY;
    for (int i = 0; i < count;) {
        char *frame = await_frame(handle, &size);
        const double step = number_in(frame, "step");
        made += step > last ? step - last : 0; // a reset goes back, and a frame may come twice
        i += step > last;
        last = step;
        free(frame);
    }
    return made / (seconds() - begin);
}

static void who_does_not_read_holds_up_nobody(void **state) {
    (void)state;
    NEEDS_SERVER();
    const int reader = join(&server);
    free(await(reader, "\"hello\""));
    say_text(reader, "{\"type\":\"reset\"}");
    say_text(reader, "{\"type\":\"play\"}");
    say_text(reader, "{\"type\":\"speed\",\"value\":100}");
    const double alone = read_frames(reader, 30);
    int idle[10];
    for (int i = 0; i < 10; i++) { // some say that they have drawn what they never read
        idle[i] = join(&server);
        for (int k = 0; k < 100 && i % 2; k++)
            say_text(idle[i], "{\"type\":\"ack\"}");
    }
    const double before = resident_mb(), together = read_frames(reader, 30), after = resident_mb();
    for (int i = 0; i < 10; i++)
        close(idle[i]);
    close(reader);
    print_message("%g steps a second with idle pages, %g without\n", together, alone);
    assert_true(after < before + 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_goes_to_who_has_the_token),
        cmocka_unit_test(the_browser_is_not_started_with_the_token),
        cmocka_unit_test(nobody_else_gets_anything),
        cmocka_unit_test(only_a_page_of_this_server_may_open_the_stream),
        cmocka_unit_test(no_path_leads_out),
        cmocka_unit_test(a_stream_begins_with_its_header_and_goes_on_with_frames),
        cmocka_unit_test(what_makes_no_sense_is_answered_and_changes_nothing),
        cmocka_unit_test(every_request_of_a_page_works),
        cmocka_unit_test(messages_that_break_the_rules_end_the_connection),
        cmocka_unit_test(a_page_that_leaves_lets_go),
        cmocka_unit_test(a_page_that_does_not_draw_costs_no_time),
        cmocka_unit_test(a_hundred_at_once_are_let_in_up_to_the_limit),
        cmocka_unit_test(malformed_http_is_refused),
        cmocka_unit_test(malformed_frames_are_refused),
        cmocka_unit_test(who_does_not_read_holds_up_nobody),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

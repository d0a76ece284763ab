// SPDX-License-Identifier: Apache-2.0
// Whatever the program prints goes through one function, whoever prints it. Scenes, meshes, checkpoints and names of
// files come from anywhere, and a terminal obeys what it is sent: escape sequences move the cursor, rewrite lines that
// were read already, or paste into the next command. So standard output and standard error become streams that let
// through lines, tabs and letters only. Other control characters are shown by their numbers (\x1b); what is no UTF-8,
// or turns the direction of a line around, by the mark that Unicode has for that. The bar of progress.c is our own and
// has the terminal for itself.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "app.h"

enum { LONGEST = 4, SHOWN = 4 }; // bytes of a character, and of what is shown for one byte

typedef struct Outlet {
    int handle;
    unsigned char part[LONGEST]; // the beginning of a character
    size_t parts;
} Outlet;

// How many bytes a character has that begins like this; 0: none does.
static size_t length_of(unsigned char first) {
    return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
}

// Of a whole character of two bytes or more: what steers a terminal or the direction of writing, or should not exist.
static int is_harmful(const unsigned char *c, size_t length) {
    unsigned code = c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (c[i] & 0x3fu);
    static const unsigned first[] = {0, 0x80, 0x800, 0x10000};
    return code < first[length - 1] || code < 0xa0 || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
           code == 0x61c || (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

size_t app_printable(const char *text, size_t size, char *to) {
    static const char replacement[] = "\xef\xbf\xbd";
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        const unsigned char *c = (const unsigned char *)text + i;
        const size_t length = length_of(*c);
        size_t found = length > 0;
        while (found > 0 && found < length && i + found < size && (c[found] & 0xc0) == 0x80)
            found++;
        if (length == 1 && (*c >= 0x20 || *c == '\n' || *c == '\t') && *c != 0x7f) {
            to[used++] = (char)*c;
        } else if (length == 1) {
            used += (size_t)sprintf(to + used, "\\x%02x", *c);
        } else if (length > 1 && found == length && !is_harmful(c, length)) {
            memcpy(to + used, c, length);
            used += length;
        } else {
            memcpy(to + used, replacement, 3);
            used += 3;
        }
        i += found > 0 ? found : 1;
    }
    return used;
}

// The start of a character that is not yet whole stays behind.
static size_t unfinished(const char *text, size_t size) {
    for (size_t back = 1; back < LONGEST && back <= size; back++) {
        const unsigned char c = (unsigned char)text[size - back];
        if ((c & 0xc0) != 0x80)
            return length_of(c) > back ? back : 0;
    }
    return 0;
}

static int put_all(int handle, const char *text, size_t size) {
    while (size > 0) {
        const ssize_t done = write(handle, text, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return 0;
        text += done;
        size -= (size_t)done;
    }
    return 1;
}

static ssize_t put(void *cookie, const char *text, size_t size) {
    enum { PIECE = 1024 };
    Outlet *outlet = cookie;
    char from[LONGEST + PIECE], to[SHOWN * (LONGEST + PIECE) + 1];
    for (size_t at = 0; at < size;) {
        size_t count = outlet->parts, more = size - at < PIECE ? size - at : PIECE;
        memcpy(from, outlet->part, count);
        memcpy(from + count, text + at, more);
        count += more;
        at += more;
        outlet->parts = unfinished(from, count);
        count -= outlet->parts;
        memcpy(outlet->part, from + count, outlet->parts);
        if (!put_all(outlet->handle, to, app_printable(from, count, to)))
            return 0;
    }
    return (ssize_t)size;
}

// Descriptors 0 to 2 that are closed would go to the next files that are opened, and lines for the user into their
// middle.
static void open_missing(void) {
    for (int handle = open("/dev/null", O_RDWR); handle >= 0; handle = dup(handle))
        if (handle > 2) {
            close(handle);
            return;
        }
}

void app_prepare_output(void) {
    static Outlet outlets[2] = {{.handle = STDOUT_FILENO}, {.handle = STDERR_FILENO}};
    const cookie_io_functions_t functions = {.write = put};
    open_missing();
    FILE *out = fopencookie(&outlets[0], "w", functions), *err = fopencookie(&outlets[1], "w", functions);
    if (!out || !err) // then they stay as they are
        return;
    setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(err, NULL, _IOLBF, BUFSIZ);
    stdout = out;
    stderr = err;
}

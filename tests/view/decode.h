// SPDX-License-Identifier: Apache-2.0
// A reader of docs/viewer-protocol.md for tests, written from that page alone.
#ifndef THAW_TEST_DECODE_H
#define THAW_TEST_DECODE_H

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct Frame {
    json_t *header;
    const unsigned char *payload;
    size_t size;
} Frame;

__attribute__((unused)) static Frame read_frame(const unsigned char *bytes, size_t size) {
    uint32_t magic, length;
    json_error_t why;
    assert_true(size >= 8);
    memcpy(&magic, bytes, 4);
    memcpy(&length, bytes + 4, 4);
    assert_int_equal(magic, 0x46574854);
    assert_int_equal(length % 4, 0);
    assert_true(8 + (size_t)length <= size);
    Frame frame = {.header = json_loadb((const char *)bytes + 8, length, 0, &why),
                   .payload = bytes + 8 + length,
                   .size = size - 8 - length};
    if (!frame.header)
        fail_msg("the frame's header is no JSON: %s", why.text);
    assert_int_equal(json_integer_value(json_object_get(frame.header, "bytes")), frame.size);
    return frame;
}

__attribute__((unused)) static const json_t *section_of(const Frame *frame, const char *name) {
    const json_t *sections = json_object_get(frame->header, "sections");
    for (size_t i = 0; i < json_array_size(sections); i++) {
        const json_t *section = json_array_get(sections, i);
        if (strcmp(json_string_value(json_object_get(section, "name")), name) == 0)
            return section;
    }
    return NULL;
}

__attribute__((unused)) static int integer_of(const json_t *object, const char *key) {
    assert_true(json_is_integer(json_object_get(object, key)));
    return (int)json_integer_value(json_object_get(object, key));
}

// All numbers of a section, item by item. q: those of the section's previous frame, replaced by those of this one.
__attribute__((unused)) static double *read_section(const Frame *frame, const char *name, uint32_t *q, int *count) {
    const json_t *s = section_of(frame, name);
    if (!s)
        fail_msg("there is no section %s", name);
    const int items = integer_of(s, "count"), components = integer_of(s, "components"),
              offset = integer_of(s, "offset");
    const char *type = json_string_value(json_object_get(s, "type"));
    const int bytes = strcmp(type, "u8") == 0 ? 1 : strcmp(type, "u16") == 0 ? 2 : 4;
    const uint32_t most = bytes == 1 ? 255 : 65535;
    const json_t *low = json_object_get(s, "low"), *high = json_object_get(s, "high");
    const int planes = json_is_true(json_object_get(s, "planes")), delta = json_is_true(json_object_get(s, "delta"));
    const int logarithmic = json_is_true(json_object_get(s, "log"));
    assert_int_equal(offset % 4, 0);
    assert_true((size_t)offset + (size_t)bytes * (size_t)items * (size_t)components <= frame->size);
    const unsigned char *at = frame->payload + offset;
    double *values = calloc((size_t)items * (size_t)components + 1, sizeof *values);
    *count = items;
    for (int i = 0; i < items; i++)
        for (int k = 0; k < components; k++) {
            const size_t place = (size_t)i * (size_t)components + (size_t)k;
            double *value = &values[place];
            if (bytes == 4) {
                float number;
                memcpy(&number, at + 4 * place, 4);
                *value = number;
                continue;
            }
            uint32_t number;
            if (planes) {
                const unsigned char *plane = at + (size_t)k * (size_t)items * (size_t)bytes;
                number = plane[i] | (bytes == 2 ? (uint32_t)plane[items + i] << 8 : 0);
            } else {
                number = at[place * (size_t)bytes] | (bytes == 2 ? (uint32_t)at[2 * place + 1] << 8 : 0);
            }
            if (delta) {
                assert_non_null(q);
                number = (number + q[place]) & most;
            }
            if (q)
                q[place] = number;
            if (!low) {
                *value = number == most ? -1 : (double)number;
                continue;
            }
            const double a = json_number_value(json_array_get(low, (size_t)k)),
                         b = json_number_value(json_array_get(high, (size_t)k));
            *value = a + (b - a) * number / most;
            if (logarithmic)
                *value = number == 0 ? 0 : pow(10, *value);
        }
    return values;
}

__attribute__((unused)) static unsigned char *decode_base64(const char *text, size_t length, size_t *size) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *bytes = malloc(length / 4 * 3 + 4);
    assert_int_equal(length % 4, 0);
    *size = 0;
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;
        int used = 0;
        for (int k = 0; k < 4; k++) {
            const char *letter = text[i + (size_t)k] == '=' ? NULL : strchr(letters, text[i + (size_t)k]);
            assert_true(letter || (text[i + (size_t)k] == '=' && i + 4 == length));
            group = group << 6 | (letter ? (uint32_t)(letter - letters) : 0);
            used += letter != NULL;
        }
        for (int k = 0; k < used - 1; k++)
            bytes[(*size)++] = (unsigned char)(group >> (16 - 8 * k));
    }
    return bytes;
}

__attribute__((unused)) static unsigned char *inflate_all(const unsigned char *bytes, size_t size, size_t *result) {
    z_stream stream = {.next_in = (unsigned char *)bytes, .avail_in = (uInt)size};
    size_t room = 1 << 20;
    unsigned char *out = malloc(room);
    assert_int_equal(inflateInit2(&stream, -15), Z_OK);
    for (int status = Z_OK; status == Z_OK;) {
        if (stream.total_out == room)
            out = realloc(out, room *= 2);
        stream.next_out = out + stream.total_out;
        stream.avail_out = (uInt)(room - stream.total_out);
        status = inflate(&stream, Z_NO_FLUSH);
        assert_true(status == Z_OK || status == Z_STREAM_END);
    }
    *result = stream.total_out;
    inflateEnd(&stream);
    return out;
}

#endif

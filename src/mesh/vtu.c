// SPDX-License-Identifier: Apache-2.0
// VTU, VTK's XML format of unstructured grids. An array is text between its tags, base64 between its tags, or lies in
// the appended part at an offset, raw or in base64. Binary data begin with their length, or, compressed, with a table
//     number of blocks, size of a block, size of the last block (0: it is whole), compressed size of each block
// of unsigned numbers of the header's type. In base64 the table is a text of its own, closed by padding.
//
// Tags are taken one after the other (mesh/xml.h), and everything unknown is passed over.
// Nothing is trusted: a length must be what the counts of points and cells ask for before memory is made for it.
// Linear.
#include "mesh/vtu.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "mesh/xml.h"

void thaw_vtu_free(ThawVtu *vtu) {
    thaw_free(vtu->arrays);
    *vtu = (ThawVtu){0};
}

const ThawVtuArray *thaw_vtu_find(const ThawVtu *vtu, ThawVtuPlace place, const char *name) {
    for (int i = 0; i < vtu->array_count; i++)
        if (vtu->arrays[i].place == place && (!name || strcmp(vtu->arrays[i].name, name) == 0))
            return vtu->arrays + i;
    return NULL;
}

// --- attributes ------------------------------------------------------------------------------------------------------

static int is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A whole number in an attribute; `missing` when there is none.
static uint64_t attribute_number(ThawText *text, const ThawTag *tag, const char *name, uint64_t missing) {
    const ThawToken token = thaw_tag_attribute(tag, name);
    uint64_t value = 0;
    if (!token.start)
        return missing;
    for (size_t i = 0; i < token.length; i++) {
        const int digit = token.start[i] - '0';
        if (digit < 0 || digit > 9 || value > (UINT64_MAX >> 1) / 10 - 1) {
            thaw_text_fail(text, "%s is \"%.*s\"; allowed are whole numbers", name,
                           (int)(token.length < 40 ? token.length : 40), token.start);
            return missing;
        }
        value = 10 * value + (uint64_t)digit;
    }
    return token.length ? value : missing;
}

// Names may hold &amp; and its kin.
static void copy_name(ThawToken token, char *name, size_t room) {
    static const struct {
        const char *code;
        char letter;
    } entity[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    size_t used = 0;
    for (size_t i = 0; i < token.length && used + 1 < room; used++) {
        size_t step = 1;
        name[used] = token.start[i] ? token.start[i] : '?';
        for (size_t e = 0; e < sizeof entity / sizeof *entity; e++) {
            const size_t length = strlen(entity[e].code);
            if (token.length - i >= length && memcmp(token.start + i, entity[e].code, length) == 0) {
                name[used] = entity[e].letter;
                step = length;
            }
        }
        i += step;
    }
    name[used] = 0;
}

// --- the file --------------------------------------------------------------------------------------------------------

static void read_file_tag(ThawVtu *vtu, const ThawTag *tag) {
    ThawText *text = vtu->text;
    const ThawToken type = thaw_tag_attribute(tag, "type"), order = thaw_tag_attribute(tag, "byte_order"),
                    header = thaw_tag_attribute(tag, "header_type"), compressor = thaw_tag_attribute(tag, "compressor");
    if (!type.start || !thaw_token_is(type, "UnstructuredGrid"))
        thaw_text_fail(text, "the type of the file is \"%.*s\"; allowed is UnstructuredGrid",
                       (int)(type.length < 40 ? type.length : 40), type.start ? type.start : "");
    text->swapped = order.start && thaw_token_is(order, "BigEndian");
    vtu->header_size = header.start && thaw_token_is(header, "UInt64") ? 8 : 4;
    vtu->compressed = compressor.start != NULL;
    if (vtu->compressed && !thaw_token_is(compressor, "vtkZLibDataCompressor"))
        thaw_text_fail(text, "the compressor is \"%.*s\"; allowed are vtkZLibDataCompressor and none",
                       (int)(compressor.length < 40 ? compressor.length : 40), compressor.start);
}

static void read_type(const ThawTag *tag, ThawVtuArray *array) {
    static const struct {
        const char *name;
        char kind;
        int size;
    } types[] = {{"Float64", 'f', 8}, {"Float32", 'f', 4}, {"Int64", 'i', 8},  {"Int32", 'i', 4},  {"Int16", 'i', 2},
                 {"Int8", 'i', 1},    {"UInt64", 'u', 8},  {"UInt32", 'u', 4}, {"UInt16", 'u', 2}, {"UInt8", 'u', 1}};
    const ThawToken type = thaw_tag_attribute(tag, "type");
    for (size_t i = 0; type.start && i < sizeof types / sizeof *types; i++)
        if (thaw_token_is(type, types[i].name)) {
            array->kind = types[i].kind;
            array->size = types[i].size;
        }
}

static void read_array_tag(ThawVtu *vtu, const ThawTag *tag, ThawVtuPlace place) {
    ThawText *text = vtu->text;
    ThawVtuArray array = {.place = place, .line = text->token_line};
    const ThawToken format = thaw_tag_attribute(tag, "format"), name = thaw_tag_attribute(tag, "Name");
    read_type(tag, &array);
    if (name.start)
        copy_name(name, array.name, sizeof array.name);
    array.components = (int64_t)attribute_number(text, tag, "NumberOfComponents", 1);
    array.format = format.start && thaw_token_is(format, "appended") ? THAW_VTU_APPENDED
                   : format.start && thaw_token_is(format, "binary") ? THAW_VTU_BINARY
                                                                     : THAW_VTU_ASCII;
    if (array.format == THAW_VTU_APPENDED)
        array.offset = attribute_number(text, tag, "offset", 0);
    array.content = array.content_end = tag->end + 1;
    if (!tag->empty) {
        const char *end = memchr(text->at, '<', (size_t)(text->end - text->at));
        array.content = text->at;
        array.content_end = end ? end : text->end;
    }
    if (!text->status && vtu->array_count == vtu->array_room) {
        const int room = vtu->array_room ? 2 * vtu->array_room : 16;
        ThawVtuArray *more = thaw_regrow(vtu->arrays, (size_t)vtu->array_count, (size_t)room, sizeof *more);
        if (!more) {
            text->status = thaw_error_memory(text->error, "the arrays of a mesh file");
            return;
        }
        vtu->arrays = more;
        vtu->array_room = room;
    }
    if (!text->status)
        vtu->arrays[vtu->array_count++] = array;
}

static void read_appended_tag(ThawVtu *vtu, const ThawTag *tag) {
    ThawText *text = vtu->text;
    const ThawToken encoding = thaw_tag_attribute(tag, "encoding");
    const char *mark = memchr(text->at, '_', (size_t)(text->end - text->at));
    if (!mark) {
        thaw_text_fail(text, "the appended data do not begin with an underscore");
        return;
    }
    vtu->appended_base64 = encoding.start && thaw_token_is(encoding, "base64");
    vtu->appended = mark + 1;
    vtu->appended_end = text->at = text->end;
}

ThawStatus thaw_vtu_open(ThawText *text, ThawVtu *vtu) {
    static const char *const places[THAW_VTU_PLACE_COUNT] = {"Points", "Cells", "PointData", "CellData", "FieldData"};
    *vtu = (ThawVtu){.text = text};
    int place = -1, pieces = 0, whole = 0;
    ThawTag tag;
    while (!text->status && thaw_xml_next(text, &tag)) {
        for (int p = 0; p < THAW_VTU_PLACE_COUNT; p++)
            if (thaw_tag_is(&tag, places[p]))
                place = tag.closing || tag.empty ? -1 : p;
        if (tag.closing) {
            whole |= thaw_tag_is(&tag, "Piece");
            continue;
        }
        if (thaw_tag_is(&tag, "VTKFile"))
            read_file_tag(vtu, &tag);
        else if (!vtu->header_size)
            thaw_text_fail(text, "a tag comes before <VTKFile>; it must be the first");
        else if (thaw_tag_is(&tag, "Piece") && pieces++)
            thaw_text_fail(text, "the grid has several pieces; allowed is one");
        else if (thaw_tag_is(&tag, "Piece")) {
            vtu->point_count = attribute_number(text, &tag, "NumberOfPoints", 0);
            vtu->cell_count = attribute_number(text, &tag, "NumberOfCells", 0);
        } else if (thaw_tag_is(&tag, "DataArray") && place >= 0)
            read_array_tag(vtu, &tag, (ThawVtuPlace)place);
        else if (thaw_tag_is(&tag, "AppendedData"))
            read_appended_tag(vtu, &tag);
    }
    if (!pieces)
        thaw_text_fail(text, "the file has no <Piece>");
    else if (!whole)
        thaw_text_fail(text, "the file ends before </Piece>");
    return text->status;
}

// --- bytes -----------------------------------------------------------------------------------------------------------

static int sextet(char c) {
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

// A stretch of encoded data that is read from the front.
typedef struct Source {
    const ThawVtu *vtu;
    const ThawVtuArray *array;
    const char *at, *end;
    int base64;
} Source;

static ThawStatus refuse(const ThawVtu *vtu, const ThawVtuArray *array, const char *what) {
    vtu->text->token_line = array->line;
    return thaw_text_fail(vtu->text, "the array \"%.100s\" %s", array->name, what);
}

// The next `size` bytes; base64 text is decoded up to the end of its last group of four letters.
static ThawStatus take(Source *s, uint64_t size, char *out) {
    if (!s->base64) {
        if (size > (uint64_t)(s->end - s->at))
            return refuse(s->vtu, s->array, "goes on behind the end of its data");
        memcpy(out, s->at, size);
        s->at += size;
        return THAW_OK;
    }
    for (uint64_t done = 0; done < size;) {
        uint32_t group = 0;
        int letters = 0, padding = 0;
        while (s->at < s->end && letters < 4) {
            const char c = *s->at++;
            if (is_space(c))
                continue;
            const int value = c == '=' ? 0 : sextet(c);
            if (value < 0)
                return refuse(s->vtu, s->array, "has a letter that is not base64");
            padding += c == '=';
            group = group << 6 | (uint32_t)value;
            letters++;
        }
        if (letters < 4)
            return refuse(s->vtu, s->array, "goes on behind the end of its data");
        for (int k = 0; k < 3 - padding && done < size; k++)
            out[done++] = (char)(group >> (16 - 8 * k));
        if (padding && done < size)
            return refuse(s->vtu, s->array, "is shorter than its header says");
    }
    return THAW_OK;
}

// Bytes still to be had, at most.
static uint64_t left(const Source *s) { return (uint64_t)(s->end - s->at); }

static uint64_t header_number(const Source *s, const char *raw) {
    return (uint64_t)thaw_raw_integer(raw, 'u', s->vtu->header_size, s->vtu->text->swapped);
}

static ThawStatus take_plain(Source *s, uint64_t size, char **out) {
    char raw[8];
    ThawStatus status;
    // Header and data are one stretch of base64, so they are decoded as one.
    const uint64_t header = (uint64_t)s->vtu->header_size;
    if (size > left(s))
        return refuse(s->vtu, s->array, "is shorter than the counts of points and cells ask for");
    if (!(*out = THAW_NEW(char, size + header)))
        return s->vtu->text->status = thaw_error_memory(s->vtu->text->error, "an array of a mesh file");
    Source look = *s;
    status = take(&look, header, raw);
    if (!status && header_number(s, raw) != size)
        status = refuse(s->vtu, s->array, "has another length than the counts of points and cells ask for");
    if (!status)
        status = take(s, size + header, *out);
    if (!status)
        memmove(*out, *out + header, size);
    return status;
}

static ThawStatus inflate_blocks(Source *s, const char *table, uint64_t blocks, uint64_t block, uint64_t last,
                                 char *out) {
    const uint64_t header = (uint64_t)s->vtu->header_size;
    uint64_t packed_size = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t length = header_number(s, table + b * header);
        if (length > left(s) || (packed_size += length) > left(s))
            return refuse(s->vtu, s->array, "goes on behind the end of its data");
    }
    char *packed = THAW_NEW(char, packed_size);
    if (!packed)
        return s->vtu->text->status = thaw_error_memory(s->vtu->text->error, "an array of a mesh file");
    ThawStatus status = take(s, packed_size, packed);
    const char *at = packed;
    for (uint64_t b = 0; b < blocks && !status; b++) {
        const uint64_t length = header_number(s, table + b * header), want = b + 1 < blocks ? block : last;
        uLongf got = (uLongf)want;
        if (uncompress((Bytef *)out, &got, (const Bytef *)at, (uLong)length) != Z_OK || got != want)
            status = refuse(s->vtu, s->array, "is damaged: it cannot be decompressed");
        at += length;
        out += want;
    }
    thaw_free(packed);
    return status;
}

static ThawStatus take_compressed(Source *s, uint64_t size, char **out) {
    const uint64_t header = (uint64_t)s->vtu->header_size;
    char first[24];
    Source look = *s;
    ThawStatus status = take(&look, 3 * header, first);
    if (status)
        return status;
    const uint64_t blocks = header_number(s, first), block = header_number(s, first + header);
    const uint64_t rest = header_number(s, first + 2 * header), last = rest ? rest : block;
    // A byte of zlib's becomes at most 1032.
    if (blocks > left(s) / header || size / 1032 > left(s) || (blocks > 1 && block > size / (blocks - 1)) ||
        last > size || (blocks ? (blocks - 1) * block + last : 0) != size)
        return refuse(s->vtu, s->array, "has another length than the counts of points and cells ask for");
    char *table = THAW_NEW(char, (3 + blocks) * header);
    *out = THAW_NEW(char, size);
    if (!table || !*out)
        status = s->vtu->text->status = thaw_error_memory(s->vtu->text->error, "an array of a mesh file");
    if (!status)
        status = take(s, (3 + blocks) * header, table);
    if (!status)
        status = inflate_blocks(s, table + 3 * header, blocks, block, last, *out);
    thaw_free(table);
    return status;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

static ThawStatus read_ascii(const ThawVtu *vtu, const ThawVtuArray *array, uint64_t count, double **values) {
    ThawText part = *vtu->text; // the same file, from here to there
    part.at = array->content;
    part.end = array->content_end;
    part.line = array->line;
    part.comment = 0;
    part.in_record = 0;
    if (count > (uint64_t)(part.end - part.at) / 2 + 1)
        return refuse(vtu, array, "is shorter than the counts of points and cells ask for");
    if (!(*values = THAW_NEW(double, count)))
        return vtu->text->status = thaw_error_memory(vtu->text->error, "an array of a mesh file");
    for (uint64_t i = 0; i < count && !part.status; i++)
        (*values)[i] = thaw_text_number(&part, "a number of an array");
    if (!part.status && !thaw_text_done(&part))
        return refuse(vtu, array, "is longer than the counts of points and cells ask for");
    return vtu->text->status = part.status;
}

static ThawStatus read_binary(const ThawVtu *vtu, const ThawVtuArray *array, uint64_t count, double **values) {
    Source source = {.vtu = vtu, .array = array, .at = array->content, .end = array->content_end, .base64 = 1};
    if (array->format == THAW_VTU_APPENDED) {
        if (!vtu->appended || array->offset > (uint64_t)(vtu->appended_end - vtu->appended))
            return refuse(vtu, array, "begins behind the end of the file");
        source.at = vtu->appended + array->offset;
        source.end = vtu->appended_end;
        source.base64 = vtu->appended_base64;
    }
    char *bytes = NULL;
    const size_t size = (size_t)array->size;
    ThawStatus status = (vtu->compressed ? take_compressed : take_plain)(&source, count * size, &bytes);
    if (!status && !(*values = THAW_NEW(double, count)))
        status = vtu->text->status = thaw_error_memory(vtu->text->error, "an array of a mesh file");
    for (uint64_t i = 0; i < count && !status; i++)
        (*values)[i] = thaw_raw_number(bytes + size * i, array->kind, array->size, vtu->text->swapped);
    thaw_free(bytes);
    return status;
}

// Deflate packs zeros a thousandfold, so a small file could ask for all memory there is. Real meshes shrink to a half
// or a tenth. What compressed arrays become is counted over the whole file, before any of it is made.
static ThawStatus check_unpacked(const ThawVtu *vtu, const ThawVtuArray *array, uint64_t count) {
    enum { FACTOR = 200 };
    static const uint64_t free_of_question = (uint64_t)256 << 20, most = (uint64_t)16 << 30;
    ThawText *text = vtu->text;
    const uint64_t size = FACTOR * (uint64_t)(text->end - text->bytes);
    const uint64_t limit = text->unpack_limit        ? text->unpack_limit
                           : size < free_of_question ? free_of_question
                           : size < most             ? size
                                                     : most;
    text->unpacked += count * sizeof(double);
    if (text->unpacked <= limit)
        return THAW_OK;
    text->token_line = array->line;
    return thaw_text_fail(text,
                          "with the array \"%.100s\" the file unpacks to %" PRIu64 " MiB from %" PRIu64
                          " KiB; allowed: %" PRIu64 " MiB. If it is meant so, allow more: unpack_limit, or of "
                          "the program THAW_UNPACK_LIMIT=%" PRIu64 " (MiB) in the environment",
                          array->name, text->unpacked >> 20, (uint64_t)(text->end - text->bytes) >> 10, limit >> 20,
                          (text->unpacked >> 19) + 1);
}

ThawStatus thaw_vtu_numbers(const ThawVtu *vtu, const ThawVtuArray *array, uint64_t count, double **values) {
    *values = NULL;
    if (vtu->text->status)
        return vtu->text->status;
    if (!array->kind)
        return refuse(vtu, array, "has a type that is not known; allowed are Float and Int types");
    if (count > UINT64_MAX >> 8)
        return refuse(vtu, array, "is shorter than the counts of points and cells ask for");
    if (vtu->compressed && array->format != THAW_VTU_ASCII && check_unpacked(vtu, array, count))
        return vtu->text->status;
    const ThawStatus status = (array->format == THAW_VTU_ASCII ? read_ascii : read_binary)(vtu, array, count, values);
    if (status) {
        thaw_free(*values);
        *values = NULL;
    }
    return status;
}

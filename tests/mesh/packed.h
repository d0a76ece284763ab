// SPDX-License-Identifier: Apache-2.0
// Compressed VTU files that are small and become large. Behind cmocka.h.
#ifndef THAW_TESTS_MESH_PACKED_H
#define THAW_TESTS_MESH_PACKED_H

#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

enum { BLOCK = 1 << 20 }; // bytes

// An array of zeros: table, then the same packed block again and again.
static inline void write_zeros(FILE *file, uint64_t size) {
    static unsigned char zeros[BLOCK], packed[BLOCK];
    uLongf whole = sizeof packed, part = sizeof packed;
    const uint64_t blocks = (size + BLOCK - 1) / BLOCK, rest = size % BLOCK;
    assert_int_equal(compress2(packed, &whole, zeros, BLOCK, 9), Z_OK);
    assert_int_equal(fwrite((const uint64_t[]){blocks, BLOCK, rest}, 8, 3, file), 3);
    unsigned char last[4096];
    part = sizeof last;
    assert_int_equal(compress2(last, &part, zeros, rest, 9), Z_OK);
    for (uint64_t b = 0; b < blocks; b++)
        fwrite(&(uint64_t){b + 1 < blocks || !rest ? whole : part}, 8, 1, file);
    for (uint64_t b = 0; b < blocks; b++)
        if (b + 1 < blocks || !rest)
            fwrite(packed, 1, whole, file);
        else
            fwrite(last, 1, part, file);
}

// One element, and points that are all zeros.
static inline void write_bomb(const char *path, uint64_t points) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file,
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
            "compressor=\"vtkZLibDataCompressor\"><UnstructuredGrid><Piece NumberOfPoints=\"%llu\" NumberOfCells=\"1\">"
            "<Points><DataArray type=\"Float32\" Name=\"Points\" NumberOfComponents=\"3\" format=\"appended\" "
            "offset=\"0\"/>"
            "</Points><Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>"
            "<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">4</DataArray><DataArray type=\"UInt8\" "
            "Name=\"types\" format=\"ascii\">10</DataArray></Cells></Piece></UnstructuredGrid><AppendedData "
            "encoding=\"raw\">_",
            (unsigned long long)points);
    write_zeros(file, 12 * points);
    fprintf(file, "</AppendedData></VTKFile>");
    assert_int_equal(fclose(file), 0);
}

#endif

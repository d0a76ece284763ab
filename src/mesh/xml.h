// SPDX-License-Identifier: Apache-2.0
// The tags of an XML file, one after the other: enough for grids (vtu.c) and drawings (read_svg.c).
#ifndef THAW_MESH_XML_H
#define THAW_MESH_XML_H

#include "mesh/text.h"

typedef struct ThawTag {
    const char *start, *end; // behind '<', and at '>'
    int closing, empty;      // </...>, <.../>
} ThawTag;

// The next tag; comments, declarations and text before it are passed over. Returns 0 at the end of the file.
int thaw_xml_next(ThawText *text, ThawTag *tag);
int thaw_tag_is(const ThawTag *tag, const char *name);
// The value of an attribute as it is written, without its quotes; start NULL when there is none.
ThawToken thaw_tag_attribute(const ThawTag *tag, const char *name);

#endif

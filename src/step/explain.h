// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_EXPLAIN_H
#define THAW_EXPLAIN_H

#include "step/step.h"
#include "thaw/field.h"

// The report of an element by its internal number. The rate of a full body is left NAN: it is not kept.
void thaw_body_explain(const ThawWorld *world, int32_t body, int32_t element, ThawElementReport *report);

// Of a sheet, by the mesh's elements: the share of the squared strain rate of the last step that was bending, 0 where
// nothing deformed; 0 of a solid.
ThawStatus thaw_body_bending(const ThawWorld *world, int32_t body, double *values);

#endif

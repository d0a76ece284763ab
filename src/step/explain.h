// SPDX-License-Identifier: Apache-2.0
#ifndef THAW_EXPLAIN_H
#define THAW_EXPLAIN_H

#include "step/step.h"
#include "thaw/field.h"

// The report of an element by its internal number. The rate of a full body is left NAN: it is not kept.
void thaw_body_explain(const ThawWorld *world, int32_t body, int32_t element, ThawElementReport *report);

#endif

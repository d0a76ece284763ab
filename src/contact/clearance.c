// SPDX-License-Identifier: Apache-2.0
// What need not be searched again. A vertex that was found a distance r away from another surface, and outside of it,
// stays outside until it and the surface have together moved by r: it remembers r, where it was, and how far the
// surface's vertices had gone at most (an odometer, the sum over searches of the largest step). Until that is used up,
// the vertex costs a subtraction instead of a walk down the hierarchy. In a bowl, in a heap, at rest, that is nearly
// every vertex.
//
// A face that was the nearest is still that until the same has brought the next one as near; then it alone is looked
// at.
//
// Edges have a limit each, on what the odometers of both surfaces and the way of this step come to: one comparison. It
// is looser, since odometers know the fastest vertex only; but edges keep away from sharp edges alone, of which there
// are fewer.
//
// This changes no contact: a vertex is passed over only where the search would have found nothing. So clearances are
// scratch, and a resumed run without them has the same bits. One case is excepted: a surface that cuts itself has
// places outside where the normal of the nearest face points away from the vertex. A fresh search takes a vertex there
// for one inside; one that knows it came from outside, and through nothing, does not.
//
// All this is in the slots of tasks, which come and go; both lists are sorted, and one pass hands each task its
// slot.
#include "contact/collider.h"

int thaw_contact_item_compare(const void *p, const void *q) {
    const ThawContactItem *a = p, *b = q;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (int)a->kind - (int)b->kind;
}

// Slots of tasks that are gone serve those that are new; what they know is forgotten.
void thaw_contact_match_slots(ThawContactScratch *scratch) {
    const int32_t old = scratch->slot_count, count = scratch->item_count;
    ThawContactSlot *from = scratch->slots, *to = scratch->spare;
    int same = old == count;
    for (int32_t i = 0; same && i < count; i++)
        same = thaw_contact_item_compare(&from[i].item, &scratch->items[i]) == 0;
    if (same)
        return;
    for (int32_t i = 0; i < scratch->item_capacity; i++)
        from[i].taken = to[i].taken = 0;
    for (int32_t i = 0, k = 0; i < old && k < count;) {
        const int order = thaw_contact_item_compare(&from[i].item, &scratch->items[k]);
        if (order == 0) {
            to[k] = from[i];
            to[k].taken = from[i].taken = 1;
        }
        i += order <= 0;
        k += order >= 0;
    }
    for (int32_t i = 0, k = 0; i < scratch->item_capacity; i++) {
        if (from[i].taken)
            continue;
        while (to[k].taken)
            k++;
        to[k] = from[i];
        to[k].clear_count = to[k].limit_count = 0;
        k++;
    }
    for (int32_t k = 0; k < count; k++)
        to[k].item = scratch->items[k];
    scratch->slots = to;
    scratch->spare = from;
    scratch->slot_count = count;
}

ThawClearance *thaw_contact_clearances(ThawContactSlot *slot, int32_t count) {
    if (slot->clear_capacity < count) {
        ThawClearance *more = THAW_NEW(ThawClearance, count);
        if (!more) {
            slot->failed = 1;
            return NULL;
        }
        thaw_free(slot->clear);
        slot->clear = more;
        slot->clear_capacity = count;
        slot->clear_count = 0;
    }
    for (int32_t i = 0; i < count && slot->clear_count != count; i++)
        slot->clear[i] = (ThawClearance){.room = -1};
    slot->clear_count = count;
    return slot->clear;
}

double *thaw_contact_limits(ThawContactSlot *slot, const ThawContactShape *shape) {
    if (slot->limit_capacity < shape->ne) {
        double *more = THAW_NEW(double, shape->ne);
        if (!more) {
            slot->failed = 1;
            return NULL;
        }
        thaw_free(slot->limit);
        slot->limit = more;
        slot->limit_capacity = shape->ne;
        slot->limit_count = 0;
    }
    for (int32_t e = 0; e < shape->ne && slot->limit_count != shape->ne; e++)
        slot->limit[e] = shape->sharp[e] ? -INFINITY : INFINITY;
    slot->limit_count = shape->ne;
    return slot->limit;
}

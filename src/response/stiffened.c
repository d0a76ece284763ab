// SPDX-License-Identifier: Apache-2.0
// A preconditioner for islands of many compliant contacts on bodies whose factor is cheap, such as sheets: a factor of
// A with the springs of contacts in it stands for hundreds of products with A^-1.
//
// The equations of krylov.c are (T + E J A^-1 J'C) d = r with T = E gamma C + K, each contact's own. Taken for them is
// P = T + E J A^-1 J'E', symmetric but for T, with the springs Q = E'T^-1 E in A (Woodbury's identity):
//     P^-1 r = T^-1 (r - E J (A + J'Q J)^-1 J'E' T^-1 r).
// Where contacts stick, E = C, and that is exact. Where they slide it leaves out that friction follows the normal
// impulse, which GMRES sees to: 3 to 5 products for a cloth that slides on a ball. Springs change entries of A only
// where it has some: the vertices of a contact are those of one element. A contact of two bodies would join their
// matrices; twice its spring in each of them is no less, [k -k; -k k] <= 2 [k 0; 0 k], and exact where both are alike.
//
// The method around it is compliant.c's, from the warm start on. A cloth of 3200 triangles on a ball, 1900 contacts
// with friction: 50 products and 9 factorisations in place of 640 products.
//
// Cost: a factorisation for each step of Newton's method, and two solves for each product.
#include <math.h>
#include <string.h>

#include "response/island.h"

// Steps of Newton's method and products of each that cloths on balls took, and products without the springs.
enum { STEPS = 9, PRODUCTS = 6, OTHERWISE = 600 };

int thaw_stiffened_suits(const ThawResponse *island) {
    double with = 0.0, without = 0.0;
    int thin = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        const ThawResponseBody *body = island->bodies + p;
        if (island->parts[p].contacts == 0)
            continue;
        if (!body->stiffen)
            return 0;
        thin |= body->thin;
        with += STEPS * (body->stiffen_cost + PRODUCTS * 2 * body->apply_cost);
        without += OTHERWISE * body->apply_cost;
    }
    for (int32_t i = 0; i < island->n; i++)
        if (!(island->rows[i].gamma[0] > 0 && island->rows[i].gamma[1] > 0))
            return 0;
    return thin && with < without;
}

ThawStatus thaw_stiffened_reserve(ThawResponse *island) {
    const size_t d = (size_t)island->dim;
    size_t members = 0, entries = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        island->parts[p].first_entry = (int32_t)entries;
        members += (size_t)island->parts[p].contacts + 1;
        entries += (size_t)island->parts[p].entries;
    }
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_J, members + entries, &island->J_start);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_J_VALUE, d * d * entries, &island->J_value);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_SPRINGS, d * d * members, &island->springs);
    if (status == THAW_OK)
        island->J_vertex = island->J_start + members;
    for (int32_t p = 0; p < island->body_count && status == THAW_OK; p++)
        thaw_part_rows(island, p);
    return status;
}

// Q of a contact.
static void find_spring(int d, const ThawLink *link, double share, double *spring) {
    memset(spring, 0, (size_t)(d * d) * sizeof *spring);
    for (int a = 0; a < link->size; a++)
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                spring[d * r + c] += share * link->P[(link->size + 1) * a] * link->E[d * a + r] * link->E[d * a + c];
}

static void stiffen_part(void *context, int32_t index) {
    ThawResponse *island = context;
    ThawPart *part = island->parts + index;
    const ThawResponseBody *body = island->bodies + index;
    const int d = island->dim;
    part->status = THAW_OK;
    if (part->contacts == 0)
        return;
    double *springs = island->springs + (size_t)(d * d) * (size_t)part->first_contact;
    for (int32_t i = 0; i < part->contacts; i++) {
        const int32_t member = island->member[part->first_contact + i];
        find_spring(d, island->links + member, island->rows[member].slots, springs + d * d * i);
    }
    const ThawBlockRows J = {part->contacts, d, island->J_start + part->first_contact + index,
                             island->J_vertex + part->first_entry,
                             island->J_value + (size_t)(d * d) * (size_t)part->first_entry};
    part->status = body->stiffen(body->context, &J, springs);
}

ThawStatus thaw_stiffened_prepare(ThawResponse *island, double near) {
    const int d = island->dim;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        double own[9] = {0};
        for (int k = 0; k < d; k++)
            own[(d + 1) * k] = row->gamma[k];
        thaw_krylov_invert(d, row, own, near, island->links + i);
    }
    if (island->body_count == 1)
        stiffen_part(island, 0);
    else
        thaw_tasks_for(island->tasks, island->body_count, stiffen_part, island);
    ThawStatus status = THAW_OK;
    for (int32_t p = 0; p < island->body_count && status == THAW_OK; p++)
        status = island->parts[p].status;
    return status;
}

// y = T^-1 x of a contact: T is diagonal.
static void apply_own(const ThawLink *link, const double *x, double *y) {
    const int m = link->size;
    for (int r = 0; r < m; r++)
        y[r] = link->P[(m + 1) * r] * x[r];
}

ThawStatus thaw_stiffened_precondition(ThawResponse *island, const double *x, double *y) {
    const int d = island->dim;
    const ThawLink *links = island->links;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        double lambda[3] = {0};
        apply_own(links + i, x + links[i].first, y + links[i].first);
        for (int m = 0; m < links[i].size; m++)
            for (int k = 0; k < d; k++)
                lambda[k] += links[i].E[d * m + k] * y[links[i].first + m];
        for (int32_t s = 0; s < row->slots; s++)
            memcpy(island->share + (size_t)d * (size_t)(island->parts[row->part[s]].first_contact + row->place[s]),
                   lambda, (size_t)d * sizeof *lambda);
    }
    ThawStatus status = thaw_matrix_free_apply(island, 1);
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++) {
        const ThawRow *row = island->rows + i;
        double w[3] = {0}, e[3] = {0}, change[3] = {0};
        for (int32_t s = 0; s < row->slots; s++)
            for (int k = 0; k < d; k++)
                w[k] += island->speed[(size_t)d * (size_t)(island->parts[row->part[s]].first_contact + row->place[s]) +
                                      (size_t)k];
        for (int m = 0; m < links[i].size; m++)
            for (int k = 0; k < d; k++)
                e[m] += links[i].E[d * m + k] * w[k];
        apply_own(links + i, e, change);
        for (int m = 0; m < links[i].size; m++)
            y[links[i].first + m] -= change[m];
    }
    return status;
}

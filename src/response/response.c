// SPDX-License-Identifier: Apache-2.0
// Contact response of one island (solids paper, section 3.3): makes contacts into rows, chooses a form, solves, and
// writes the impulses back.
//
// Rows. u = J v - obstacle's velocity, and w = u + k_b Phi + gamma lambda (normal), u + k_t drift + gamma_t lambda
// (tangents), so that b, the part of w without impulses, is known at once and w = (H + gamma) lambda + b. law.c has the
// law in terms of w and lambda.
//
// Residual. r = lambda - P(lambda - rho w) for every contact, rho the inverse of its own block, measured as energy,
//     sum |r|^2 / rho   over   sum |lambda|^2 / rho + sum rho min(b_n, 0)^2,
// and its root is compared with the tolerance. Energy weighs light and heavy bodies alike. Nothing touches: 0. Iterates
// are compared by the numerator alone: where hard contacts contradict each other no lambda is large enough, and a large
// one must not pass for a good one.
//
// What cannot be moved. Where H has next to nothing on a contact's normal (below 1e-12 of the island's largest: both
// sides scripted), no impulse can satisfy a hard contact: it gets none; a compliant one is its spring alone. The same
// without friction where the tangents cannot be moved. H itself is never regularised: sweeps and Newton's method need
// no unique lambda, and among equivalent ones stay near the warm start.
//
// Cost model. Assembled: compliance of every contact vertex, the blocks, and SWEEPS sweeps. Matrix-free: PRODUCTS
// products, each one apply() a body, and the compliance of a few sample vertices. Both counts are what towers and
// plates took.
#include <math.h>
#include <string.h>

#include "reduced/reduced.h"
#include "response/island.h"

#define IMMOVABLE 1e-12
#define SHALLOW 0.01 // edges of an overlap, or drift, that contacts undo in a step
#define LOADED 0.1   // edges that an automatic contact sinks in by under what hard ones part overlaps with
#define ANCHOR 0.2   // share of a hard tangent's drift undone in a step

#define LINEAR 1e-10 // tolerance where no row has bounds: elimination reaches it at no cost
#define CLEARLY 0.75 // cheaper: H assembled converges more surely
#define PROMISING 16 // tolerances: a warm start's residual from which so many tries may lead below one
// Times the least that a trial of the warm start costs: the apply() of up to TRIES more steps, which only those that go
// well take, and the trials that are in vain must be worth it, too.
#define DEAR 6
enum { TRIES = 8, LARGE_WORTH = 4, SWEEPS = 40, PRODUCTS = 90, BLOCK_FLOPS = 160 };
static const double ASSEMBLED_DOUBLES = 1.25e8; // no more than 1 GB of H

// --- memory ----------------------------------------------------------------------------------------------------------

ThawStatus thaw_response_create(ThawResponse **response, ThawError *error) {
    *response = THAW_NEW(ThawResponse, 1);
    return *response ? THAW_OK : thaw_error_memory(error, "the contact response");
}

void thaw_response_free(ThawResponse **response) {
    if (!*response)
        return;
    for (int k = 0; k < THAW_BUFFER_COUNT; k++)
        thaw_free((*response)->buffer[k].data);
    thaw_free(*response);
    *response = NULL;
}

ThawStatus thaw_buffer_take(ThawResponse *response, int which, size_t count, size_t size, void *pointer) {
    ThawBuffer *buffer = response->buffer + which;
    if (count > SIZE_MAX / 2 / size)
        return THAW_ERROR_MEMORY;
    if (buffer->bytes < count * size || !buffer->data) {
        size_t bytes = count * size + buffer->bytes / 2;
        void *data = thaw_alloc(bytes, 1);
        if (!data)
            return THAW_ERROR_MEMORY;
        thaw_free(buffer->data);
        *buffer = (ThawBuffer){data, bytes};
    }
    memcpy(pointer, &buffer->data, sizeof buffer->data);
    return THAW_OK;
}

ThawStatus thaw_buffer_grow(ThawResponse *response, int which, size_t kept, size_t count, size_t size, void *pointer) {
    ThawBuffer *buffer = response->buffer + which;
    if (buffer->bytes < count * size || !buffer->data) {
        void *data = thaw_alloc(count, size);
        if (!data)
            return THAW_ERROR_MEMORY;
        if (kept > 0 && buffer->data)
            memcpy(data, buffer->data, kept * size);
        thaw_free(buffer->data);
        *buffer = (ThawBuffer){data, count * size};
    }
    memcpy(pointer, &buffer->data, sizeof buffer->data);
    return THAW_OK;
}

// --- coefficients ----------------------------------------------------------------------------------------------------

// Its impulse acts for span h, and its force is that of the end of h.
static void spring(double k, double c, double h, double span, double gap, double *k_b, double *gamma) {
    if (gap > 0) // not touching yet: a damper has nothing to hold
        c = 0.0;
    if (isinf(k)) {
        *k_b = 1 / h;
        *gamma = 0.0;
    } else {
        *k_b = k / (h * k + c);
        *gamma = 1 / (h * (h * k + c)) / span;
    }
}

static double span_of(const ThawResponseOptions *options) { return options->span > 0 ? options->span : 1; }

void thaw_response_compliance(const ThawResponseOptions *options, const ThawContact *contact, double *k_b,
                              double *gamma) {
    if (options->erp > 0) {
        *k_b = (contact->gap > 0 ? 1.0 : options->erp) / options->h;
        *gamma = options->cfm;
    } else {
        spring(contact->stiffness, contact->damping, options->h, span_of(options), contact->gap, k_b, gamma);
    }
}

void thaw_response_tangent(const ThawResponseOptions *options, const ThawContact *contact, double *k_t,
                           double *gamma_t) {
    double ratio = options->tangent;
    *k_t = ANCHOR / options->h;
    *gamma_t = 0.0;
    if (ratio > 0 && options->erp > 0) {
        *k_t = options->erp / options->h;
        *gamma_t = options->cfm / ratio;
    } else if (ratio > 0 && !isinf(contact->stiffness)) {
        spring(ratio * contact->stiffness, ratio * contact->damping, options->h, span_of(options), 0.0, k_t, gamma_t);
    }
}

// What the forms cost; INFINITY: H would be too large.
static void find_costs(int dim, const ThawResponseBody *bodies, const ThawResponseCounts *parts, int32_t body_count,
                       double *with_H, double *without) {
    double assembled = 0.0, matrix_free = 0.0, doubles = 0.0;
    for (int32_t p = 0; p < body_count; p++) {
        double n = parts[p].contacts, v = parts[p].vertices, size = dim * n;
        double samples = v < THAW_BLOCK_SAMPLES ? v : THAW_BLOCK_SAMPLES;
        if (n == 0)
            continue;
        double rows = n < v ? n : v; // whichever are fewer are asked for
        assembled += rows * (bodies[p].compliance_cost + rows * bodies[p].pair_cost);
        assembled += 0.5 * BLOCK_FLOPS * n * n + 2.0 * SWEEPS * size * size;
        matrix_free += samples * (bodies[p].compliance_cost + samples * bodies[p].pair_cost);
        matrix_free += PRODUCTS * (bodies[p].apply_cost + 60 * size);
        doubles += dim * dim * n * n;
    }
    *with_H = doubles > ASSEMBLED_DOUBLES ? INFINITY : assembled;
    *without = matrix_free;
}

int thaw_response_form(int dim, const ThawResponseBody *bodies, const ThawResponseCounts *parts, int32_t body_count) {
    double assembled, matrix_free;
    find_costs(dim, bodies, parts, body_count, &assembled, &matrix_free);
    return matrix_free < CLEARLY * assembled ? 2 : 1;
}

// The form, unless it is given; and whether bodies get the springs of contacts, which is of the second.
static void choose_form(ThawResponse *island, const ThawResponseCounts *counts) {
    const int given = island->options->form;
    double assembled, matrix_free;
    find_costs(island->dim, island->bodies, counts, island->body_count, &assembled, &matrix_free);
    island->form = given == 1 || given == 2 ? given : matrix_free < CLEARLY * assembled ? 2 : 1;
    island->stiff = given != 1 && thaw_stiffened_suits(island, island->form == 1 ? assembled : INFINITY);
    if (island->stiff)
        island->form = 2;
}

// --- rows ------------------------------------------------------------------------------------------------------------

static int32_t find_body(const ThawResponse *island, int32_t body) {
    int32_t low = 0, high = island->body_count - 1;
    while (low <= high) {
        int32_t middle = low + (high - low) / 2;
        const ThawResponseBody *found = &island->bodies[middle];
        if (body < found->body)
            high = middle - 1;
        else if (body > found->body + found->more)
            low = middle + 1;
        else
            return middle;
    }
    return -1;
}

static ThawStatus make_row(ThawResponse *island, const ThawContact *contact, int32_t number, ThawRow *row,
                           ThawError *error) {
    int d = island->dim;
    *row = (ThawRow){.friction = contact->two_sided ? INFINITY : contact->friction};
    if (!contact->two_sided && !(contact->friction >= 0 && contact->friction < INFINITY))
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact %d: friction %g is not a number >= 0", number,
                              contact->friction);
    if (!(contact->stiffness > 0 && contact->damping >= 0) && (contact->two_sided || !(island->options->erp > 0)))
        return thaw_error_set(error, THAW_ERROR_INPUT, "contact %d: stiffness %g must be > 0 and damping %g >= 0",
                              number, contact->stiffness, contact->damping);
    if (contact->two_sided && !(contact->across[0] > 0 && contact->across[1] >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT,
                              "attachment %d: stiffness %g across must be > 0 and damping %g >= 0", number,
                              contact->across[0], contact->across[1]);
    for (int side = 0; side < 2; side++) {
        if (contact->key.body[side] < 0 && side == 1)
            break;
        int32_t part = find_body(island, contact->key.body[side]);
        if (part < 0)
            return thaw_error_set(error, THAW_ERROR_INPUT, "contact %d: body %d is not in the island", number,
                                  contact->key.body[side]);
        int merge = side == 1 && row->part[0] == part, slot = side && !merge;
        if (!merge)
            row->slots++;
        row->part[slot] = part;
        for (int32_t k = 0; k < contact->nodes[side]; k++) {
            int32_t to = row->nodes[slot]++;
            row->vertex[slot][to] = contact->vertex[side][k];
            row->weight[slot][to] = side ? -contact->weight[side][k] : contact->weight[side][k];
            if (contact->vertex[side][k] < 0 || contact->vertex[side][k] >= island->bodies[part].nv)
                return thaw_error_set(error, THAW_ERROR_INPUT, "contact %d: vertex %d is not below %d", number,
                                      contact->vertex[side][k], island->bodies[part].nv);
        }
    }
    for (int r = 0; r < d; r++)
        for (int k = 0; k < d; k++)
            row->R[d * r + k] = contact->frame[r][k];
    return THAW_OK;
}

// How much of a drift or depth (m) that no motion made is undone in this step: all of it up to `most`, then less.
static double shallow(double most, double free) { return most > 0 && free > most ? most * (most / free) : free; }

// The speed at which a contact of that depth (m, >= 0) is to part its sides: its spring's, which is pressed to
// `held`, and that of what it is deeper, at `push` at most. The latter is in no energy. Where it is little, the
// spring takes it for its own; an overlap (a bad start; a vertex that is found behind another face) would come back as
// speed, so that it is undone by shifting bodies (step/parting.c), or very slowly where they cannot be.
static double parting_speed(const ThawResponseOptions *options, const ThawContact *contact, double k_b, double depth) {
    double push = options->push > 0 ? options->push : THAW_RESPONSE_PUSH;
    double held = fmin(contact->held, depth), free = depth - held;
    double seen = contact->shifted ? 0 : contact->overlap ? shallow(SHALLOW * contact->length, free) : free;
    if (!isfinite(depth))
        return depth;
    return seen == free && k_b * free <= push ? k_b * depth : k_b * held + fmin(push, k_b * seen);
}

// The same of a tangent, whose spring carries the speed `held`. It has no place to go back to: what is more than
// rounding, beside the stiffness of its spring, is let go.
static double drift_speed(const ThawResponseOptions *options, const ThawContact *contact, double k_t, double drift,
                          double held) {
    double free = fabs(drift) - held / k_t, push = options->push > 0 ? options->push : THAW_RESPONSE_PUSH;
    double stiff = held > 0 && contact->soft > 0 ? fmax(1, contact->stiffness / contact->soft) : 1;
    double seen = shallow(fmin(SHALLOW, LOADED / stiff) * contact->length, free);
    if (!(free > 0) || (seen == free && k_t * free <= push))
        return k_t * drift;
    return copysign(held + fmin(push, k_t * seen), drift);
}

// What holds the sides of a row apart, as speeds in its frame, and its gamma. share: of a way that its sides go beyond
// their velocities, over h, what counts like a velocity.
static void begin_law(const ThawResponseOptions *options, const ThawContact *contact, ThawRow *row, double speed[3],
                      double share[3]) {
    double k_b, k_t, gap = contact->gap + contact->sink;
    if (contact->two_sided) {
        spring(contact->stiffness, contact->damping, options->h, span_of(options), 0.0, &k_b, row->gamma);
        spring(contact->across[0], contact->across[1], options->h, span_of(options), 0.0, &k_t, row->gamma + 1);
        row->gamma[2] = row->gamma[1];
        for (int r = 0; r < 3; r++) {
            const double damping = r ? contact->across[1] : contact->damping;
            speed[r] = r ? k_t * contact->drift[r - 1] : k_b * contact->gap;
            share[r] = damping > 0 ? options->h * (r ? k_t : k_b) - 1 : 0; // on top of begin_row's
        }
        return;
    }
    thaw_response_compliance(options, contact, &k_b, row->gamma);
    thaw_response_tangent(options, contact, &k_t, row->gamma + 1);
    row->gamma[2] = row->gamma[1];
    share[0] = options->h * k_b;
    share[1] = share[2] = options->h * k_t;
    speed[0] = gap > 0 ? k_b * gap : -parting_speed(options, contact, k_b, -gap);
    for (int r = 1; r < 3; r++) {
        double held = row->gamma[1] * fabs(contact->lambda[r]);
        speed[r] = drift_speed(options, contact, k_t, contact->drift[r - 1], held);
    }
}

// b of a row, and its gamma.
static ThawStatus begin_row(const ThawResponse *island, const ThawContact *contact, int32_t number, ThawRow *row,
                            double *b, ThawError *error) {
    int d = island->dim;
    double v[3] = {-contact->velocity[0], -contact->velocity[1], -contact->velocity[2]};
    for (int c = 0; c < d && contact->two_sided; c++)
        v[c] += contact->ahead[c];
    for (int32_t s = 0; s < row->slots; s++)
        for (int32_t k = 0; k < row->nodes[s]; k++)
            for (int c = 0; c < d; c++)
                v[c] += row->weight[s][k] * island->bodies[row->part[s]].v[d * row->vertex[s][k] + c];
    double speed[3], share[3];
    begin_law(island->options, contact, row, speed, share);
    for (int r = 0; r < d; r++) {
        double u = 0.0;
        for (int c = 0; c < d; c++)
            u += row->R[d * r + c] * (v[c] + share[r] * contact->ahead[c]);
        b[r] = u + speed[r];
        if (!isfinite(b[r]))
            return thaw_error_set(error, THAW_ERROR_INPUT,
                                  "contact %d: its speed is %g: velocities, gap %g or drift are not finite", number,
                                  b[r], contact->gap);
    }
    row->hard[0] = row->gamma[0] == 0;
    row->hard[1] = row->gamma[1] == 0;
    return THAW_OK;
}

// The contacts of each part and, each once, their vertices, in the order in which they are met.
static ThawStatus make_parts(ThawResponse *island) {
    size_t members = 0, corners = 0;
    int32_t most = 0, *mark;
    memset(island->parts, 0, (size_t)island->body_count * sizeof *island->parts);
    for (int32_t i = 0; i < island->n; i++)
        for (int32_t s = 0; s < island->rows[i].slots; s++) {
            island->parts[island->rows[i].part[s]].contacts++;
            island->parts[island->rows[i].part[s]].entries += island->rows[i].nodes[s];
            members++;
            corners += (size_t)island->rows[i].nodes[s];
        }
    for (int32_t p = 0; p < island->body_count; p++)
        most = island->bodies[p].nv > most ? island->bodies[p].nv : most;
    ThawStatus status = THAW_TAKE(island, THAW_BUFFER_MEMBER, members, &island->member);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_VERTEX, corners, &island->vertex);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_MARK, most, &mark);
    if (status == THAW_OK)
        status = THAW_TAKE(island, THAW_BUFFER_SHARES, 4 * (size_t)island->dim * members, &island->share);
    if (status < 0)
        return status;
    island->speed = island->share + (size_t)island->dim * members;
    island->port_share = island->speed + (size_t)island->dim * members;
    island->port_speed = island->port_share + (size_t)island->dim * members;

    int32_t first = 0, vertex = 0;
    for (int32_t p = 0; p < island->body_count; p++) {
        island->parts[p].first_contact = first;
        first += island->parts[p].contacts;
        island->parts[p].contacts = 0;
    }
    for (int32_t i = 0; i < island->n; i++)
        for (int32_t s = 0; s < island->rows[i].slots; s++) {
            ThawPart *part = island->parts + island->rows[i].part[s];
            island->rows[i].place[s] = part->contacts;
            island->member[part->first_contact + part->contacts++] = i;
        }
    for (int32_t p = 0; p < island->body_count; p++) {
        ThawPart *part = island->parts + p;
        part->first_vertex = vertex;
        for (int32_t k = 0; k < island->bodies[p].nv; k++)
            mark[k] = -1;
        for (int32_t c = 0; c < part->contacts; c++) {
            ThawRow *row = island->rows + island->member[part->first_contact + c];
            int slot = row->slots == 2 && row->part[1] == p;
            for (int32_t k = 0; k < row->nodes[slot]; k++) {
                int32_t v = row->vertex[slot][k];
                if (mark[v] < 0) {
                    mark[v] = part->vertices++;
                    island->vertex[vertex++] = v;
                }
                row->local[slot][k] = mark[v];
            }
        }
    }
    return THAW_OK;
}

void thaw_row_settle(int dim, double floor, ThawRow *row) {
    double *D = row->D;
    double normal = D[0], a = D[dim + 1], c = dim == 3 ? D[8] : a, off = dim == 3 ? D[5] : 0.0;
    double mean = 0.5 * (a + c), half = 0.5 * (a - c), spread = hypot(half, off);
    row->mu = isinf(row->friction) || mean + spread > floor ? row->friction : 0.0;
    for (int k = 0; k < dim; k++)
        D[(dim + 1) * k] += row->gamma[k];
    mean += row->gamma[1];
    row->rho[0] = normal <= floor && row->gamma[0] == 0 ? 0.0 : 1 / D[0];
    row->stretch[0] = mean + spread;
    row->stretch[1] = fmax(mean - spread, 1e-12 * row->stretch[0]);
    row->rho[1] = row->stretch[0] > floor ? 1 / row->stretch[0] : row->rho[0];
    // The eigenvector of [half off; off -half] to +spread, from the column that does not cancel.
    double x = half >= 0 ? half + spread : off, y = half >= 0 ? off : spread - half, size = hypot(x, y);
    row->axis[0] = size > 0 ? x / size : 1.0;
    row->axis[1] = size > 0 ? y / size : 0.0;
}

// --- residual and products -------------------------------------------------------------------------------------------

double thaw_island_residual(ThawResponse *island, const double *w, const double *lambda) {
    int d = island->dim;
    double wrong = 0.0, all = island->scale;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        double r[3];
        if (row->rho[0] == 0)
            continue;
        thaw_response_residual(d, island->options->friction, row->mu, row->rho, w + d * i, lambda + d * i, r);
        for (int k = 0; k < d; k++) {
            wrong += r[k] * r[k] / row->rho[k > 0];
            all += lambda[d * i + k] * lambda[d * i + k] / row->rho[k > 0];
        }
    }
    double residual = wrong > 0 ? sqrt(wrong / all) : 0.0;
    if (!isfinite(wrong) || !isfinite(all))
        wrong = residual = INFINITY;
    island->wrong = wrong;
    if (wrong < island->best_wrong || residual <= island->options->tolerance) {
        island->best_wrong = wrong;
        island->best_residual = residual;
        memcpy(island->best, lambda, (size_t)d * (size_t)island->n * sizeof *lambda);
    }
    return residual;
}

ThawStatus thaw_island_multiply(ThawResponse *island, const double *lambda, const double *b, double *w) {
    int d = island->dim;
    ThawStatus status = THAW_OK;
    if (thaw_tasks_stopped(island->tasks))
        return THAW_CANCELLED;
    island->used++;
    if (island->form == 1)
        thaw_assembled_multiply(island, lambda);
    else
        status = thaw_matrix_free_multiply(island, lambda);
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        for (int k = 0; k < d; k++)
            w[d * i + k] = (b ? b[d * i + k] : 0.0) + row->gamma[k] * lambda[d * i + k];
        for (int32_t s = 0; s < row->slots; s++) {
            size_t at = (size_t)d * (size_t)(island->parts[row->part[s]].first_contact + row->place[s]);
            for (int k = 0; k < d; k++)
                w[d * i + k] += island->speed[at + (size_t)k];
        }
    }
    return status;
}

// --- solve -----------------------------------------------------------------------------------------------------------

static ThawStatus check_options(const ThawResponseOptions *options, ThawError *error) {
    if (options->dim != 2 && options->dim != 3)
        return thaw_error_set(error, THAW_ERROR_INPUT, "response: dim is %d, must be 2 or 3", options->dim);
    if (!(options->h > 0 && options->h < INFINITY))
        return thaw_error_set(error, THAW_ERROR_INPUT, "response: h is %g, must be > 0", options->h);
    if (!(options->tolerance >= 0) || options->iterations < 0)
        return thaw_error_set(error, THAW_ERROR_INPUT, "response: tolerance %g and iterations %d must be >= 0",
                              options->tolerance, options->iterations);
    if (!(options->cfm >= 0) || !(options->tangent >= 0))
        return thaw_error_set(error, THAW_ERROR_INPUT, "response: cfm %g and tangent %g must be >= 0", options->cfm,
                              options->tangent);
    return THAW_OK;
}

static ThawStatus make_island(ThawResponse *island, const ThawContact *contacts, const int32_t *index,
                              ThawError *error) {
    size_t size = (size_t)island->dim * (size_t)island->n;
    ThawResponseCounts *counts;
    if (THAW_TAKE(island, THAW_BUFFER_ROWS, island->n, &island->rows) < 0 ||
        THAW_TAKE(island, THAW_BUFFER_PARTS, island->body_count, &island->parts) < 0 ||
        THAW_TAKE(island, THAW_BUFFER_COUNTS, island->body_count, &counts) < 0 ||
        THAW_TAKE(island, THAW_BUFFER_VECTORS, 7 * size, &island->b) < 0)
        return thaw_error_memory(error, "the rows of contacts");
    island->lambda = island->b + size;
    island->w = island->lambda + size;
    island->trial = island->w + size;
    island->trial_w = island->trial + size;
    island->best = island->trial_w + size;
    island->kept = island->best + size;
    ThawStatus status = THAW_OK;
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++)
        status = make_row(island, contacts + index[i], index[i], island->rows + i, error);
    for (int32_t i = 0; i < island->n && status == THAW_OK; i++)
        status = begin_row(island, contacts + index[i], index[i], island->rows + i, island->b + island->dim * i, error);
    if (status < 0)
        return status;
    if (make_parts(island) < 0 || thaw_modes_prepare(island) < 0)
        return thaw_error_memory(error, "the parts of an island");
    for (int32_t p = 0; p < island->body_count; p++) {
        const ThawPart *part = island->parts + p;
        counts[p] = part->motions == THAW_MOTIONS_ALL ? (ThawResponseCounts){0, 0} // costs the same in both forms
                                                      : (ThawResponseCounts){part->contacts, part->vertices};
    }
    choose_form(island, counts);
    return THAW_OK;
}

// Own blocks into rho, the warm start on the cone, and what residuals are relative to.
static void begin_solve(ThawResponse *island, const ThawContact *contacts, const int32_t *index) {
    int d = island->dim;
    double largest = 0.0;
    island->linear = 1;
    for (int32_t i = 0; i < island->n; i++) {
        largest = fmax(largest, island->rows[i].D[0]);
        island->linear &= isinf(island->rows[i].friction);
    }
    island->scale = 0.0;
    island->used = 0;
    island->end = island->options->iterations;
    island->best_residual = island->best_wrong = INFINITY;
    for (int32_t i = 0; i < island->n; i++) {
        ThawRow *row = island->rows + i;
        double *lambda = island->lambda + d * i;
        thaw_row_settle(d, IMMOVABLE * largest, row);
        for (int k = 0; k < d; k++) {
            double start = contacts[index[i]].lambda[k] + contacts[index[i]].trend[k];
            lambda[k] = isfinite(start) && row->rho[0] > 0 ? start : 0.0;
        }
        thaw_law_project(d, island->options->friction, row->mu, lambda);
        double inward = fmin(island->b[d * i], 0.0);
        island->scale += row->rho[0] * inward * inward;
        for (int k = 0; k < d && isinf(row->mu); k++)
            island->scale += row->rho[k > 0] * island->b[d * i + k] * island->b[d * i + k];
    }
    memcpy(island->best, island->lambda, (size_t)d * (size_t)island->n * sizeof *island->best);
}

// Whether the warm start has a chance: contacts that carry something keep their gaps, nearly. What moves by more than
// six tolerances of what the step would do without contact has other impulses in the next step (an octopus in a bowl:
// in seven cases of eight; what moves by less, in one of eleven).
static int stands_still(const ThawResponse *island, const ThawContact *contacts, const int32_t *index) {
    const int d = island->dim;
    double moves = 0.0, would = 0.0;
    for (int32_t i = 0; i < island->n; i++) {
        const ThawRow *row = island->rows + i;
        const ThawContact *contact = contacts + index[i];
        double u = 0.0;
        for (int c = 0; c < d; c++)
            u -= row->R[c] * contact->velocity[c];
        for (int32_t s = 0; s < row->slots; s++) {
            const double *v = island->bodies[row->part[s]].v0;
            if (!v)
                return 1;
            for (int32_t k = 0; k < row->nodes[s]; k++)
                for (int c = 0; c < d; c++)
                    u += row->weight[s][k] * row->R[c] * v[d * row->vertex[s][k] + c];
        }
        if (!contact->two_sided && !(contact->lambda[0] > 0))
            continue;
        moves += u * u;
        would += island->b[d * i] * island->b[d * i];
    }
    return moves <= 36 * island->options->tolerance * island->options->tolerance * would;
}

// Whether compliance of all contact vertices costs so much more than that of a few samples and one apply() a body that
// a trial with these is worth it. Not where most of a body is rigid parts, and never where all of it is.
static int is_dear(const ThawResponse *island) {
    double all = 0.0, few = 0.0;
    for (int32_t p = 0; p < island->body_count; p++) {
        const ThawResponseBody *body = island->bodies + p;
        const double v = island->parts[p].vertices, samples = fmin(v, THAW_BLOCK_SAMPLES);
        if (v == 0 || island->parts[p].motions == THAW_MOTIONS_ALL)
            continue;
        all += v * (body->compliance_cost + v * body->pair_cost);
        few += samples * (body->compliance_cost + samples * body->pair_cost) + body->apply_cost;
    }
    return all > DEAR * few;
}

// Whether the warm start holds the law already, or does after a few steps of the matrix-free form, found with one
// apply() a body and step and the compliance of a few vertices. At rest that is all an island costs.
static ThawStatus check_start(ThawResponse *island, const ThawContact *contacts, const int32_t *index, int *holds) {
    *holds = 0;
    if (!is_dear(island) || !stands_still(island, contacts, index))
        return THAW_OK;
    island->form = 2;
    ThawStatus status = thaw_matrix_free_prepare(island);
    if (status == THAW_OK) {
        double residual = INFINITY;
        begin_solve(island, contacts, index);
        status = thaw_newton_begin(island, &residual);
        if (status == THAW_OK && residual <= PROMISING * island->options->tolerance)
            status = thaw_gradients.run(island, TRIES, &residual);
        *holds = residual <= island->options->tolerance;
    }
    island->form = 1;
    return status;
}

static ThawStatus solve_form(ThawResponse *island) {
    double residual;
    if (island->stiff) {
        ThawStatus status = thaw_stiffened_reserve(island);
        if (status == THAW_OK)
            status = thaw_compliant_solve(island, &residual);
        island->stiff = 0; // what is left is left to others
        if (status < 0 || island->best_residual <= island->options->tolerance)
            return status;
        memcpy(island->lambda, island->best, (size_t)island->dim * (size_t)island->n * sizeof(double));
    }
    if (island->linear) // one step, by elimination where that is small enough
        return thaw_compliant_solve(island, &residual);
    return thaw_newton_solve(island, island->form == 1 ? &thaw_sweeps : &thaw_gradients);
}

static int is_left(const ThawResponse *island) { return island->best_residual > island->options->tolerance; }

// H assembled after all, with the best lambda so far.
static ThawStatus change_form(ThawResponse *island, const ThawContact *contacts, const int32_t *index) {
    const size_t bytes = (size_t)island->dim * (size_t)island->n * sizeof(double);
    const int32_t used = island->used;
    island->form = 1;
    ThawStatus status = thaw_assembled_prepare(island);
    if (status < 0)
        return status;
    memcpy(island->kept, island->best, bytes);
    begin_solve(island, contacts, index);
    memcpy(island->best, island->kept, bytes);
    island->used = used;
    double residual;
    return thaw_newton_renew(island, &residual);
}

// What is left goes on from the best lambda so far: by shorter steps (compliant.c), and inside the cones (interior.c),
// with H assembled where that is small enough to eliminate. In large islands of soft bodies GMRES does not come near
// enough for the latter; they get more of the former. Hard contacts go inside the cones first.
static ThawStatus go_on(ThawResponse *island, int small) {
    const int compliant = thaw_compliant_suits(island);
    ThawStatus status = THAW_OK;
    for (int turn = 0; turn < 2 && status >= 0 && is_left(island); turn++) {
        double residual;
        island->end = island->used + (small ? 1 : LARGE_WORTH) * island->options->iterations;
        if (compliant == (turn == 0))
            status = thaw_compliant_solve(island, &residual);
        else if (small)
            status = thaw_interior_solve(island);
    }
    return status;
}

// The last resort is to forget the warm start: the law has several solutions, and near some there is no way on.
static ThawStatus solve_rest(ThawResponse *island, const ThawContact *contacts, const int32_t *index) {
    const int form = island->form;
    const size_t size = (size_t)island->dim * (size_t)island->n;
    int rigid = 1;
    for (int32_t p = 0; p < island->body_count; p++)
        rigid &= island->parts[p].motions == THAW_MOTIONS_ALL;
    const int small = rigid || thaw_direct_may_suit(island);
    ThawStatus status = form == 2 && small ? change_form(island, contacts, index) : THAW_OK;
    if (status >= 0)
        status = go_on(island, small);
    if (status >= 0 && is_left(island)) {
        const double wrong = island->best_wrong, residual = island->best_residual;
        memcpy(island->kept, island->best, size * sizeof(double));
        memset(island->lambda, 0, size * sizeof(double));
        island->best_wrong = island->best_residual = INFINITY;
        island->end = island->used + island->options->iterations;
        status = solve_form(island);
        if (status >= 0)
            status = go_on(island, small);
        if (is_left(island) && wrong <= island->best_wrong) {
            memcpy(island->best, island->kept, size * sizeof(double));
            island->best_wrong = wrong;
            island->best_residual = residual;
        }
    }
    double residual;
    if (status >= 0 && is_left(island)) // shorter steps may leave impulses that pull
        status = thaw_newton_renew(island, &residual);
    island->form = form;
    return status;
}

static ThawStatus solve_island(ThawResponse *island, const ThawContact *contacts, const int32_t *index) {
    ThawStatus status = THAW_OK;
    int holds = 0;
    if (island->form == 1)
        status = check_start(island, contacts, index, &holds);
    if (status < 0 || holds)
        return status;
    status = island->form == 1 ? thaw_assembled_prepare(island) : thaw_matrix_free_prepare(island);
    if (status == THAW_OK)
        status = thaw_krylov_reserve(island);
    if (status < 0)
        return status;
    begin_solve(island, contacts, index);
    status = solve_form(island);
    return status >= 0 && is_left(island) ? solve_rest(island, contacts, index) : status;
}

static int only_attachments(const ThawContact *contacts, const int32_t *index, int32_t count) {
    for (int32_t i = 0; i < count; i++)
        if (!contacts[index[i]].two_sided)
            return 0;
    return 1;
}

ThawStatus thaw_response_solve(ThawResponse *response, const ThawResponseOptions *options, ThawTasks *tasks,
                               const ThawResponseBody *bodies, int32_t body_count, ThawContact *contacts,
                               const int32_t *index, int32_t count, ThawResponseInfo *info, ThawError *error) {
    ThawResponse *island = response;
    if (info)
        *info = (ThawResponseInfo){.form = 1};
    ThawStatus status = check_options(options, error);
    if (status < 0 || count <= 0)
        return status;
    ThawResponseOptions own = *options;
    if (only_attachments(contacts, index, count))
        own.tolerance = fmin(own.tolerance, LINEAR);
    island->options = &own;
    island->tasks = tasks;
    island->bodies = bodies;
    island->body_count = body_count;
    island->dim = options->dim;
    island->n = count;
    status = make_island(island, contacts, index, error);
    if (status < 0)
        return status;
    status = solve_island(island, contacts, index);
    if (status == THAW_ERROR_MEMORY)
        return thaw_error_memory(error, "the contact response");
    if (status == THAW_CANCELLED)
        return status;
    if (status < 0)
        return thaw_error_set(error, status, "response: a body could not tell its compliance");
    for (int32_t i = 0; i < count; i++) {
        const double *lambda = island->best + options->dim * i;
        for (int k = 0; k < 3; k++) {
            contacts[index[i]].lambda[k] = k < options->dim ? lambda[k] : 0.0;
            contacts[index[i]].trend[k] = 0.0;
        }
        if (contacts[index[i]].two_sided)
            continue;
        double k_b, gamma,
            held = fmin(contacts[index[i]].held, fmax(0.0, -contacts[index[i]].gap - contacts[index[i]].sink));
        thaw_response_compliance(options, contacts + index[i], &k_b, &gamma);
        contacts[index[i]].holds = fmax(0.0, 1 - options->h * k_b) * held + options->h * gamma * lambda[0];
    }
    if (info)
        *info = (ThawResponseInfo){island->used, island->best_residual, island->form};
    return island->best_residual <= options->tolerance ? THAW_OK : THAW_NOT_CONVERGED;
}

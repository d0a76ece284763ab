// SPDX-License-Identifier: Apache-2.0
// The server of `thaw view`, on libwebsockets.
//
// Why libwebsockets and not CivetWeb: it is one event loop over non-blocking sockets, so a hundred idle or hostile
// connections cost a hundred small structs and no thread, and a socket that takes nothing is just never writable;
// CivetWeb gives each connection a thread out of a fixed pool, which a few slow peers use up, writes to them block, and
// it reads whole frames of whatever length the peer announces into memory. Here a message is cut off at SERVE_LONGEST
// bytes, headers at HEADERS, connections at SERVE_CONNECTIONS, and all of them time out.
//
// Who may do what: the token (128 bits from the kernel) must be in the address; Host must be an address of this server,
// or a foreign name that resolves to it (DNS rebinding) would pass for it; a stream must come from a page of the same
// origin. All other threads reach in through the slots, under one lock that is never held during a system call of the
// network.
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "serve.h"

#ifndef THAW_WITH_SERVER

struct Serve {
    int none;
};

ThawStatus serve_start(const ServeDef *def, Serve **serve, ThawError *error) {
    (void)def;
    *serve = NULL;
    return thaw_error_set(error, THAW_ERROR_UNSUPPORTED,
                          "this program was built without libwebsockets and so cannot serve pages; install it (Debian: "
                          "libwebsockets-dev) and build again. `thaw export --html` and `thaw render` work without it");
}
void serve_stop(Serve **serve) { *serve = NULL; }
const char *serve_address(const Serve *serve) { return serve ? "" : NULL; }
int serve_put(Serve *serve, int client, ServeSlot slot, const void *bytes, size_t size) {
    return serve && bytes && client >= SERVE_EVERYONE && slot < SERVE_SLOTS && size > 0;
}
int serve_has_client(Serve *serve, int client) { return serve && client >= 0; }
int serve_is_watched(Serve *serve) { return serve != NULL; }
int serve_wants_frame(Serve *serve) { return serve != NULL; }
ServeCounts serve_counts(Serve *serve) { return (ServeCounts){.clients = serve != NULL}; }

#else

#include <libwebsockets.h>

enum { TOKEN = 32, HEADERS = 4096, CHUNK = 32 << 10, SECONDS = 10, TYPE_LENGTH = 32 };

// Bytes that several pages may be waiting for. libwebsockets writes a frame's head in front of them: the same one every
// time, for the head depends on the size only.
typedef struct Blob {
    int references; // under the lock
    int binary;
    size_t size;
    unsigned char bytes[]; // LWS_PRE, then size
} Blob;

// A connection, in memory of libwebsockets.
typedef struct Client {
    struct lws *wsi;
    int number; // of the stream, -1: none
    // Of a request for the page:
    size_t sent;
    // Of a stream:
    Blob *slots[SERVE_SLOTS]; // newest unsent, under the lock
    int64_t out[2], acknowledged[2];
    char *message; // SERVE_LONGEST, while one is being received
    size_t length;
    int received; // messages in this second
    time_t second;
} Client;

struct Serve {
    ServeDef def;
    char token[TOKEN + 1], address[128];
    char hosts[3][80];  // what Host may be
    char port_text[16]; // ":8080"
    int everywhere;     // listens on every address
    struct lws_context *context;
    struct lws_protocols protocols[2];
    pthread_t thread;
    atomic_int stopping;
    pthread_mutex_t lock;
    Client *clients[SERVE_CLIENTS];
    int joined;          // number of the next stream
    atomic_int watching; // counts.clients, for callers that must not wait
    Blob *hello;
    ServeCounts counts;
};

// --- slots -----------------------------------------------------------------------------------------------------------

static void blob_drop(Blob **blob) {
    if (*blob && --(*blob)->references == 0)
        thaw_free(*blob);
    *blob = NULL;
}

static void blob_set(Blob **slot, Blob *blob) {
    blob->references++;
    blob_drop(slot);
    *slot = blob;
}

static int frame_fits(const Client *client, int view) {
    return client->out[view] - client->acknowledged[view] < SERVE_ON_THE_WAY;
}

// The next slot that may be sent to the client, -1: none.
static int next_slot(const Client *client) {
    for (int i = 0; i < SERVE_SLOTS; i++)
        if (client->slots[i] && (i < SERVE_FRAME || frame_fits(client, i - SERVE_FRAME)))
            return i;
    return -1;
}

int serve_put(Serve *serve, int client, ServeSlot slot, const void *bytes, size_t size) {
    Blob *blob = thaw_alloc(1, sizeof *blob + LWS_PRE + size);
    if (!blob)
        return 0;
    *blob = (Blob){.references = 1, .binary = slot >= SERVE_FRAME, .size = size};
    memcpy(blob->bytes + LWS_PRE, bytes, size);
    pthread_mutex_lock(&serve->lock);
    if (slot == SERVE_HELLO)
        blob_set(&serve->hello, blob);
    for (int i = 0; i < SERVE_CLIENTS; i++) {
        Client *to = serve->clients[i];
        if (!to || (client != SERVE_EVERYONE && client != to->number))
            continue;
        serve->counts.replaced += slot >= SERVE_FRAME && to->slots[slot];
        for (int k = SERVE_FRAME; k < SERVE_SLOTS && slot == SERVE_HELLO; k++)
            blob_drop(&to->slots[k]);
        blob_set(&to->slots[slot], blob);
    }
    blob_drop(&blob);
    pthread_mutex_unlock(&serve->lock);
    lws_cancel_service(serve->context);
    return 1;
}

int serve_has_client(Serve *serve, int client) {
    int there = 0;
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < SERVE_CLIENTS && !there; i++)
        there = serve->clients[i] && serve->clients[i]->number == client;
    pthread_mutex_unlock(&serve->lock);
    return there;
}

int serve_is_watched(Serve *serve) { return atomic_load(&serve->watching) > 0; }

int serve_wants_frame(Serve *serve) {
    int wanted = 0;
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < SERVE_CLIENTS && !wanted; i++) {
        const Client *client = serve->clients[i];
        wanted = client && !client->slots[SERVE_FRAME] && frame_fits(client, 0);
    }
    pthread_mutex_unlock(&serve->lock);
    return wanted;
}

ServeCounts serve_counts(Serve *serve) {
    pthread_mutex_lock(&serve->lock);
    ServeCounts counts = serve->counts;
    pthread_mutex_unlock(&serve->lock);
    return counts;
}

// --- access -------------------------------------------------------------------------------------------------

// In a time that does not tell how much of it is right.
static int is_token(const Serve *serve, const char *text) {
    unsigned different = 0;
    if (strlen(text) != TOKEN)
        return 0;
    for (int i = 0; i < TOKEN; i++)
        different |= (unsigned)((unsigned char)text[i] ^ (unsigned char)serve->token[i]);
    return !different;
}

// A server that listens on every address is also reached by any of their numbers; names are what rebinding plays with.
static int is_ours(const Serve *serve, const char *host) {
    char number[32];
    struct in_addr ignored;
    for (size_t i = 0; i < sizeof serve->hosts / sizeof *serve->hosts; i++)
        if (serve->hosts[i][0] && strcasecmp(host, serve->hosts[i]) == 0)
            return 1;
    const char *port = strchr(host, ':');
    if (!serve->everywhere || !port || port - host >= (ptrdiff_t)sizeof number || strcmp(port, serve->port_text) != 0)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)(port - host), host);
    return inet_pton(AF_INET, number, &ignored) == 1;
}

// 0, or the status to refuse the request with.
static int refuse(const Serve *serve, struct lws *wsi, const char *path, const char *wanted, int stream) {
    char host[96] = "", origin[128] = "", token[TOKEN + 16] = "";
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !is_ours(serve, host))
        return HTTP_STATUS_FORBIDDEN;
    const char *given = lws_get_urlarg_by_name(wsi, "token=", token, sizeof token);
    if (!given || !is_token(serve, given))
        return HTTP_STATUS_FORBIDDEN;
    if (stream && (lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) <= 0 ||
                   strncmp(origin, "http://", 7) != 0 || strcasecmp(origin + 7, host) != 0))
        return HTTP_STATUS_FORBIDDEN;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0)
        return HTTP_STATUS_METHOD_NOT_ALLOWED;
    // By its length too: a path may hold a zero.
    const int same = lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == (int)strlen(wanted) && strcmp(path, wanted) == 0;
    return same ? 0 : HTTP_STATUS_NOT_FOUND;
}

// --- the page --------------------------------------------------------------------------------------------------------

static int add_header(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end) {
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end);
}

// The page is one file with everything inside, so it may load nothing and talk to no other server.
static const char policy[] = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
                             "blob:; worker-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
                             "frame-ancestors 'none'";

static int answer(const Serve *serve, struct lws *wsi, Client *client, const char *path) {
    const int status = refuse(serve, wsi, path, "/", 0);
    if (status)
        return lws_return_http_status(wsi, (unsigned)status, NULL) || lws_http_transaction_completed(wsi) ? -1 : 0;
    unsigned char room[LWS_PRE + 2048], *start = room + LWS_PRE, *at = start, *end = room + sizeof room - 1;
    client->sent = 0;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", serve->def.page_size, &at, end) ||
        add_header(wsi, "content-security-policy:", policy, &at, end) ||
        add_header(wsi, "x-content-type-options:", "nosniff", &at, end) ||
        add_header(wsi, "referrer-policy:", "no-referrer", &at, end) ||
        add_header(wsi, "cross-origin-opener-policy:", "same-origin", &at, end) ||
        add_header(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) ||
        add_header(wsi, "cache-control:", "no-store", &at, end) || lws_finalize_write_http_header(wsi, start, &at, end))
        return -1;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_page(const Serve *serve, struct lws *wsi, Client *client) {
    unsigned char room[LWS_PRE + CHUNK];
    const size_t left = serve->def.page_size - client->sent, size = left < CHUNK ? left : CHUNK;
    memcpy(room + LWS_PRE, serve->def.page + client->sent, size);
    if (lws_write(wsi, room + LWS_PRE, size, size == left ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)size)
        return -1;
    client->sent += size;
    if (size == left)
        return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

// --- the stream ------------------------------------------------------------------------------------------------------

static int confirm(Serve *serve, struct lws *wsi, const char *protocol) {
    char path[64] = "";
    lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
    int status = strcmp(protocol, "websocket") == 0 ? refuse(serve, wsi, path, "/stream", 1) : HTTP_STATUS_FORBIDDEN;
    pthread_mutex_lock(&serve->lock);
    if (!status && serve->counts.clients >= SERVE_CLIENTS)
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
    pthread_mutex_unlock(&serve->lock);
    if (!status)
        return 0;
    return lws_return_http_status(wsi, (unsigned)status, NULL) ? -1 : 1;
}

static int join(Serve *serve, struct lws *wsi, Client *client) {
    *client = (Client){.wsi = wsi, .number = -1, .message = THAW_NEW(char, SERVE_LONGEST)};
    if (!client->message)
        return -1;
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < SERVE_CLIENTS && client->number < 0; i++)
        if (!serve->clients[i]) {
            client->number = serve->joined;
            serve->clients[i] = client;
        }
    if (client->number >= 0) {
        serve->joined = (int)((unsigned)(serve->joined + 1u) & INT_MAX);
        serve->counts.clients++;
        atomic_fetch_add(&serve->watching, 1);
        if (serve->hello)
            blob_set(&client->slots[SERVE_HELLO], serve->hello);
    }
    pthread_mutex_unlock(&serve->lock);
    if (client->number < 0) // several were let in at the same moment
        return -1;
    lws_callback_on_writable(wsi);
    serve->def.joined(serve->def.context, client->number);
    return 0;
}

static void leave(Serve *serve, Client *client) {
    if (!client || !client->wsi) // was never let in
        return;
    pthread_mutex_lock(&serve->lock);
    for (int i = 0; i < SERVE_SLOTS; i++)
        blob_drop(&client->slots[i]);
    for (int i = 0; i < SERVE_CLIENTS; i++)
        if (serve->clients[i] == client) {
            serve->clients[i] = NULL;
            serve->counts.clients--;
            atomic_fetch_sub(&serve->watching, 1);
        }
    pthread_mutex_unlock(&serve->lock);
    thaw_free(client->message);
    *client = (Client){.number = -1};
}

static int send_next(Serve *serve, struct lws *wsi, Client *client) {
    Blob *blob = NULL;
    pthread_mutex_lock(&serve->lock);
    const int slot = next_slot(client);
    if (slot >= 0) {
        blob = client->slots[slot];
        client->slots[slot] = NULL; // the reference is ours now
        if (slot >= SERVE_FRAME) {
            client->out[slot - SERVE_FRAME]++;
            serve->counts.frames++;
            serve->counts.bytes += (int64_t)blob->size;
        }
    }
    const int more = next_slot(client) >= 0;
    pthread_mutex_unlock(&serve->lock);
    if (!blob)
        return 0;
    // What the socket does not take at once, libwebsockets keeps, and says so by being not writable until it is gone.
    const int written =
        lws_write(wsi, blob->bytes + LWS_PRE, blob->size, blob->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    const int failed = written < (int)blob->size;
    pthread_mutex_lock(&serve->lock);
    blob_drop(&blob);
    pthread_mutex_unlock(&serve->lock);
    if (more)
        lws_callback_on_writable(wsi);
    if (slot >= SERVE_FRAME)
        serve->def.ready(serve->def.context);
    return failed ? -1 : 0;
}

static void acknowledge(Serve *serve, Client *client, const json_t *message) {
    const int view = json_integer_value(json_object_get(message, "view")) == 1;
    pthread_mutex_lock(&serve->lock);
    if (client->acknowledged[view] < client->out[view])
        client->acknowledged[view]++;
    const int more = next_slot(client) >= 0;
    pthread_mutex_unlock(&serve->lock);
    if (more)
        lws_callback_on_writable(client->wsi);
    serve->def.ready(serve->def.context);
}

static int hang_up(struct lws *wsi, enum lws_close_status status, const char *why) {
    char text[100];
    const int length = snprintf(text, sizeof text, "%s", why);
    lws_close_reason(wsi, status, (unsigned char *)text, (size_t)length);
    return -1;
}

static int take(Serve *serve, struct lws *wsi, Client *client, json_t *message) {
    const char *type = json_string_value(json_object_get(message, "type"));
    if (!type || strlen(type) > TYPE_LENGTH) {
        json_decref(message);
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "a message is a JSON object with a \"type\"");
    }
    if (strcmp(type, "ack") == 0) {
        acknowledge(serve, client, message);
        json_decref(message);
    } else {
        serve->def.received(serve->def.context, client->number, message);
    }
    return 0;
}

static int receive(Serve *serve, struct lws *wsi, Client *client, const void *bytes, size_t size) {
    if (lws_frame_is_binary(wsi))
        return hang_up(wsi, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are JSON texts");
    if (lws_is_first_fragment(wsi))
        client->length = 0;
    if (client->length + size + lws_remaining_packet_payload(wsi) > SERVE_LONGEST)
        return hang_up(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "a message has at most 16 KiB");
    memcpy(client->message + client->length, bytes, size);
    client->length += size;
    if (lws_remaining_packet_payload(wsi) || !lws_is_final_fragment(wsi))
        return 0;
    const time_t now = time(NULL);
    client->received = now == client->second ? client->received + 1 : 1;
    client->second = now;
    if (client->received > SERVE_RATE)
        return hang_up(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many messages a second");
    json_t *message = json_loadb(client->message, client->length, JSON_REJECT_DUPLICATES, NULL);
    client->length = 0;
    return take(serve, wsi, client, message);
}

// --- the event loop --------------------------------------------------------------------------------------------------

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size) {
    Client *client = user;
    const struct lws_protocols *protocol = wsi ? lws_get_protocol(wsi) : NULL;
    Serve *serve = protocol ? protocol->user : NULL;
    if (!serve)
        return 0;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return answer(serve, wsi, client, in ? in : "");
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return send_page(serve, wsi, client);
    case LWS_CALLBACK_HTTP_BODY: // of a POST, which was answered already
        return -1;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
        return confirm(serve, wsi, in ? in : "");
    case LWS_CALLBACK_ESTABLISHED:
        return join(serve, wsi, client);
    case LWS_CALLBACK_CLOSED:
        leave(serve, client);
        return 0;
    case LWS_CALLBACK_RECEIVE:
        return receive(serve, wsi, client, in, size);
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(serve, wsi, client);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        lws_callback_on_writable_all_protocol(serve->context, &serve->protocols[0]);
        return 0;
    default:
        return 0;
    }
}

static void *work(void *context) {
    Serve *serve = context;
    while (!serve->stopping && lws_service(serve->context, 0) >= 0)
        continue;
    return NULL;
}

static ThawStatus draw_token(char *token, ThawError *error) {
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return thaw_error_set(error, THAW_ERROR_IO, "the system gave no random bytes: %s", strerror(errno));
    for (int i = 0; i < TOKEN / 2; i++)
        sprintf(token + 2 * i, "%02x", bytes[i]);
    return THAW_OK;
}

// Says why a port cannot be had, which libwebsockets keeps for itself.
static ThawStatus try_port(const ServeDef *def, ThawError *error) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)def->port)};
    if (inet_pton(AF_INET, def->host, &address.sin_addr) != 1)
        return thaw_error_set(
            error, THAW_ERROR_INPUT,
            "--host is '%s'; allowed: an address of this machine such as 127.0.0.1, or 0.0.0.0 for all", def->host);
    const int one = 1, handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle >= 0)
        setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    const int failed = handle < 0 || bind(handle, (struct sockaddr *)&address, sizeof address) || listen(handle, 1);
    const int why = errno;
    if (handle >= 0)
        close(handle);
    return failed ? thaw_error_set(error, THAW_ERROR_IO, "cannot listen on %s, port %d: %s", def->host, def->port,
                                   strerror(why))
                  : THAW_OK;
}

static ThawStatus listen_on(Serve *serve, ThawError *error) {
    serve->protocols[0] = (struct lws_protocols){.name = "thaw",
                                                 .callback = on_event,
                                                 .per_session_data_size = sizeof(Client),
                                                 .rx_buffer_size = 4096,
                                                 .user = serve,
                                                 .tx_packet_size = 256 << 10};
    serve->everywhere = strcmp(serve->def.host, "0.0.0.0") == 0;
    const struct lws_context_creation_info info = {
        .port = serve->def.port,
        .iface = serve->everywhere ? NULL : serve->def.host,
        .protocols = serve->protocols,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .options = LWS_SERVER_OPTION_DISABLE_IPV6,
        .max_http_header_data = HEADERS,
        .max_http_header_pool = SERVE_CONNECTIONS,
        .fd_limit_per_thread = SERVE_CONNECTIONS,
        .timeout_secs = SECONDS,
        .keepalive_timeout = SECONDS,
        .ka_time = 30, // a peer that is gone without a word is found out
        .ka_probes = 3,
        .ka_interval = 5,
    };
    lws_set_log_level(0, NULL);
    serve->context = lws_create_context(&info);
    if (!serve->context)
        return thaw_error_set(error, THAW_ERROR_IO, "cannot listen on %s, port %d", serve->def.host, serve->def.port);
    const int port = lws_get_vhost_listen_port(lws_get_vhost_by_name(serve->context, "default"));
    snprintf(serve->port_text, sizeof serve->port_text, ":%d", port);
    const char *shown = serve->everywhere ? "127.0.0.1" : serve->def.host;
    snprintf(serve->hosts[0], sizeof serve->hosts[0], "%s:%d", shown, port);
    snprintf(serve->hosts[1], sizeof serve->hosts[1], "localhost:%d", port);
    if (serve->everywhere) { // reached by the machine's name
        char name[64] = "";
        if (gethostname(name, sizeof name - 1) == 0)
            snprintf(serve->hosts[2], sizeof serve->hosts[2], "%s:%d", name, port);
    }
    snprintf(serve->address, sizeof serve->address, "http://%s:%d/?token=%s", shown, port, serve->token);
    return THAW_OK;
}

ThawStatus serve_start(const ServeDef *def, Serve **result, ThawError *error) {
    Serve *serve = *result = THAW_NEW(Serve, 1);
    if (!serve)
        return thaw_error_memory(error, "the server");
    serve->def = *def;
    pthread_mutex_init(&serve->lock, NULL);
    ThawStatus status = draw_token(serve->token, error);
    if (status == THAW_OK)
        status = try_port(def, error);
    if (status == THAW_OK)
        status = listen_on(serve, error);
    if (status == THAW_OK && pthread_create(&serve->thread, NULL, work, serve) != 0) {
        lws_context_destroy(serve->context);
        serve->context = NULL;
        status = thaw_error_set(error, THAW_ERROR_IO, "cannot start the server's thread");
    }
    if (status != THAW_OK)
        serve_stop(result);
    return status;
}

void serve_stop(Serve **pointer) {
    Serve *serve = *pointer;
    if (!serve)
        return;
    if (serve->context) {
        serve->stopping = 1;
        lws_cancel_service(serve->context);
        pthread_join(serve->thread, NULL);
        lws_context_destroy(serve->context);
    }
    blob_drop(&serve->hello);
    pthread_mutex_destroy(&serve->lock);
    thaw_free(serve);
    *pointer = NULL;
}

const char *serve_address(const Serve *serve) { return serve->address; }

#endif

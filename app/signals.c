// SPDX-License-Identifier: Apache-2.0
// What the system may say to a program in mid-work. Ctrl-C, `kill` and a terminal that is closed ask for the same: an
// orderly end.
#include <signal.h>

#include "app.h"

void app_ignore_signals(void) {
    signal(SIGXFSZ, SIG_IGN); // a file that grows too large is an error of write, with its message, like a full disk
}

void app_listen_to_signals(void (*handler)(int), int once) {
    static const int asked[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART | (once ? (int)SA_RESETHAND : 0)}, before;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        // Started with `nohup` it is to go on.
        if (asked[i] != SIGHUP || (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN))
            sigaction(asked[i], &action, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// A folder for what a test program writes, there from its first test to its last: cmocka_run_group_tests(tests,
// make_folder, drop_folder).
#ifndef THAW_TEST_FOLDER_H
#define THAW_TEST_FOLDER_H

extern char folder[64];

int make_folder(void **state);
// With all that is in it; left where it is if THAW_KEEP is set.
int drop_folder(void **state);
// A path in it, in one of four places that take turns.
const char *at(const char *name);
int remove_tree(const char *path);

#endif

// SPDX-License-Identifier: GPL-3.0-or-later
// Temporary files for unit tests: text in, path out; the file goes away with temp_remove.
#ifndef MW_TESTS_FILES_H
#define MW_TESTS_FILES_H

#include "tests/unit/unit.h"

#include <unistd.h>

static char temp_path[64];

__attribute__((unused)) static const char *temp_bytes(const char *bytes, size_t size)
{
    strcpy(temp_path, "/tmp/mw_testXXXXXX");
    int fd = mkstemp(temp_path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), (ssize_t)size);
    close(fd);
    return temp_path;
}

__attribute__((unused)) static const char *temp_text(const char *text)
{
    return temp_bytes(text, strlen(text));
}

__attribute__((unused)) static void temp_remove(void)
{
    unlink(temp_path);
}

#endif

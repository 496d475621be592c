// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure/process/capture.h"

#include "tests/unit/unit.h"

static void takes_both_streams(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "echo out; echo err >&2; exit 3", NULL};
    char *text = NULL;
    int status = 0;
    assert_int_equal(mw_capture(words, 30, NULL, &text, &status, NULL), MW_OK);
    assert_string_equal(text, "out\nerr");
    assert_int_equal(status, 3);
    free(text);
}

static void no_such_command(void **state)
{
    (void)state;
    const char *const words[] = {"memwall-no-such-command", NULL};
    char *text = NULL;
    int status = 0;
    enum mw_err err = mw_capture(words, 30, NULL, &text, &status, NULL);
    if (err || status != 127) /* where vfork is a fork, as under an emulator, the child alone learns of it */
        assert_int_equal(err, MW_UNSUPPORTED);
    free(text);
}

/* One that hangs is ended, its child too, and what it said last is in the error. */
static void one_that_hangs(void **state)
{
    (void)state;
    const char *const words[] = {"sh", "-c", "echo waiting for the queue; sleep 600", NULL};
    struct mw_error error = {0};
    char *text = NULL;
    int status = 0;
    assert_int_equal(mw_capture(words, .3, NULL, &text, &status, &error), MW_RUN);
    assert_non_null(strstr(error.message, "waiting for the queue"));
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_both_streams), cmocka_unit_test(no_such_command),
                                       cmocka_unit_test(one_that_hangs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

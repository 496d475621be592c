// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "data/boundary.h"

static void lists(void **state)
{
    (void)state;
    unsigned *cores = NULL;
    enum mw_boundary_kind *kinds = NULL;
    size_t count = 0;
    assert_int_equal(mw_boundaries_parse("12:socket,4:smt,8", &cores, &kinds, &count, NULL), MW_OK);
    assert_int_equal(count, 3);
    static const unsigned after[] = {4, 8, 12};
    static const enum mw_boundary_kind what[] = {MW_BOUNDARY_SMT, MW_BOUNDARY_UNNAMED, MW_BOUNDARY_SOCKET};
    assert_memory_equal(cores, after, sizeof after);
    assert_memory_equal(kinds, what, sizeof what);
    free(cores);
    free(kinds);
    assert_int_equal(mw_boundaries_parse("2-6:2,8:slower", &cores, NULL, &count, NULL), MW_OK);
    assert_int_equal(count, 4);
    free(cores);
}

static void bad_lists(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "12:", "12:sockets", "socket:12", "0", "4,,8", "x"};
    struct mw_error error;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unsigned *cores = NULL;
        size_t count = 77;
        if (mw_boundaries_parse(bad[i], &cores, NULL, &count, &error) != MW_USAGE)
            fail_msg("'%s' was taken", bad[i]);
        assert_int_equal(count, 77);
    }
    enum mw_boundary_kind kind;
    assert_int_equal(mw_boundary_parse("numa", &kind, &error), MW_USAGE);
    assert_non_null(strstr(error.message, "socket, node, slower or smt"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(bad_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

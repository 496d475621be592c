// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/unit.h"

#include "measure/probe/arena.h"
#include "measure/machine/limits.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct mw_error error;

static struct mw_placement touched(enum mw_pages pages)
{
    struct mw_arena arena;
    struct mw_placement placement;
    assert_int_equal(mw_arena_open(&arena, 8u << 20, pages, MW_NODE_FIRST_TOUCH, &error), MW_OK);
    assert_int_equal((uintptr_t)arena.data % (2u << 20), 0);
    memset(arena.data, 1, arena.size_bytes);
    assert_int_equal(mw_arena_inspect(&arena, &placement, &error), MW_OK);
    mw_arena_close(&arena);
    return placement;
}

static void base_pages_are_base_pages(void **state)
{
    (void)state;
    struct mw_placement p = touched(MW_PAGES_BASE);
    assert_int_equal(p.page_bytes, mw_page_bytes());
    assert_near(p.huge_share, 0, 1e-9);
    assert_int_equal(p.sampled, 1024);
    size_t known = 0;
    for (size_t i = 0; i < MW_NODES_MAX; i++)
        known += p.on_node[i];
    assert_true(known == 0 || known == p.sampled);
    char text[100];
    mw_placement_format(&p, text, sizeof text);
    assert_true(!strcmp(text, "unknown") || strstr(text, "node "));
}

static void huge_pages_are_seen_where_there_are_any(void **state)
{
    (void)state;
    struct mw_placement p = touched(MW_PAGES_HUGE);
    /* memory may be fragmented, but what is reported must agree in itself */
    if (p.huge_share >= .5)
        assert_true(p.page_bytes > mw_page_bytes());
    else
        assert_int_equal(p.page_bytes, mw_page_bytes());
}

static void too_much_is_refused(void **state)
{
    (void)state;
    struct mw_arena arena = {0};
    assert_int_equal(mw_arena_open(&arena, (size_t)1 << 56, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, &error), MW_NOMEM);
    assert_int_equal(mw_arena_open(&arena, SIZE_MAX - 5, MW_PAGES_HUGE, MW_NODE_FIRST_TOUCH, &error), MW_NOMEM);
    assert_null(arena.data);
    assert_int_equal(mw_arena_open(&arena, 1 << 20, MW_PAGES_HUGE, 1000, &error), MW_RUN);
    assert_null(arena.data);
}

static void write_file(const char *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *c = full + 1; (c = strchr(c, '/')); c++) {
        *c = '\0';
        mkdir(full, 0777);
        *c = '/';
    }
    FILE *f = fopen(full, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void the_least_limit_binds(void **state)
{
    (void)state;
    char root[] = "/tmp/mw_limits_XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    struct mw_memory_limit limit;
    write_file(root, "/proc/meminfo", "MemTotal: 9000 kB\nMemAvailable:    8000 kB\n");
    mw_memory_limit(root, &limit);
    assert_int_equal(limit.size_bytes, 8000 * 1024);
    write_file(root, "/proc/self/cgroup", "0::/a/b\n");
    write_file(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
    write_file(root, "/sys/fs/cgroup/a/memory.max", "4096000\n");
    write_file(root, "/sys/fs/cgroup/a/memory.current", "1096000\n");
    write_file(root, "/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 96000\n");
    mw_memory_limit(root, &limit);
    assert_int_equal(limit.size_bytes, 3096000);
    assert_non_null(strstr(limit.what, "cgroup"));
    write_file(root, "/proc/self/cgroup", "4:memory:/x\n3:cpuset:/\n");
    write_file(root, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1000000");
    write_file(root, "/sys/fs/cgroup/memory/x/memory.usage_in_bytes", "2000000");
    mw_memory_limit(root, &limit);
    assert_int_equal(limit.size_bytes, 0);
    write_file(root, "/sys/devices/system/node/node3/meminfo", "Node 3 MemTotal:  77 kB\nNode 3 MemFree:   12 kB\n");
    assert_int_equal(mw_memory_node_free(root, 3), 12 * 1024);
    assert_true(mw_memory_node_free(root, 4) == SIZE_MAX);
    snprintf(command, sizeof command, "rm -rf %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_pages_are_base_pages),
        cmocka_unit_test(huge_pages_are_seen_where_there_are_any),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(the_least_limit_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

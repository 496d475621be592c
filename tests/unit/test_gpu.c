// SPDX-License-Identifier: GPL-3.0-or-later
// Graphics processors without one: the rules of timing on known times, instructions counted in known code, and the
// numbers of the two APIs against their headers where these are installed.
#include "tests/unit/unit.h"

#include "measure/gpu/code.h"
#include "measure/gpu/gles.h"
#include "measure/gpu/opencl.h"
#include "measure/gpu/spec.h"
#include "measure/gpu/timing.h"

#if __has_include(<CL/cl.h>) && __has_include(<CL/cl_ext.h>)
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#define HAVE_OPENCL_HEADERS 1
#endif
#if __has_include(<GLES3/gl3.h>) && __has_include(<EGL/eglext.h>) && __has_include(<GLES2/gl2ext.h>)
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#define HAVE_GLES_HEADERS 1
#endif

/* A device of known speed. */
struct device {
    double start_s, unit_s, query_share;
    unsigned long most, calls; /* work beyond `most` units is dropped; 0: none */
    unsigned slow_every;       /* one window in that many takes ten times as long; 0: none */
};

static enum mw_err run(void *opaque, unsigned long count, struct mw_gpu_window *window, struct mw_error *error)
{
    struct device *d = opaque;
    unsigned long done = d->most && count > d->most ? d->most : count;
    (void)error;
    window->wall_s = d->start_s + (double)done * d->unit_s;
    if (d->slow_every && ++d->calls % d->slow_every == 0)
        window->wall_s *= 10;
    window->query_s = window->wall_s * d->query_share;
    return MW_OK;
}

static struct mw_gpu_timing time_of(struct device device)
{
    struct mw_gpu_timing timing;
    struct mw_error error;
    struct mw_gpu_work work = {.run = run, .work = &device, .runs = 6};
    assert_int_equal(mw_gpu_time(&work, &timing, &error), MW_OK);
    return timing;
}

static void a_known_rate_is_found(void **state)
{
    (void)state;
    struct mw_gpu_timing t = time_of((struct device){.start_s = 1e-5, .unit_s = 1e-6, .query_share = 0.97});
    assert_int_equal(t.runs, 6);
    assert_near(t.best_s, 1e-5 + (double)t.count * 1e-6, 1e-9);
    assert_true(t.best_s >= MW_GPU_WINDOW_S / 2 && t.best_s < 4 * MW_GPU_WINDOW_S);
    assert_near(t.growth_4, 4, 0.05);
    assert_near(t.growth_16, 16, 0.2);
    assert_true(mw_gpu_proportional(&t));
    assert_true(mw_gpu_query_plausible(t.query_s, t.best_s));
}

/* On a busy machine the first windows may all be long because a thread woke late: then the later ones are too short. */
static enum mw_err run_late(void *opaque, unsigned long count, struct mw_gpu_window *window, struct mw_error *error)
{
    struct device *d = opaque;
    enum mw_err err = run(d, count, window, error);
    window->wall_s = ++d->calls < 14 ? fmax(window->wall_s, 2e-3) : window->wall_s;
    return err;
}

static void late_wakes_do_not_shorten_windows(void **state)
{
    (void)state;
    struct device device = {.unit_s = 1e-6, .query_share = 1};
    struct mw_gpu_timing t;
    struct mw_error error;
    struct mw_gpu_work work = {.run = run_late, .work = &device, .runs = 20};
    assert_int_equal(mw_gpu_time(&work, &t, &error), MW_OK);
    assert_true(t.best_s >= MW_GPU_WINDOW_S / 4);
    assert_true(mw_gpu_proportional(&t));
}

/* A window that other work made ten times as long must change neither the size of the windows nor the growth. */
static void a_slow_window_is_no_slow_device(void **state)
{
    (void)state;
    for (unsigned every = 2; every < 6; every++) {
        struct mw_gpu_timing t = time_of((struct device){.unit_s = 1e-6, .query_share = 1, .slow_every = every});
        assert_near(t.best_s / (double)t.count, 1e-6, 1e-12);
        assert_true(t.best_s >= MW_GPU_WINDOW_S / 2);
        assert_true(mw_gpu_proportional(&t));
    }
}

static void dropped_work_is_found(void **state)
{
    (void)state;
    struct mw_gpu_timing t = time_of((struct device){.unit_s = 2e-3, .query_share = 1, .most = 2});
    assert_false(mw_gpu_proportional(&t));
    t.growth_told = true;
    assert_true(mw_gpu_deferred(&t));
    t.growth_told = false; /* other work made every short window long */
    assert_false(mw_gpu_deferred(&t));
    t = time_of((struct device){.start_s = 1e-4, .unit_s = 0, .query_share = 1});
    assert_false(mw_gpu_proportional(&t));
}

/* llvmpipe's query is up to a thousand times too short */
static void a_query_that_cannot_be_is_refused(void **state)
{
    (void)state;
    assert_true(mw_gpu_query_plausible(0.6, 1));
    assert_true(mw_gpu_query_plausible(1, 1));
    assert_false(mw_gpu_query_plausible(0.4, 1));
    assert_false(mw_gpu_query_plausible(0.001, 1));
    assert_false(mw_gpu_query_plausible(1.2, 1));
    assert_false(mw_gpu_query_plausible(-1, 1));
}

static void instructions_of_the_inner_loop_are_counted(void **state)
{
    (void)state;
    /* the compiler's second copy of the loop, and multiply-adds outside of loops, do not count */
    static const char x86[] = "0000000000001000 <kernel>:\n"
                              "    1000:\tvfmadd213ps %zmm0,%zmm1,%zmm2\n"
                              "    1010:\tmov    %rax,%rcx\n"
                              "    1018:\tvfmadd213ps %zmm0,%zmm1,%zmm2\n"
                              "    101e:\tvfmadd213ps %zmm3,%zmm4,%zmm5\n"
                              "    1024:\tvmovups %zmm5,0x40(%rsp)\n"
                              "    102a:\tdec    %ecx\n"
                              "    102c:\tjne    1018 <kernel+0x18>\n"
                              "    1030:\tdec    %edx\n"
                              "    1032:\tjne    1010 <kernel+0x10>\n"
                              "    1038:\tvfmadd213ss %xmm3,%xmm4,%xmm5\n"
                              "    1040:\tjne    1038 <kernel+0x38>\n"
                              "    1048:\tret\n";
    static const char call[] = "    1000:\tmov    %rax,%rcx\n"
                               "    1008:\tcall   2000 <fmaf@plt>\n"
                               "    100e:\tjne    1000 <kernel>\n";
    static const char arm[] = "    1000:\tfmla\tv0.4s, v1.4s, v2.4s\n"
                              "    1004:\tsubs\tw0, w0, #0x1\n"
                              "    1008:\tb.ne\t1000 <kernel>  // b.any\n";
    struct mw_gpu_code code;
    assert_true(mw_gpu_code_count_elf(x86, &code));
    assert_int_equal(code.fma, 2);
    assert_int_equal(code.spills, 1);
    assert_int_equal(code.calls, 0);
    assert_string_equal(code.width, "zmm");
    assert_true(mw_gpu_code_count_elf(call, &code));
    assert_int_equal(code.fma, 0);
    assert_int_equal(code.calls, 1);
    assert_true(mw_gpu_code_count_elf(arm, &code));
    assert_int_equal(code.fma, 1);
    assert_string_equal(code.width, "v");
    assert_false(mw_gpu_code_count_elf("    1000:\tret\n", &code));
    assert_false(mw_gpu_code_count_elf("", &code));
}

static void instructions_of_ptx_are_counted(void **state)
{
    (void)state;
    static const char ptx[] =
        ".version 7.0\n.visible .entry other(\n)\n{\n$L__BB0_1:\n\tfma.rn.f32 %f1, %f1, %f2, %f2;\n"
        "\t@%p1 bra $L__BB0_1;\n\tret;\n}\n"
        ".visible .entry fma_c1_w1(\n)\n{\n\tfma.rn.f32 %f9, %f9, %f9, %f9;\n$L__BB1_2:\n"
        "\tfma.rn.f32 %f1, %f1, %f2, %f2;\n\tfma.rn.f32 %f2, %f2, %f1, %f1;\n"
        "\tst.local.f32 [%rd1], %f2;\n\tsetp.ne.s32 %p1, %r1, 0;\n\t@%p1 bra $L__BB1_2;\n\tret;\n}\n";
    struct mw_gpu_code code;
    assert_true(mw_gpu_code_count_ptx(ptx, "fma_c1_w1", &code));
    assert_int_equal(code.fma, 2);
    assert_int_equal(code.spills, 1);
    assert_false(mw_gpu_code_count_ptx(ptx, "fma_c8_w1", &code));
    assert_false(mw_gpu_code_count_ptx("", "fma_c1_w1", &code));
}

static void a_share_needs_the_same_thing_twice(void **state)
{
    (void)state;
    struct mw_gpu_row row = {.kernel = MW_GPU_PIXEL_FILL,
                             .condition = "clean",
                             .format = "RGBA8",
                             .unit = "Mpixel/s",
                             .value = 900,
                             .valid = true,
                             .clock_seen_hz = 1e9};
    struct mw_gpu_spec spec = {.figures = {{.kernel = "pixel-fill",
                                            .value = 1e9,
                                            .unit = "pixel/s",
                                            .clock_hz = 1e9,
                                            .format = "RGBA8",
                                            .counting = "written"}},
                               .figure_count = 1};
    struct mw_gpu_comparison c;
    mw_gpu_compare(&row, &spec, &c);
    assert_true(c.compared);
    assert_near(c.value, 1000, 1e-9);
    assert_near(c.share, 0.9, 1e-12);
    assert_string_equal(c.why, "");
    row.clock_seen_hz = 1.3e9; /* another clock: no share */
    mw_gpu_compare(&row, &spec, &c);
    assert_near(c.share, 0, 0);
    assert_string_equal(c.why, "clock 1 GHz; 1.3 GHz here");
    row.clock_seen_hz = 0;
    mw_gpu_compare(&row, &spec, &c);
    assert_string_equal(c.why, "clock 1 GHz; not known here");
    row.clock_seen_hz = 1e9;
    spec.figures[0].format[0] = '\0';
    mw_gpu_compare(&row, &spec, &c);
    assert_near(c.share, 0, 0);
    assert_string_equal(c.why, "format not stated; RGBA8 here");
    strcpy(spec.figures[0].format, "RGBA8");
    row.value = 1200; /* flagged, not hidden */
    mw_gpu_compare(&row, &spec, &c);
    assert_near(c.share, 1.2, 1e-12);
    assert_non_null(strstr(c.why, "120 % of the specification"));
    strcpy(row.condition, "blend");
    mw_gpu_compare(&row, &spec, &c);
    assert_false(c.compared);
}

static void numbers_are_those_of_the_headers(void **state)
{
    (void)state;
#define X(name, number) assert_int_equal((int)(name), (int)(number));
#ifdef HAVE_OPENCL_HEADERS
    MW_OPENCL_CONSTANTS(X)
#endif
#ifdef HAVE_GLES_HEADERS
    MW_EGL_CONSTANTS(X)
    MW_GL_CONSTANTS(X)
#endif
#undef X
#if !defined HAVE_OPENCL_HEADERS && !defined HAVE_GLES_HEADERS
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_rate_is_found),
        cmocka_unit_test(a_slow_window_is_no_slow_device),
        cmocka_unit_test(late_wakes_do_not_shorten_windows),
        cmocka_unit_test(dropped_work_is_found),
        cmocka_unit_test(a_query_that_cannot_be_is_refused),
        cmocka_unit_test(instructions_of_the_inner_loop_are_counted),
        cmocka_unit_test(instructions_of_ptx_are_counted),
        cmocka_unit_test(a_share_needs_the_same_thing_twice),
        cmocka_unit_test(numbers_are_those_of_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Drivers that do nothing: every function that memwall loads is here and returns 0, unless fake_driver.c has another.
// One library stands for libOpenCL, libEGL and libGLESv2.
#include "measure/gpu/gles.h"
#include "measure/gpu/opencl.h"

long fake_nothing(void);
long fake_nothing(void)
{
    return 0;
}

#define X(type, name, parameters) extern long name(void) __attribute__((weak, alias("fake_nothing")));
MW_OPENCL_FUNCTIONS(X)
MW_EGL_FUNCTIONS(X)
MW_GLES_FUNCTIONS(X)

// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/machine/machine.h"

#include <stdlib.h>

#define MIB 1048576.

/* Drivers start in a second or so; one that takes this long won't come. */
#define DRIVERS_S 30

enum mw_err machine_read_gpus(struct machine *m, struct mw_error *error)
{
    struct mw_gpu_list *list = calloc(1, sizeof *list);
    struct mw_error why;
    if (!list)
        return mw_fail(error, MW_NOMEM, "out of memory");
    enum mw_err err = mw_gpu_list_read(list, DRIVERS_S, cli_interrupted, &why);
    m->gpus = list;
    if (err == MW_INTERRUPTED) {
        *error = why;
        return err;
    }
    if (err)
        machine_add_unknown(m, "graphics processors", why.message, why.hint);
    for (enum mw_gpu_api api = 0; api < MW_GPU_APIS && !err; api++)
        if (list->missing[api].code)
            machine_add_unknown(m, api == MW_GPU_OPENCL ? "devices for arithmetic" : "devices that draw",
                                list->missing[api].message, list->missing[api].hint);
    return MW_OK;
}

static void print_device(const struct mw_gpu_device *d, FILE *f)
{
    fprintf(f, "%s, %s by %s", d->name, mw_gpu_kind_name(d->kind), mw_gpu_api_name(d->api));
    if (d->compute_units)
        fprintf(f, ", %u compute unit%s", d->compute_units, d->compute_units == 1 ? "" : "s");
    if (d->clock_hz > 0)
        fprintf(f, " at %.4g GHz as told", d->clock_hz * 1e-9);
    if (d->memory_bytes)
        fprintf(f, ", %.0f MiB%s", (double)d->memory_bytes / MIB, d->host_memory ? " shared with the host" : "");
    if (d->api == MW_GPU_OPENCL)
        fprintf(f, ", %sFP32%s %s FMA", d->fp16 ? "FP16 " : "", d->fp64 ? " FP64" : "", d->fma32 ? "with" : "without");
    else
        fprintf(f, ", textures to %u%s", d->texture_max, d->half_float_target ? ", RGBA16F targets" : "");
    fprintf(f, "\n%-13s %s; driver %s", "", d->api_version, d->driver_version);
    if (*d->failed)
        fprintf(f, "; can't be used: %s", d->failed);
    fputc('\n', f);
}

void machine_print_gpus(const struct machine *m, FILE *f)
{
    for (size_t i = 0; m->gpus && i < m->gpus->count; i++) {
        fprintf(f, "%s%-13s%s ", cli_bold(), i ? "" : "devices", cli_reset());
        fprintf(f, "%zu: ", i);
        print_device(&m->gpus->devices[i], f);
    }
}

static json_t *known(size_t value)
{
    return value ? json_integer((json_int_t)value) : json_null();
}

json_t *machine_gpus_json(const struct machine *m)
{
    json_t *list = json_array();
    for (size_t i = 0; m->gpus && i < m->gpus->count; i++) {
        const struct mw_gpu_device *d = &m->gpus->devices[i];
        bool cl = d->api == MW_GPU_OPENCL;
        json_t *o =
            json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "device", (json_int_t)i, "name", d->name, "vendor",
                      d->vendor, "api", mw_gpu_api_name(d->api), "kind", mw_gpu_kind_name(d->kind), "platform",
                      d->platform_name, "driver_version", d->driver_version, "api_version", d->api_version);
        json_object_set_new(o, "compute_units", known(d->compute_units));
        json_object_set_new(o, "clock_ghz", d->clock_hz > 0 ? json_real(d->clock_hz * 1e-9) : json_null());
        json_object_set_new(o, "memory_bytes", known(d->memory_bytes));
        json_object_set_new(o, "allocation_bytes", known(d->alloc_bytes));
        json_object_set_new(o, "cache_bytes", known(d->cache_bytes));
        json_object_set_new(o, "line_bytes", known(d->line_bytes));
        json_object_set_new(o, "local_bytes", known(d->local_bytes));
        json_object_set_new(o, "work_group_max", known(d->group_max));
        json_object_set_new(o, "texture_max", known(d->texture_max));
        json_object_set_new(o, "fp16", cl ? json_boolean(d->fp16) : json_null());
        json_object_set_new(o, "fp64", cl ? json_boolean(d->fp64) : json_null());
        json_object_set_new(o, "fma", cl ? json_boolean(d->fma32) : json_null());
        json_object_set_new(o, "rgba16f_target", cl ? json_null() : json_boolean(d->half_float_target));
        json_object_set_new(o, "timer_query", cl ? json_null() : json_boolean(d->timer_query));
        json_object_set_new(o, "host_memory",
                            cl || d->kind == MW_GPU_KIND_SOFTWARE ? json_boolean(d->host_memory) : json_null());
        json_object_set_new(o, "failed", *d->failed ? json_string(d->failed) : json_null());
        json_array_append_new(list, o);
    }
    return list;
}

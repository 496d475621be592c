#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What limits a program, from its model file, by ctypes: nothing to compile. LD_LIBRARY_PATH tells where the library is."""
import ctypes
import sys


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("sys_errno", ctypes.c_int),
                ("message", ctypes.c_char * 512), ("hint", ctypes.c_char * 256)]


memwall = ctypes.CDLL("libmemwall.so.0")
for text in "mw_version", "mw_verdict_name", "mw_report_evidence", "mw_report_advice":
    getattr(memwall, text).restype = ctypes.c_char_p
memwall.mw_report_confidence.restype = ctypes.c_double
memwall.mw_report_confidence.argtypes = memwall.mw_report_verdict.argtypes = [ctypes.c_void_p]
for listed in memwall.mw_report_evidence, memwall.mw_report_advice:
    listed.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
memwall.mw_report_free.argtypes = memwall.mw_model_free.argtypes = [ctypes.c_void_p]
memwall.mw_report_alloc.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]


def check(status, error):
    if status:
        sys.exit((error.message + b"\n" + error.hint).decode())


error, model, report = Error(), ctypes.c_void_p(), ctypes.c_void_p()
check(memwall.mw_model_load(ctypes.byref(model), sys.argv[1].encode(), ctypes.byref(error)), error)
check(memwall.mw_report_alloc(ctypes.byref(report), model, None, ctypes.byref(error)), error)
verdict = memwall.mw_verdict_name(memwall.mw_report_verdict(report)).decode()
print(f"{verdict}, {memwall.mw_report_confidence(report):.2f} sure (memwall {memwall.mw_version().decode()})")
for sentences in memwall.mw_report_evidence, memwall.mw_report_advice:
    i = 0
    while sentence := sentences(report, i):
        print("-", sentence.decode())
        i += 1
memwall.mw_report_free(report)
memwall.mw_model_free(model)

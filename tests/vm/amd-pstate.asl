// SPDX-License-Identifier: GPL-3.0-or-later
DefinitionBlock ("", "SSDT", 2, "MEMW", "CPPC", 1)
{
  External (\_SB.CPUS.C000, DeviceObj)
  External (\_SB.CPUS.C001, DeviceObj)
  External (\_SB.CPUS.C002, DeviceObj)
  External (\_SB.CPUS.C003, DeviceObj)
  Scope (\_SB.CPUS.C000) {
    Name (_CPC, Package () { 23, 3,
      255, 166, 80, 20,          // highest, nominal, lowest nonlinear, lowest
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000000, 3) },                    // guaranteed, desired
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000004, 3) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000008, 3) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // minimum, maximum, tolerance
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                    // time window, counter wraparound
      ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000010, 3) }, ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000018, 3) },                    // reference, delivered
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000020, 3) },                        // performance limited
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000024, 3) },                        // enable
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // autonomous selection, window, epp
      166,                        // reference performance
      400, 2400 })               // lowest, nominal frequency, MHz
    Name (_PSD, Package () { Package () { 5, 0, 0, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C001) {
    Name (_CPC, Package () { 23, 3,
      255, 166, 80, 20,          // highest, nominal, lowest nonlinear, lowest
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000040, 3) },                    // guaranteed, desired
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000044, 3) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000048, 3) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // minimum, maximum, tolerance
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                    // time window, counter wraparound
      ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000050, 3) }, ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000058, 3) },                    // reference, delivered
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000060, 3) },                        // performance limited
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000064, 3) },                        // enable
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // autonomous selection, window, epp
      166,                        // reference performance
      400, 2400 })               // lowest, nominal frequency, MHz
    Name (_PSD, Package () { Package () { 5, 0, 0, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C002) {
    Name (_CPC, Package () { 23, 3,
      255, 166, 80, 20,          // highest, nominal, lowest nonlinear, lowest
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000080, 3) },                    // guaranteed, desired
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000084, 3) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x10000088, 3) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // minimum, maximum, tolerance
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                    // time window, counter wraparound
      ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000090, 3) }, ResourceTemplate () { Register (SystemMemory, 64, 0, 0x10000098, 3) },                    // reference, delivered
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000A0, 3) },                        // performance limited
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000A4, 3) },                        // enable
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // autonomous selection, window, epp
      166,                        // reference performance
      400, 2400 })               // lowest, nominal frequency, MHz
    Name (_PSD, Package () { Package () { 5, 0, 1, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C003) {
    Name (_CPC, Package () { 23, 3,
      255, 166, 80, 20,          // highest, nominal, lowest nonlinear, lowest
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000C0, 3) },                    // guaranteed, desired
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000C4, 3) }, ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000C8, 3) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // minimum, maximum, tolerance
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                    // time window, counter wraparound
      ResourceTemplate () { Register (SystemMemory, 64, 0, 0x100000D0, 3) }, ResourceTemplate () { Register (SystemMemory, 64, 0, 0x100000D8, 3) },                    // reference, delivered
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000E0, 3) },                        // performance limited
      ResourceTemplate () { Register (SystemMemory, 32, 0, 0x100000E4, 3) },                        // enable
      ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) }, ResourceTemplate () { Register (SystemMemory, 0, 0, 0, 0) },                // autonomous selection, window, epp
      166,                        // reference performance
      400, 2400 })               // lowest, nominal frequency, MHz
    Name (_PSD, Package () { Package () { 5, 0, 1, 0xFD, 2 } })
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later
DefinitionBlock ("", "SSDT", 2, "MEMW", "PSTATES", 1)
{
  External (\_SB.CPUS.C000, DeviceObj)
  External (\_SB.CPUS.C001, DeviceObj)
  External (\_SB.CPUS.C002, DeviceObj)
  External (\_SB.CPUS.C003, DeviceObj)
  Scope (\_SB.CPUS.C000) {
    Name (_PCT, Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) }, ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) } })
    Name (_PSS, Package () {
      Package () { 2400, 20000, 10, 10, 0x18, 0x18 },
      Package () { 1800, 15000, 10, 10, 0x12, 0x12 },
      Package () { 1200, 10000, 10, 10, 0x0C, 0x0C },
      Package () { 800, 8000, 10, 10, 0x08, 0x08 } })
    Name (_PPC, Zero)
    Name (_PSD, Package () { Package () { 5, 0, 0, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C001) {
    Name (_PCT, Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) }, ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) } })
    Name (_PSS, Package () {
      Package () { 2400, 20000, 10, 10, 0x18, 0x18 },
      Package () { 1800, 15000, 10, 10, 0x12, 0x12 },
      Package () { 1200, 10000, 10, 10, 0x0C, 0x0C },
      Package () { 800, 8000, 10, 10, 0x08, 0x08 } })
    Name (_PPC, Zero)
    Name (_PSD, Package () { Package () { 5, 0, 0, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C002) {
    Name (_PCT, Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) }, ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) } })
    Name (_PSS, Package () {
      Package () { 2400, 20000, 10, 10, 0x18, 0x18 },
      Package () { 1800, 15000, 10, 10, 0x12, 0x12 },
      Package () { 1200, 10000, 10, 10, 0x0C, 0x0C },
      Package () { 800, 8000, 10, 10, 0x08, 0x08 } })
    Name (_PPC, Zero)
    Name (_PSD, Package () { Package () { 5, 0, 1, 0xFD, 2 } })
  }
  Scope (\_SB.CPUS.C003) {
    Name (_PCT, Package () { ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) }, ResourceTemplate () { Register (SystemIO, 8, 0, 0x80) } })
    Name (_PSS, Package () {
      Package () { 2400, 20000, 10, 10, 0x18, 0x18 },
      Package () { 1800, 15000, 10, 10, 0x12, 0x12 },
      Package () { 1200, 10000, 10, 10, 0x0C, 0x0C },
      Package () { 800, 8000, 10, 10, 0x08, 0x08 } })
    Name (_PPC, Zero)
    Name (_PSD, Package () { Package () { 5, 0, 1, 0xFD, 2 } })
  }
}

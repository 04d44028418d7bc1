// Loaded before a server (`--import`). Shifts its clock by the number of milliseconds in the file
// that SHIFTED_CLOCK names, and reads the file again on every SIGUSR2.
import { readFileSync } from 'node:fs'

const RightDate = Date
let shiftMs = 0

class ShiftedDate extends RightDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]))
  }

  static override now(): number {
    return RightDate.now() + shiftMs
  }
}

globalThis.Date = ShiftedDate as DateConstructor
process.on('SIGUSR2', () => {
  shiftMs = Number(readFileSync(process.env['SHIFTED_CLOCK'] ?? '', 'utf8'))
})

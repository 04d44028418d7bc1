// Loaded before a server (`--import`): its clock goes wrong by as many milliseconds as the file named in
// SHIFTED_CLOCK says, read anew with every SIGUSR2.
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

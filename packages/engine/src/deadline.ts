import { CommandError } from './errors.ts'

/** When a command must have ended, in milliseconds of the process's clock. */
export interface Deadline {
  readonly at: number
  /** From when on others are kept waiting: what goes on then ends with `TurnOver`. @default Infinity */
  readonly turnEndsAt?: number
}

export const NO_DEADLINE: Deadline = { at: Infinity }

/** A read has taken longer than a turn: it is to be run anew where nobody waits for it. */
export class TurnOver extends Error {
  constructor() {
    super('it takes longer than a turn')
  }
}

const CHECK_EVERY = 256
/** Of bytes or characters that are looked at one by one: as long as a small document takes. */
const UNIT_BYTES = 4096

// A command runs without a pause, or from pause to pause: one at a time.
let current = NO_DEADLINE
let spent = 0

/** Runs a part of a command, at whose every step `spend` looks at this deadline. */
export function withDeadline<T>(deadline: Deadline, work: () => T): T {
  const outer = current
  current = deadline
  try {
    return work()
  } finally {
    current = outer
  }
}

/** @throws CommandError MaxTimeMSExpired; TurnOver */
export function checkDeadline({ at, turnEndsAt = Infinity } = current): void {
  const now = performance.now()
  if (now > at) throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
  if (now > turnEndsAt) throw new TurnOver()
}

/**
 * To be called for each thing that is done: a document, an element, a comparison, a call of a function. Looks at
 * the clock at every 256th.
 * @throws CommandError MaxTimeMSExpired; TurnOver
 */
export function spend(units = 1): void {
  spent += units
  if (spent < CHECK_EVERY) return
  spent = 0
  checkDeadline()
}

/** The same for so many bytes or characters. */
export function spendOn(bytes: number): void {
  return spend(1 + bytes / UNIT_BYTES)
}

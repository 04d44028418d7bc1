import { CommandError } from './errors.ts'

/** When a command must have ended, in milliseconds of the process's clock. */
export interface Deadline {
  readonly at: number
  /** What goes on when it is over ends with `TurnOver`. */
  readonly turn?: Turn | undefined
}

/** How long a command may keep others waiting: by the clock, and by what the process has worked meanwhile. */
export interface Turn {
  readonly endsAt: number
  /** A command that has waited for a core would wait for it in another process as well. */
  readonly cpuEndsAt: number
}

/** So old a figure of what the process has worked may be: asking takes a part of a short read's time. */
const SAMPLE_MS = 10

let sample = { at: -Infinity, cpuMs: 0 }

export function turnOf(ms: number): Turn {
  const now = performance.now()
  if (now - sample.at > SAMPLE_MS) sample = { at: now, cpuMs: cpuMs() }
  return { endsAt: now + ms, cpuEndsAt: sample.cpuMs + ms }
}

/** Of all threads of this process: at least as much as this one. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
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
export function checkDeadline({ at, turn } = current): void {
  const now = performance.now()
  if (now > at) throw new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
  if (turn && now > turn.endsAt && cpuMs() > turn.cpuEndsAt) throw new TurnOver()
}

/** Until the command must have ended, or its turn may be over. */
export function leftMs(): number {
  return Math.min(current.at, current.turn?.endsAt ?? Infinity) - performance.now()
}

/** Whether the command ends by itself, or goes on elsewhere, when it takes too long. */
export function hasDeadline(): boolean {
  return current.at !== Infinity || current.turn !== undefined
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

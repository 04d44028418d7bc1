import { CommandError } from './errors.ts'

export interface Deadline {
  readonly at: number
  /** If set, `checkDeadline` throws `TurnOver` at the end of the turn. */
  readonly turn?: Turn | undefined
}

/** How long a command may block others, in wall time and in CPU time of the process. */
export interface Turn {
  readonly endsAt: number
  /** A command that waits for a core would also wait in another process. */
  readonly cpuEndsAt: number
}

/** Maximum age of the cached CPU time: `process.cpuUsage` would slow down short reads. */
const SAMPLE_MS = 10

let sample = { at: -Infinity, cpuMs: 0 }

export function startTurn(ms: number): Turn {
  const now = performance.now()
  if (now - sample.at > SAMPLE_MS) sample = { at: now, cpuMs: cpuMs() }
  return { endsAt: now + ms, cpuEndsAt: sample.cpuMs + ms }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const NO_DEADLINE: Deadline = { at: Infinity }

/** A read took longer than its turn. The reader process runs it again from the start. */
export class TurnOver extends Error {
  constructor() {
    super('it takes longer than a turn')
  }
}

const CHECK_EVERY = 256
/** Bytes or characters per step, about the work of a small document. */
const BYTES_PER_STEP = 4096

// Only one command runs at a time, between two awaits.
let current = NO_DEADLINE
let spent = 0

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

/** Milliseconds until the deadline or the end of the turn. */
export function getRemainingMs(): number {
  return Math.min(current.at, current.turn?.endsAt ?? Infinity) - performance.now()
}

export function hasDeadline(): boolean {
  return current.at !== Infinity || current.turn !== undefined
}

/**
 * Counts a document, an element, a comparison or a call. Every 256th step checks the deadline.
 * @throws CommandError MaxTimeMSExpired; TurnOver
 */
export function spend(units = 1): void {
  spent += units
  if (spent < CHECK_EVERY) return
  spent = 0
  checkDeadline()
}

export function spendOn(bytes: number): void {
  return spend(1 + bytes / BYTES_PER_STEP)
}

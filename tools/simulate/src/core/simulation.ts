import { EventQueue, type QueuedEvent } from './event-queue.ts'
import { openRandom, type Random } from './random.ts'
import { Trace } from './trace.ts'

/** A program of the simulation. Its timers, sockets and files work only while it is alive. */
export interface SimulatedProcess {
  readonly name: string
  isAlive: boolean
  isPaused: boolean
  /** Difference between its clock and virtual time, in milliseconds. Only `Date` shows it. */
  clockOffsetMs: number
  /** Called when the process is killed, in the order of registration. */
  readonly onKill: Set<() => void>
  /** The time of the last immediate, because immediates run in order. */
  lastImmediateAt: number
  /** The end of the last timer of each duration, because equal durations end in order. */
  readonly lastTimerAt: Map<number, number>
}

export interface SimulatedEvent extends QueuedEvent {
  at: number
  order: number
  readonly process: SimulatedProcess
  readonly label: string
  readonly run: () => void
  isCancelled: boolean
}

export interface Violation {
  readonly at: number
  readonly text: string
}

/** 2026-01-01T00:00:00Z */
const EPOCH_MS = 1_767_225_600_000

const realSetImmediate = setImmediate

/**
 * Virtual time and the order of all events. A process runs one event at a time. Its microtasks and
 * `process.nextTick` callbacks end before the next event starts.
 */
export class Simulation {
  readonly seed: number
  /** Decides the order of events and all faults. */
  readonly random: Random
  /** The random numbers that programs see. */
  readonly entropy: Random
  readonly trace: Trace
  readonly violations: Violation[] = []
  readonly #queue = new EventQueue<SimulatedEvent>()
  readonly #held = new Map<SimulatedProcess, SimulatedEvent[]>()
  #now = 0
  #order = 0
  #current: SimulatedProcess | null = null

  constructor(seed: number, trace = new Trace()) {
    this.seed = seed
    this.random = openRandom(seed, 'order')
    this.entropy = openRandom(seed, 'entropy')
    this.trace = trace
  }

  /** Microseconds since the start. */
  get now(): number {
    return this.#now
  }

  /** Milliseconds since 1970 at the start. */
  get startMs(): number {
    return EPOCH_MS
  }

  get current(): SimulatedProcess | null {
    return this.#current
  }

  /** Milliseconds since 1970 on the clock of the current process. */
  get clockMs(): number {
    return EPOCH_MS + this.#now / 1000 + (this.#current?.clockOffsetMs ?? 0)
  }

  spawn(name: string): SimulatedProcess {
    return {
      name,
      isAlive: true,
      isPaused: false,
      clockOffsetMs: 0,
      onKill: new Set(),
      lastImmediateAt: 0,
      lastTimerAt: new Map(),
    }
  }

  at(process: SimulatedProcess, at: number, label: string, run: () => void): SimulatedEvent {
    const order = (this.#order += 1)
    const event = { at, order, process, label, run, isCancelled: false }
    this.#queue.push(event)
    return event
  }

  after(process: SimulatedProcess, delay: number, label: string, run: () => void): SimulatedEvent {
    return this.at(process, this.#now + delay, label, run)
  }

  note(text: string): void {
    this.trace.add(this.#now, this.#current?.name ?? 'world', text)
  }

  violate(text: string): void {
    this.note(`VIOLATION ${text}`)
    this.violations.push({ at: this.#now, text })
  }

  kill(process: SimulatedProcess): void {
    if (!process.isAlive) return
    process.isAlive = false
    this.#held.delete(process)
    for (const end of process.onKill) end()
    process.onKill.clear()
  }

  pause(process: SimulatedProcess): void {
    process.isPaused = true
  }

  /** Events of the pause run now, in their order. */
  resume(process: SimulatedProcess): void {
    process.isPaused = false
    const held = this.#held.get(process) ?? []
    this.#held.delete(process)
    for (const event of held) {
      event.at = this.#now
      event.order = this.#order += 1
      this.#queue.push(event)
    }
  }

  /** Runs events until the time, or until there is a violation. */
  async run(until: number): Promise<void> {
    for (;;) {
      const event = this.#queue.pop()
      if (event === undefined) return
      if (event.at > until) {
        this.#queue.push(event)
        this.#now = until
        return
      }
      if (event.isCancelled || !event.process.isAlive) continue
      this.#now = Math.max(this.#now, event.at)
      if (event.process.isPaused) this.#hold(event)
      else await this.#execute(event)
      if (this.violations.length > 0) return
    }
  }

  #hold(event: SimulatedEvent): void {
    const held = this.#held.get(event.process) ?? []
    held.push(event)
    this.#held.set(event.process, held)
  }

  async #execute(event: SimulatedEvent): Promise<void> {
    this.#current = event.process
    this.trace.addEvent(this.#now, event.process.name, event.label)
    try {
      event.run()
    } catch (error) {
      this.violate(`${event.process.name} threw ${explainError(error)}`)
    }
    await new Promise((resolve) => realSetImmediate(resolve))
    this.#current = null
  }
}

export function explainError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

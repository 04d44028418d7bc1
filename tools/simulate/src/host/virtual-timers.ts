import type { SimulatedEvent, SimulatedProcess, Simulation } from '../core/simulation.ts'

/** The Node timer of a simulated process. */
export class VirtualTimer {
  readonly #simulation: Simulation
  readonly #process: SimulatedProcess
  readonly #label: string
  readonly #run: () => void
  readonly #delayMs: number
  readonly #repeats: boolean
  #event: SimulatedEvent | null = null

  constructor(simulation: Simulation, options: TimerOptions) {
    const { process, label, run, delayMs, repeats } = options
    this.#simulation = simulation
    this.#process = process
    this.#label = label
    this.#run = run
    this.#delayMs = delayMs
    this.#repeats = repeats
    this.#start()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  close(): this {
    if (this.#event !== null) this.#event.isCancelled = true
    this.#event = null
    return this
  }

  refresh(): this {
    this.close()
    this.#start()
    return this
  }

  [Symbol.toPrimitive](): number {
    return Number.NaN
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #start(): void {
    const at = dueAt(this.#simulation, this.#process, this.#delayMs)
    this.#event = this.#simulation.at(this.#process, at, this.#label, () => {
      if (this.#repeats) this.#start()
      this.#run()
    })
  }
}

export interface TimerOptions {
  readonly process: SimulatedProcess
  readonly label: string
  readonly run: () => void
  readonly delayMs: number
  readonly repeats: boolean
}

const MAX_LATENESS_US = 900

/** A timer is late by less than a millisecond. Timers of equal duration end in order, as in Node. */
function dueAt({ now, random }: Simulation, process: SimulatedProcess, delayMs: number): number {
  const wished = now + delayMs * 1000 + random.between(0, MAX_LATENESS_US)
  const at = Math.max(wished, (process.lastTimerAt.get(delayMs) ?? 0) + 1)
  process.lastTimerAt.set(delayMs, at)
  return at
}

const MAX_IMMEDIATE_US = 40

/** Immediates of a process run in order, soon after the current event. */
export function startImmediate(
  simulation: Simulation,
  process: SimulatedProcess,
  run: () => void,
): SimulatedEvent {
  const wished = simulation.now + simulation.random.between(1, MAX_IMMEDIATE_US)
  process.lastImmediateAt = Math.max(wished, process.lastImmediateAt + 1)
  return simulation.at(process, process.lastImmediateAt, 'immediate', run)
}

const MAX_DELAY_MS = 2 ** 31 - 1

/** As Node does: at least 1 ms, and 1 ms instead of too large or invalid delays. */
export function toDelayMs(asked: unknown): number {
  const ms = Math.trunc(Number(asked))
  return ms >= 1 && ms <= MAX_DELAY_MS ? ms : 1
}

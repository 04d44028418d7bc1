import type { Program } from '../host/bundle.ts'
import { explainError, type SimulatedProcess, type Simulation } from '../core/simulation.ts'

export interface SlotOptions {
  readonly name: string
  readonly program: Program
  /** Called for each start. */
  readonly prepare: () => object
  readonly replaced?: Readonly<Record<string, object>>
  /** A supervisor starts the program again. */
  readonly isRestarted: boolean
  /** Called before the modules of the program run. */
  readonly beforeStart: () => void
  readonly onStarted?: (result: unknown) => void
}

const RESTART_US = 300_000

/** A program that can be killed and started again, in a process of its own each time. */
export class Slot {
  readonly #simulation: Simulation
  readonly #options: SlotOptions
  #process: SimulatedProcess
  #result: unknown = null

  constructor(simulation: Simulation, options: SlotOptions) {
    this.#simulation = simulation
    this.#options = options
    this.#process = simulation.spawn(options.name)
    this.#process.isAlive = false
  }

  get name(): string {
    return this.#options.name
  }

  get process(): SimulatedProcess {
    return this.#process
  }

  start(): void {
    if (this.#process.isAlive) return
    const { name, program, replaced = {}, prepare, beforeStart } = this.#options
    const process = this.#simulation.spawn(name)
    this.#process = process
    this.#result = null
    this.#simulation.after(process, 0, 'start', () => {
      beforeStart()
      callMember(program(replaced), 'start', [prepare()]).then(
        (result) => this.#started(process, result),
        (error: unknown) => this.#ended(process, error),
      )
    })
  }

  kill(): void {
    this.#simulation.kill(this.#process)
  }

  /** Calls a method of the result of `start`, in the process. */
  call(
    name: string,
    args: readonly unknown[],
    done: (result: unknown) => void = () => undefined,
  ): void {
    const process = this.#process
    this.#simulation.after(process, 0, `call ${name}`, () => {
      if (typeof this.#result !== 'object' || this.#result === null) return
      callMember(this.#result, name, args).then(done, (error: unknown) => {
        this.#simulation.note(`${name} failed: ${explainError(error)}`)
      })
    })
  }

  #started(process: SimulatedProcess, result: unknown): void {
    if (!process.isAlive) return
    this.#result = result
    this.#simulation.note('started')
    this.#options.onStarted?.(result)
  }

  #ended(process: SimulatedProcess, error: unknown): void {
    if (!process.isAlive) return
    const { isRestarted, name } = this.#options
    this.#simulation.note(`ended: ${explainError(error)}`)
    this.#simulation.kill(process)
    if (isRestarted) this.#simulation.after(WORLD, RESTART_US, 'restart', () => this.start())
    else this.#simulation.violate(`${name} ended: ${explainError(error)}`)
  }
}

/** Faults and restarts are events of this process, which runs no program. */
export const WORLD: SimulatedProcess = {
  name: 'world',
  isAlive: true,
  isPaused: false,
  clockOffsetMs: 0,
  onKill: new Set(),
  lastImmediateAt: 0,
  lastTimerAt: new Map(),
}

async function callMember(
  target: object,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  const member: unknown = Reflect.get(target, name)
  if (typeof member !== 'function') throw new Error(`there is no ${name}`)
  return (await Reflect.apply(member, target, args)) as unknown
}

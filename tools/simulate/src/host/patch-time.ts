import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import type { SimulatedProcess, Simulation } from '../core/simulation.ts'
import { functionOf, replaceMember } from './replace-member.ts'
import { startImmediate, toDelayMs, VirtualTimer } from './virtual-timers.ts'

/** The running simulation. Null leaves everything to Node. */
export type FindSimulation = () => Simulation | null

interface Place {
  readonly simulation: Simulation
  readonly process: SimulatedProcess
}

function placeIn(find: FindSimulation): Place | null {
  const simulation = find()
  const process = simulation?.current
  return simulation === null || process === null || process === undefined
    ? null
    : { simulation, process }
}

/** Patches timers, `Date`, `performance` and `process.hrtime` for programs of a simulation. */
export function patchTime(find: FindSimulation): void {
  const place = (): Place | null => placeIn(find)
  patchTimers(place)
  patchPromises(place)
  patchDate(place)
  patchClocks(place)
}

type FindPlace = () => Place | null

function isCallback(value: unknown): value is (...args: unknown[]) => void {
  return typeof value === 'function'
}

function patchTimers(find: FindPlace): void {
  const start = (name: string, repeats: boolean): void => {
    const real = functionOf(globalThis, name)
    const fake = (callback: unknown, delay?: unknown, ...args: unknown[]): unknown => {
      const place = find()
      if (place === null || !isCallback(callback)) return real(callback, delay, ...args)
      const { simulation, process } = place
      const delayMs = toDelayMs(delay)
      const label = `timer ${delayMs} ms`
      const run = (): void => callback(...args)
      return new VirtualTimer(simulation, { process, label, run, delayMs, repeats })
    }
    for (const target of [globalThis, timers]) replaceMember(target, name, fake)
  }
  start('setTimeout', false)
  start('setInterval', true)
  for (const name of ['clearTimeout', 'clearInterval']) {
    const real = functionOf(globalThis, name)
    const fake = (timer: unknown): void => {
      if (timer instanceof VirtualTimer) timer.close()
      else real(timer)
    }
    for (const target of [globalThis, timers]) replaceMember(target, name, fake)
  }
  patchImmediates(find)
}

/** The handle of a virtual immediate. */
class VirtualImmediate {
  readonly cancel: () => void

  constructor(cancel: () => void) {
    this.cancel = cancel
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
}

function patchImmediates(find: FindPlace): void {
  const real = functionOf(globalThis, 'setImmediate')
  const realClear = functionOf(globalThis, 'clearImmediate')
  const fake = (callback: unknown, ...args: unknown[]): unknown => {
    const place = find()
    if (place === null || !isCallback(callback)) return real(callback, ...args)
    const event = startImmediate(place.simulation, place.process, () => callback(...args))
    return new VirtualImmediate(() => {
      event.isCancelled = true
    })
  }
  const clear = (immediate: unknown): void => {
    if (immediate instanceof VirtualImmediate) immediate.cancel()
    else realClear(immediate)
  }
  for (const target of [globalThis, timers]) {
    replaceMember(target, 'setImmediate', fake)
    replaceMember(target, 'clearImmediate', clear)
  }
}

interface WaitOptions {
  readonly signal?: AbortSignal
}

function patchPromises(find: FindPlace): void {
  const realTimeout = functionOf(timersPromises, 'setTimeout')
  const realImmediate = functionOf(timersPromises, 'setImmediate')
  replaceMember(
    timersPromises,
    'setTimeout',
    (ms?: unknown, value?: unknown, given?: WaitOptions) => {
      if (find() === null) return realTimeout(ms, value, given)
      return waitFor(given?.signal, value, (resolve) => {
        const timer = setTimeout(resolve, toDelayMs(ms))
        return () => clearTimeout(timer)
      })
    },
  )
  replaceMember(timersPromises, 'setImmediate', (value?: unknown, given?: WaitOptions) => {
    if (find() === null) return realImmediate(value, given)
    return waitFor(given?.signal, value, (resolve) => {
      const immediate = setImmediate(resolve)
      return () => clearImmediate(immediate)
    })
  })
  replaceMember(AbortSignal, 'timeout', timeoutSignal(find))
}

function waitFor(
  signal: AbortSignal | undefined,
  value: unknown,
  start: (resolve: () => void) => () => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      stop()
      reject(new DOMException('The operation was aborted', 'AbortError'))
    }
    const stop = start(() => {
      signal?.removeEventListener('abort', abort)
      resolve(value)
    })
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

function timeoutSignal(find: FindPlace): (ms: number) => unknown {
  const real = functionOf(AbortSignal, 'timeout').bind(AbortSignal)
  return (ms) => {
    if (find() === null) return real(ms)
    const controller = new AbortController()
    const reason = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    setTimeout(() => controller.abort(reason), ms)
    return controller.signal
  }
}

/** Shares the prototype of `Date`, so that dates of both are equal. */
function patchDate(find: FindPlace): void {
  const RealDate = Date
  const realNow = RealDate.now
  const now = (): number => {
    const place = find()
    return place === null ? realNow() : Math.floor(place.simulation.clockMs)
  }
  const fake = new Proxy(RealDate, {
    construct: (target, args: unknown[], caller) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, caller) as object,
  })
  replaceMember(RealDate, 'now', now)
  replaceMember(globalThis, 'Date', fake)
}

function patchClocks(find: FindPlace): void {
  const realPerformance = functionOf(performance, 'now').bind(performance)
  const nowMs = (place: Place): number => place.simulation.now / 1000
  replaceMember(performance, 'now', () => {
    const place = find()
    return place === null ? realPerformance() : nowMs(place)
  })
  const realHrtime = functionOf(process, 'hrtime').bind(process)
  const realBigint = functionOf(process.hrtime, 'bigint').bind(process.hrtime)
  const hrtime = (since?: readonly [number, number]): unknown => {
    const place = find()
    if (place === null) return realHrtime(since)
    const [seconds, nanoseconds] = since ?? [0, 0]
    const us = place.simulation.now - (seconds * 1_000_000 + Math.floor(nanoseconds / 1000))
    return [Math.floor(us / 1_000_000), (us % 1_000_000) * 1000]
  }
  const bigint = (): unknown => {
    const place = find()
    return place === null ? realBigint() : BigInt(place.simulation.now) * 1000n
  }
  replaceMember(process, 'hrtime', Object.assign(hrtime, { bigint }))
  const realUsage = functionOf(process, 'cpuUsage').bind(process)
  replaceMember(process, 'cpuUsage', (...args: unknown[]) =>
    find() === null ? realUsage(...args) : { user: 0, system: 0 },
  )
}

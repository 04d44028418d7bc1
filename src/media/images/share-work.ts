import { ServiceUnavailableError, ValidationError } from '../../base/errors.ts'
import { Aborted, TooSlow } from './image-processes.ts'

/** @throws ValidationError if it recently took too long, ServiceUnavailableError if aborted */
export type SharedWork<T> = (
  name: string,
  gone: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>

const REFUSED_MS = 600_000
const MAX_REFUSED = 1_000

interface Running<T> {
  readonly result: Promise<T>
  readonly giveUp: AbortController
  askers: number
}

/** `shareByKey` does not count its callers, and a new request must not join an aborted run. */
export function shareWork<T>(now: () => number = Date.now): SharedWork<T> {
  const underWay = new Map<string, Running<T>>()
  const refused = new Map<string, number>()
  const begin = (name: string, work: (signal: AbortSignal) => Promise<T>): Running<T> => {
    const giveUp = new AbortController()
    const result = work(giveUp.signal).catch((error: unknown) => {
      if (error instanceof Aborted)
        throw new ServiceUnavailableError('No request waits for this image')
      if (!(error instanceof TooSlow)) throw error
      if (refused.size >= MAX_REFUSED) refused.clear()
      refused.set(name, now() + REFUSED_MS)
      throw tooSlow(name)
    })
    return { result, giveUp, askers: 0 }
  }
  return async (name, gone, work) => {
    if ((refused.get(name) ?? 0) > now()) throw tooSlow(name)
    if (gone.aborted) throw new ServiceUnavailableError('No request waits for this image')
    const running = underWay.get(name) ?? begin(name, work)
    underWay.set(name, running)
    const forget = (): void => {
      if (underWay.get(name) === running) underWay.delete(name)
    }
    const leave = (): void => {
      running.askers -= 1
      if (running.askers > 0) return
      forget()
      running.giveUp.abort()
    }
    running.askers += 1
    gone.addEventListener('abort', leave, { once: true })
    try {
      return await running.result
    } finally {
      gone.removeEventListener('abort', leave)
      forget()
    }
  }
}

function tooSlow(name: string): ValidationError {
  return new ValidationError(`${name} takes too long to make: ask for another size or format`)
}

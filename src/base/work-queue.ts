import { ServiceUnavailableError } from './errors.ts'

export interface WorkQueue {
  /**
   * Runs `work` as soon as there is room for it.
   * @throws ServiceUnavailableError when as many are waiting as may, when it has waited for too long, or
   * when the signal says that nobody waits for it any more
   */
  run<T>(work: () => Promise<T>, options?: WorkOptions): Promise<T>
}

export interface WorkOptions {
  /** Work that has not begun when this is aborted does not begin. */
  readonly signal?: AbortSignal
  /** Goes before what has no hurry. */
  readonly isUrgent?: boolean
}

export interface WorkQueueOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
  /** The message of the error when work is refused. */
  readonly refusal: string
}

/**
 * At most `concurrency` at a time, in the order in which they came; `maxWaiting` more may wait of what
 * is urgent and of what is not; what is not waits for `maxWaitMs` at most.
 */
export function createWorkQueue({
  concurrency,
  maxWaiting,
  maxWaitMs,
  refusal,
}: WorkQueueOptions): WorkQueue {
  const tooMany = (): ServiceUnavailableError =>
    new ServiceUnavailableError(refusal, {}, { code: 'overloaded' })
  const line = createWaitingLine(maxWaitMs, tooMany)
  let running = 0
  const enter = async ({ signal, isUrgent = false }: WorkOptions): Promise<void> => {
    if (signal?.aborted === true) throw tooMany()
    if (running < concurrency) {
      running += 1
      return
    }
    if (line.count(isUrgent) >= maxWaiting) throw tooMany()
    await line.wait(isUrgent, signal)
  }
  return {
    run: async (work, options = {}) => {
      await enter(options)
      try {
        return await work()
      } finally {
        // The place of who leaves goes to the next one as it is.
        if (!line.beginNext()) running -= 1
      }
    },
  }
}

/** Those who wait for a place. */
interface WaitingLine {
  count(isUrgent: boolean): number
  wait(isUrgent: boolean, signal: AbortSignal | undefined): Promise<void>
  /** False when no request waits. */
  beginNext(): boolean
}

interface Waiting {
  readonly isUrgent: boolean
  readonly begin: () => void
}

function createWaitingLine(maxWaitMs: number, tooMany: () => ServiceUnavailableError): WaitingLine {
  const waiting: Waiting[] = []
  return {
    count: (isUrgent) => waiting.filter((one) => one.isUrgent === isUrgent).length,
    wait: (isUrgent, signal) =>
      new Promise((resolve, reject) => {
        const settle = (act: () => void): void => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', giveUp)
          act()
        }
        const one: Waiting = { isUrgent, begin: () => settle(resolve) }
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(one), 1)
          settle(() => reject(tooMany()))
        }
        const timer = isUrgent ? undefined : setTimeout(giveUp, maxWaitMs)
        signal?.addEventListener('abort', giveUp)
        const before = isUrgent ? waiting.findIndex((other) => !other.isUrgent) : -1
        waiting.splice(before === -1 ? waiting.length : before, 0, one)
      }),
    beginNext: () => {
      const next = waiting.shift()
      next?.begin()
      return next !== undefined
    },
  }
}

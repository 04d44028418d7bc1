import { ServiceUnavailableError } from './errors.ts'

export interface WorkQueue {
  /** @throws ServiceUnavailableError if the queue is full, the wait exceeds `maxWaitMs`, or the signal is aborted */
  run<T>(work: () => Promise<T>, options?: WorkOptions): Promise<T>
}

export interface WorkOptions {
  /** Skips work that has not started. */
  readonly signal?: AbortSignal
  readonly isUrgent?: boolean
}

export interface WorkQueueOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
  readonly refusal: string
}

/** `maxWaiting` applies to urgent and other work separately. Urgent work waits without a time limit. */
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
        // The next task takes over the slot.
        if (!line.beginNext()) running -= 1
      }
    },
  }
}

interface WaitingLine {
  count(isUrgent: boolean): number
  wait(isUrgent: boolean, signal: AbortSignal | undefined): Promise<void>
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

import { ServiceUnavailableError } from '../errors.ts'

export interface WorkQueue {
  /**
   * Runs `work` as soon as there is room for it.
   * @throws ServiceUnavailableError when as many are waiting as may.
   */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** At most `concurrency` at a time, in the order in which they came; `maxWaiting` more may wait. */
export function createWorkQueue({
  concurrency,
  maxWaiting,
}: {
  readonly concurrency: number
  readonly maxWaiting: number
}): WorkQueue {
  const waiting: (() => void)[] = []
  let running = 0
  const enter = async (): Promise<void> => {
    if (running < concurrency) {
      running += 1
      return
    }
    if (waiting.length >= maxWaiting) {
      throw new ServiceUnavailableError('Too many images are waiting to be processed')
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  /** The place of who leaves goes to the next one as it is. */
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
  return {
    run: async (work) => {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

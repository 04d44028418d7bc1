import type { StoreStorage } from '@quire/client/sync'

/** A process that a test can kill at each step to the outside, with a disk that can be full. */
export interface FaultyProcess {
  readonly storage: StoreStorage
  readonly send: (work: () => unknown) => Promise<unknown>
  /** Resolves when the process is killed. */
  readonly killed: Promise<void>
}

export interface Faults {
  /**
   * The process is killed at this step. A step is the way to the server or the disk, or the way
   * back.
   */
  readonly killAt: number | null
  /** The disk is full once, after this number of commits. */
  readonly fullAt: number | null
  /** The request with this number does not reach the server. */
  readonly lostAt: number | null
  /** The server processes the request with this number, but the response is lost. */
  readonly unansweredAt?: number | null | undefined
  /**
   * The number of event loop turns that each step waits, repeated in a cycle, so that two tabs
   * interleave in different ways.
   */
  readonly pauses: readonly number[]
}

export class QuotaExceededError extends Error {
  override readonly name = 'QuotaExceededError'
}

export function openFaultyProcess(disk: StoreStorage, faults: Faults): FaultyProcess {
  let [steps, commits, requests] = [0, 0, 0]
  let die: () => void = () => undefined
  const killed = new Promise<void>((resolve) => {
    die = resolve
  })
  const never = new Promise<never>(() => undefined)
  /** A killed process executes no step and receives no result. */
  const step = async (): Promise<void> => {
    if (faults.killAt !== null && steps >= faults.killAt) {
      die()
      await never
    }
    const turns = faults.pauses[steps % faults.pauses.length] ?? 0
    steps += 1
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate)
  }
  const throughout = async <T>(work: () => Promise<T>): Promise<T> => {
    await step()
    const done = await work()
    await step()
    return done
  }
  return {
    killed,
    send: (work) =>
      throughout(async () => {
        const request = requests
        requests += 1
        if (request === faults.lostAt) throw new TypeError('fetch failed')
        const answer = await work()
        if (request === faults.unansweredAt) throw new TypeError('fetch failed')
        return answer
      }),
    storage: {
      name: null,
      load: () => throughout(() => disk.load()),
      commit: (changes, mark) =>
        throughout(() => {
          commits += 1
          const isFull = commits - 1 === faults.fullAt
          return isFull
            ? Promise.reject(new QuotaExceededError('the disk is full'))
            : disk.commit(changes, mark)
        }),
      close: () => Promise.resolve(),
    },
  }
}

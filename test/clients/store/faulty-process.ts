import type { StoreStorage } from '@quire/client/sync'

/** A process that can be killed at each of its steps outwards, and a disk that can be full. */
export interface FaultyProcess {
  readonly storage: StoreStorage
  readonly send: (work: () => unknown) => Promise<unknown>
  /** Resolves where it was killed. */
  readonly killed: Promise<void>
}

export interface Faults {
  /** It dies at this step; a step is the way to the server or the disk, or the way back. */
  readonly killAt: number | null
  /** So many commits later the disk is full, once. */
  readonly fullAt: number | null
  /** The so many-th request gets no answer. */
  readonly lostAt: number | null
  /** For how many turns of the event loop each step waits, over and over: so that two tabs meet in other ways. */
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
  /** Nothing of a dead process is carried out or comes back. */
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
      throughout(() => {
        requests += 1
        const isLost = requests - 1 === faults.lostAt
        return isLost ? Promise.reject(new TypeError('fetch failed')) : Promise.resolve().then(work)
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

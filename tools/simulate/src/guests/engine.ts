import { runEngine } from '@quire/engine/run-engine'

export interface EngineOptions {
  readonly directory: string
  /** The address in the simulated network. */
  readonly path: string
  readonly note: (text: string) => void
}

export type MajorityChange = 'begin' | 'end' | 'rollBack'

export interface SimulatedEngine {
  holdMajority(how: MajorityChange): void
}

/** The embedded engine as a process of its own, without threads. */
export async function start(options: EngineOptions): Promise<SimulatedEngine> {
  const { directory, path, note } = options
  const { engines } = await runEngine({
    directory,
    durable: false,
    strictness: { replicaSet: true },
    listen: { path },
    tell: note,
    report: (what, error) => note(`engine ${what}: ${String(error)}`),
    openReader: null,
  })
  return {
    holdMajority: (how) => {
      const { majority, sessions } = engines.current()
      if (how === 'begin') majority.hold()
      else if (how === 'end') majority.release()
      else {
        sessions.abortAll()
        majority.rollBack()
      }
    },
  }
}

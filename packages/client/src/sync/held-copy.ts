import { openNeighbours } from './leader.ts'
import type { Change, Mark, StoreStorage } from './storage.ts'
import type { Tables } from './tables.ts'

export interface CommitStep {
  readonly changes: readonly Change[]
  readonly mark: Mark
}

export type ChangeListener = (touched: ReadonlySet<string>) => void

/** The stored copy and its tables in memory. */
export interface HeldCopy {
  mark(): Mark
  /** Does nothing if `held` is no longer the current mark, here or in another tab. */
  commit(held: Mark, step: CommitStep): Promise<void>
  reload(): Promise<void>
  /** Called once per step with the names of the changed types. */
  onChange(listener: ChangeListener): () => void
  /** Notifies the listeners. Without names only the status has changed. */
  tell(touched?: ReadonlySet<string>): void
  close(): Promise<void>
}

const NO_NAMES: ReadonlySet<string> = new Set()

/** @throws the error of the storage */
export async function openHeldCopy(
  storage: StoreStorage,
  tables: Tables,
  scope: string,
): Promise<HeldCopy> {
  const listeners = new Set<ChangeListener>()
  let mark = beginning(scope)
  const tell = (touched: ReadonlySet<string> = NO_NAMES): void => {
    for (const listener of listeners) listener(touched)
  }
  const reload = async (): Promise<void> => {
    const before = mark
    const stored = await storage.load()
    if (mark !== before) return // a commit in this tab came first
    if (stored.mark !== null && stored.mark.version === mark.version) return
    mark = continued(stored.mark, scope)
    tables.replace(stored.rows)
    tell(new Set(tables.names))
  }
  const show = (step: CommitStep): void => {
    if (mark.version >= step.mark.version) return // already loaded
    ;({ mark } = step)
    tell(tables.apply(step.changes))
  }
  const neighbours = openNeighbours<CommitStep>(storage.name, (step) => {
    if (step.mark.version === mark.version + 1 && step.mark.scope === scope) show(step)
    else if (step.mark.version > mark.version) void reload().catch(() => null) // the next commit reports the error
  })
  const commit = async (held: Mark, step: CommitStep): Promise<void> => {
    if (mark !== held) return
    if (!(await storage.commit(step.changes, step.mark))) return reload()
    show(step)
    neighbours.tell(step)
  }
  await reload()
  return {
    mark: () => mark,
    commit,
    reload,
    onChange: (listener) => added(listeners, listener),
    tell,
    close: () => {
      listeners.clear()
      neighbours.close()
      return storage.close()
    },
  }
}

function added(listeners: Set<ChangeListener>, listener: ChangeListener): () => void {
  const own: ChangeListener = (touched) => listener(touched) // a new function, because a listener may be added twice
  listeners.add(own)
  return () => listeners.delete(own)
}

function beginning(scope: string): Mark {
  return { scope, token: null, round: 1, isComplete: false, isStale: false, version: 0 }
}

/** The rows of another scope remain visible until the new copy is complete. */
function continued(stored: Mark | null, scope: string): Mark {
  if (stored === null) return beginning(scope)
  if (stored.scope === scope) return stored
  return { ...stored, scope, token: null, round: stored.round + 1, isStale: true }
}

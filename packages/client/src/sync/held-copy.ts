import { openNeighbours } from './leader.ts'
import type { Change, Mark, StoreStorage } from './storage.ts'
import type { Tables } from './tables.ts'

/** What one commit does. */
export interface Step {
  readonly changes: readonly Change[]
  readonly mark: Mark
}

export type Listener = (touched: ReadonlySet<string>) => void

/** What is stored, and the same in memory. */
export interface HeldCopy {
  mark(): Mark
  /** Stores a step and then shows it. It is left out where the mark is not `held` any more, here or in another tab. */
  commit(held: Mark, step: Step): Promise<void>
  /** Shows what is stored, by whomever. */
  reload(): Promise<void>
  /** Called with the names of types, once per step. */
  onChange(listener: Listener): () => void
  /** To those who listen for changes: something else is different, and no type. */
  tell(touched?: ReadonlySet<string>): void
  close(): Promise<void>
}

const NOTHING: ReadonlySet<string> = new Set()

/** @throws what the storage throws */
export async function openHeldCopy(
  storage: StoreStorage,
  tables: Tables,
  scope: string,
): Promise<HeldCopy> {
  const listeners = new Set<Listener>()
  let mark = beginning(scope)
  const tell = (touched: ReadonlySet<string> = NOTHING): void => {
    for (const listener of listeners) listener(touched)
  }
  const reload = async (): Promise<void> => {
    const before = mark
    const stored = await storage.load()
    if (mark !== before) return // a commit of our own was faster
    if (stored.mark !== null && stored.mark.version === mark.version) return
    mark = continued(stored.mark, scope)
    tables.replace(stored.rows)
    tell(new Set(tables.names))
  }
  const show = (step: Step): void => {
    if (mark.version >= step.mark.version) return // loaded meanwhile
    ;({ mark } = step)
    tell(tables.apply(step.changes))
  }
  const neighbours = openNeighbours<Step>(storage.name, (step) => {
    if (step.mark.version === mark.version + 1 && step.mark.scope === scope) show(step)
    else if (step.mark.version > mark.version) void reload().catch(() => null) // the next commit finds out
  })
  const commit = async (held: Mark, step: Step): Promise<void> => {
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

/** Answers how to take it away. */
function added(listeners: Set<Listener>, listener: Listener): () => void {
  const own: Listener = (touched) => listener(touched) // the same one may listen twice
  listeners.add(own)
  return () => listeners.delete(own)
}

function beginning(scope: string): Mark {
  return { scope, token: null, round: 1, isComplete: false, isStale: false, version: 0 }
}

/** A copy of something else begins again; its rows are shown until the new one is whole. */
function continued(stored: Mark | null, scope: string): Mark {
  if (stored === null) return beginning(scope)
  if (stored.scope === scope) return stored
  return { ...stored, scope, token: null, round: stored.round + 1, isStale: true }
}

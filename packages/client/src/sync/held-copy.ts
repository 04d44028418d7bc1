import { openNeighbours } from './leader.ts'
import type { Change, Mark, StoreStorage } from './storage.ts'
import type { ShownTables } from './shown-tables.ts'

export interface CommitStep {
  readonly changes: readonly Change[]
  readonly mark: Mark
}

export type ChangeListener = (touched: ReadonlySet<string>) => void

/** The stored copy and its tables in memory. */
export interface HeldCopy {
  mark(): Mark
  /** Does nothing if the copy is no longer at the position of `held`, here or in another tab. */
  commit(held: Mark, make: () => CommitStep): Promise<void>
  /**
   * Stores changes next to the rows, at any position. `make` is called again if another tab was
   * faster. Without changes (null) nothing is stored, and the result is false.
   */
  update(make: (mark: Mark) => readonly Change[] | null): Promise<boolean>
  /** Deletes all rows, and makes further changes in the same transaction. */
  clear(make: () => readonly Change[]): Promise<void>
  reload(): Promise<void>
  /** The number of pages that are being requested or stored. */
  pulls: number
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
  tables: ShownTables,
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
  const keep = async (step: CommitStep): Promise<boolean> => {
    if (!(await storage.commit(step.changes, step.mark))) return false
    show(step)
    neighbours.tell(step)
    return true
  }
  await reload()
  return {
    mark: () => mark,
    ...openSteps(() => mark, keep, reload),
    reload,
    pulls: 0,
    onChange: (listener) => added(listeners, listener),
    tell,
    close: () => {
      listeners.clear()
      neighbours.close()
      return storage.close()
    },
  }
}

/** One step at a time, so that the steps of a tab do not refuse each other. */
function openSteps(
  current: () => Mark,
  keep: (step: CommitStep) => Promise<boolean>,
  reload: () => Promise<void>,
): Pick<HeldCopy, 'commit' | 'update' | 'clear'> {
  const store = async (makeStep: () => CommitStep | null): Promise<boolean> => {
    for (;;) {
      const made = makeStep()
      if (made === null) return false
      if (await keep({ ...made, mark: { ...made.mark, version: current().version + 1 } }))
        return true
      await reload()
    }
  }
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = (makeStep: () => CommitStep | null): Promise<boolean> => {
    const done = last.then(() => store(makeStep))
    last = done.catch(() => null)
    return done
  }
  return {
    commit: async (held, make) => {
      await inTurn(() => (isAt(current(), held) ? make() : null))
    },
    update: (make) =>
      inTurn(() => {
        const mark = current()
        const changes = make(mark)
        return changes === null ? null : { changes, mark }
      }),
    clear: async (make) => {
      await inTurn(() => {
        const mark = current()
        const round = mark.round + 1
        const cleared = { ...mark, token: null, isComplete: false, isStale: false, round }
        return { changes: [{ op: 'sweep', round }, ...make()], mark: cleared }
      })
    },
  }
}

/** The last round with pages that may lack a change that was just stored. */
export function lastRoundOf(copy: HeldCopy): number {
  const { token, round } = copy.mark()
  return token === null && copy.pulls === 0 ? round - 1 : round
}

/** Changes of the user move the version only. */
function isAt(mark: Mark, held: Mark): boolean {
  const { scope, token, round, isStale } = held
  return (
    mark.scope === scope && mark.token === token && mark.round === round && mark.isStale === isStale
  )
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

import { diskFault } from '../errors.ts'
import type { CommandError } from '../errors.ts'
import { openEngine } from '../request/engine.ts'
import type { Engine, EngineOptions } from '../request/engine.ts'
import type { Connection } from '../request/sessions.ts'
import type { CommitNews } from '../storage/replica.ts'

/** Reopened after a failed write, and read-only while the disk does not work. */
export interface Engines {
  /** @throws CommandError FileStreamFailed while the engine is not open */
  current(): Engine
  /** Called for each refused command, because disk faults show there. */
  noteRefusal(error: CommandError): void
  disconnected(connection: Connection): void
  news(): CommitNews
  /** Delays commits until the returned function is called. */
  holdCommits(): () => void
  /** Called when a process that read from the folder has ended. */
  releaseDeadReaders(): void
  close(): Promise<void>
}

export interface EngineHooks {
  /** Called for the operator when writes start to fail, and when they succeed again. */
  readonly tell: (sentence: string) => void
  readonly beforeReopening: () => void
}

const TRY_EVERY_MS = 1_000

interface State {
  readonly options: EngineOptions
  readonly keeping: EngineHooks
  engine: Engine | null
  readOnly: boolean
  /** Set from the first refusal until writes work again. */
  trying: NodeJS.Timeout | null
}

export function keepEngine(options: EngineOptions, keeping: EngineHooks): Engines {
  const engine = openEngine(options)
  const state: State = { options, keeping, engine, readOnly: false, trying: null }
  return {
    current: () => current(state),
    noteRefusal: ({ codeName, message }) => {
      if (codeName !== 'FileStreamFailed' || state.trying) return
      keeping.tell(`${message}; writes are refused until that is over`)
      tryIn(state, 0)
    },
    disconnected: (connection) => state.engine?.sessions.disconnected(connection),
    news: () => newsOf(state),
    holdCommits: () => state.engine?.writes.hold() ?? (() => undefined),
    releaseDeadReaders: () => {
      if (isSound(state)) current(state).data.store.releaseDeadReaders()
    },
    close: async () => {
      stopTrying(state)
      const { engine } = state
      state.engine = null
      await engine?.close()
    },
  }
}

function current({ engine }: State): Engine {
  if (!engine) throw diskFault('its folder cannot be opened')
  engine.data.store.assertSound()
  return engine
}

/** A broken or closed engine reports no commit (NaN), so the reader drops its cache. */
function newsOf(state: State): CommitNews {
  if (!isSound(state)) return { commit: NaN, changes: new Map() }
  const { changes, store } = current(state).data
  return { commit: store.lastCommit(), changes: changes.take() }
}

function tryIn(state: State, waitMs: number): void {
  state.trying = setTimeout(() => {
    // The cause is the disk fault that is already known.
    void recover(state)
      .catch(() => undefined)
      .then(() => state.trying && tryIn(state, TRY_EVERY_MS))
  }, waitMs).unref()
}

function stopTrying(state: State): void {
  clearTimeout(state.trying ?? undefined)
  state.trying = null
}

async function recover(state: State): Promise<void> {
  const works = state.engine?.data.store.diskWorks() ?? true
  if (!isSound(state) || (works && state.readOnly)) await reopen(state, !works)
  if (!works) return
  stopTrying(state)
  state.keeping.tell('writes are taken again')
}

function isSound(state: State): boolean {
  try {
    current(state)
    return true
  } catch {
    return false
  }
}

async function reopen(state: State, readOnly: boolean): Promise<void> {
  state.keeping.beforeReopening()
  const old = state.engine
  state.engine = null
  await old?.close()
  state.engine = openEngine({ ...state.options, readOnly })
  state.readOnly = readOnly
}

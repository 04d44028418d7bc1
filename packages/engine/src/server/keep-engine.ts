import { diskFault } from '../errors.ts'
import type { CommandError } from '../errors.ts'
import { openEngine } from '../request/engine.ts'
import type { Engine, EngineOptions } from '../request/engine.ts'
import type { Connection } from '../request/sessions.ts'
import type { News } from '../storage/replica.ts'

/** The engine of a folder, opened anew when a write has failed: only to be read while the disk does not work. */
export interface Engines {
  /** @throws CommandError FileStreamFailed while there is none */
  current(): Engine
  /** Told of each command that was refused, as that is where a fault of the disk shows. */
  noteRefusal(error: CommandError): void
  /** Told of each connection that has closed. */
  disconnected(connection: Connection): void
  /** What was committed since it was called last, by the engine that is open now. */
  news(): News
  /** A process that read from the folder has ended. */
  releaseDeadReaders(): void
  close(): Promise<void>
}

export interface Keeping {
  /** For the operator: once when writes begin to fail, and once when they succeed again. */
  readonly tell: (sentence: string) => void
  /** Cursors, sessions and transactions are about to be no more. */
  readonly beforeReopening: () => void
}

const TRY_EVERY_MS = 1_000

interface State {
  readonly options: EngineOptions
  readonly keeping: Keeping
  engine: Engine | null
  readOnly: boolean
  /** Set from the first refusal until writes are taken again. */
  trying: NodeJS.Timeout | null
}

export function keepEngine(options: EngineOptions, keeping: Keeping): Engines {
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

/** Of an engine that is broken or away there is no commit: who hears of none lets all go. */
function newsOf(state: State): News {
  if (!isSound(state)) return { commit: NaN, changes: new Map() }
  const { changes, store } = current(state).data
  return { commit: store.lastCommit(), changes: changes.take() }
}

function tryIn(state: State, waitMs: number): void {
  state.trying = setTimeout(() => {
    // What fails here is what failed before: the disk.
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

import { CommandError } from '../errors.ts'
import { openData } from '../storage/database.ts'
import type { Data } from '../storage/database.ts'
import { groupCommits } from '../storage/group-commits.ts'
import type { GroupCommits } from '../storage/group-commits.ts'
import { rebuildOutdated } from '../storage/rebuild-indexes.ts'
import { openStore } from '../storage/store.ts'
import type { Store, StoreOptions } from '../storage/store.ts'
import { openClusterTime } from './cluster-time.ts'
import type { ClusterTime } from './cluster-time.ts'
import { createCursorTable } from './cursors.ts'
import type { CursorTable } from './cursors.ts'
import { openMajority } from './majority.ts'
import type { Majority } from './majority.ts'
import { openFailPoints } from './fail-points.ts'
import type { FailPoints } from './fail-points.ts'
import { createSessionTable } from './sessions.ts'
import type { SessionTable } from './sessions.ts'
import type { Strictness } from './strictness.ts'

export interface Engine {
  readonly data: Data
  readonly writes: GroupCommits
  readonly cursors: CursorTable
  readonly sessions: SessionTable
  readonly majority: Majority
  readonly clusterTime: ClusterTime
  readonly address: string
  readonly startedAt: Date
  readonly strictness: Strictness
  /** Null unless `strictness` permits them. */
  readonly failPoints: FailPoints | null
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 30_000

export interface EngineOptions extends StoreOptions {
  readonly address: string
  readonly strictness?: Strictness
}

export function openEngine(options: EngineOptions): Engine {
  const data = openData(openStore(options))
  if (options.readOnly !== true) rebuildOutdated(data)
  const writes = groupCommits(data)
  const cursors = createCursorTable()
  const strictness = options.strictness ?? {}
  const sessions = createSessionTable(data, cursors, strictness)
  const sweep = setInterval(() => {
    cursors.sweep()
    if (writes.released() === null) sweepSessions(data.store, sessions)
  }, SWEEP_EVERY_MS)
  sweep.unref()
  return {
    data,
    writes,
    cursors,
    sessions,
    majority: openMajority(data, strictness),
    clusterTime: openClusterTime(),
    address: options.address,
    startedAt: new Date(),
    strictness,
    failPoints: strictness.failPoints === true ? openFailPoints() : null,
    async close() {
      clearInterval(sweep)
      writes.close()
      data.history.close()
      sessions.abortAll()
      await data.store.close()
    },
  }
}

// If the disk is full or broken, the next sweep retries.
function sweepSessions(store: Store, sessions: SessionTable): void {
  try {
    store.assertSound()
    sessions.sweep()
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
  }
}

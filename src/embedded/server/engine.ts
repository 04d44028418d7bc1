import { openData } from '../storage/database.ts'
import type { Data } from '../storage/database.ts'
import { openStore } from '../storage/store.ts'
import { cursorTable } from './cursors.ts'
import type { CursorTable } from './cursors.ts'
import { sessionTable } from './sessions.ts'
import type { SessionTable } from './sessions.ts'

/** All that commands work on. */
export interface Engine {
  readonly data: Data
  readonly cursors: CursorTable
  readonly sessions: SessionTable
  /** What hello names as this server's address. */
  readonly address: string
  readonly startedAt: Date
  close(): Promise<void>
}

const SWEEP_EVERY_MS = 30_000

export function openEngine(options: {
  directory: string
  durable: boolean
  address: string
}): Engine {
  const data = openData(openStore(options.directory, options.durable))
  const cursors = cursorTable()
  const sessions = sessionTable(data, cursors)
  const sweep = setInterval(() => {
    cursors.sweep()
    sessions.sweep()
  }, SWEEP_EVERY_MS)
  sweep.unref()
  return {
    data,
    cursors,
    sessions,
    address: options.address,
    startedAt: new Date(),
    async close() {
      clearInterval(sweep)
      sessions.abortAll()
      await data.store.close()
    },
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../base/errors.ts'
import type { Database, Moment } from '../connection/database.ts'
import { type Head, readHeadAt } from './heads.ts'

export interface HeadMoment {
  readonly head: Head
  readonly moment: Moment
}

type LogPlace = Pick<Head, 'log' | 'seq'>

export interface HeadWanted {
  readonly known: Head
  readonly isRecent?: boolean
  /** A position that any process has given to a client. */
  readonly reached?: LogPlace | null
}

const CATCH_UP_MS = 20

/**
 * Reads in one snapshot with the head. Retries a snapshot that is older than acknowledged writes (after an election).
 * @throws ServiceUnavailableError if the database does not catch up within the time limit of a command
 */
export async function readAtHead<T>(
  database: Database,
  { known, isRecent = false, reached = null }: HeadWanted,
  work: (at: HeadMoment) => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + database.queryTimeoutMs
  for (;;) {
    const read = await database.readMoment(async (moment) => {
      const isKnown = isRecent && moment.session === undefined
      const head = isKnown ? known : await readHeadAt(moment)
      if (isBefore(head, known) || (await isMissing(database, head, reached))) return null
      return { result: await work({ head, moment }) }
    })
    if (read !== null) return read.result
    if (performance.now() > endsAt) {
      throw new ServiceUnavailableError('The database is changing its primary')
    }
    await delay(CATCH_UP_MS)
  }
}

function isBefore(head: LogPlace, { log, seq }: LogPlace): boolean {
  return head.log === log && head.seq < seq
}

async function isMissing(
  database: Database,
  head: LogPlace,
  reached: LogPlace | null,
): Promise<boolean> {
  if (reached === null || !isBefore(head, reached)) return false
  const newest = await readHeadAt({ database, session: undefined })
  return !isBefore(newest, reached)
}

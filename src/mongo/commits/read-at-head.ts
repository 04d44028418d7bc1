import { setTimeout as delay } from 'node:timers/promises'
import { ServiceUnavailableError } from '../../errors.ts'
import type { Database, Moment } from '../connection/database.ts'
import { type Head, readHeadAt } from './heads.ts'

/** The head, and reads that see at least what it counts. */
export interface HeadMoment {
  readonly head: Head
  readonly moment: Moment
}

type LogPlace = Pick<Head, 'log' | 'seq'>

export interface HeadWanted {
  /** The newest head that this process knows a majority to have. */
  readonly known: Head
  /** Whether `known` will do where each read has its own moment: it need not be read again. */
  readonly isRecent?: boolean
  /** A place that a client was given, by whichever process. */
  readonly reached?: LogPlace | null
}

const CATCH_UP_MS = 20

/**
 * Reads the head and what `work` reads as of one moment. Just after an election the majority's data may be older than what
 * was acknowledged before: such a moment is waited out.
 * @throws ServiceUnavailableError when the database does not catch up in the time of a command
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

/** A place beyond the head exists where the primary knows it; otherwise the client did not get it from this log. */
async function isMissing(
  database: Database,
  head: LogPlace,
  reached: LogPlace | null,
): Promise<boolean> {
  if (reached === null || !isBefore(head, reached)) return false
  const newest = await readHeadAt({ database, session: undefined })
  return !isBefore(newest, reached)
}

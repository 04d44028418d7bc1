import type { Database } from '../../mongo/connection/database.ts'
import { EXTENSION_JOBS, type ExtensionJobRow } from '../../server/extensions/job-rows.ts'
import type { Finding } from './finding.ts'

/** A job starts within a second. After this time no server runs it. */
const LATE_MS = 120_000

const CHECK = 'jobs'

export async function examineJobs(database: Database): Promise<readonly Finding[]> {
  const rows = await database
    .table<ExtensionJobRow>(EXTENSION_JOBS)
    .find({})
    .sort({ _id: 1 })
    .toArray()
  return jobFindings(rows, new Date())
}

/** Jobs that an extension no longer has are late forever, so they are notes. */
export function jobFindings(rows: readonly ExtensionJobRow[], now: Date): readonly Finding[] {
  const found = rows.flatMap((row) => findingsOfJob(row, now))
  if (rows.length === 0 || found.length > 0) return found
  return [{ check: CHECK, level: 'ok', what: `${rows.length} jobs run at their times` }]
}

function findingsOfJob(
  { _id, dueAt, lease, last, missed }: ExtensionJobRow,
  now: Date,
): readonly Finding[] {
  const found: Finding[] = []
  const at = (date: Date): string => date.toISOString()
  if (typeof last?.error === 'string') {
    found.push({
      check: CHECK,
      level: 'warning',
      what: `${_id} failed at ${at(last.at)}: ${last.error}`,
    })
  }
  if (missed !== undefined && (last === undefined || last.at <= missed.latest)) {
    const what = `${_id} missed ${missed.count} of its times until ${at(missed.latest)}`
    found.push({ check: CHECK, level: missed.caughtUp ? 'note' : 'warning', what })
  }
  if (lease === null && now.getTime() - dueAt.getTime() > LATE_MS) {
    const what = `${_id} was due at ${at(dueAt)}: no server runs it, or no extension has it any more`
    found.push({ check: CHECK, level: 'note', what })
  }
  return found
}

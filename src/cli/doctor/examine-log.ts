import { examineLog, type LogHealth, MAX_COUNTED } from '../../mongo/commits/log-health.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Finding } from './finding.ts'

/** A working sequencer leaves no commit unnumbered for longer. */
const LATE_MS = 10_000

export async function examineCommitLog(database: Database): Promise<readonly Finding[]> {
  return findingsOf(await examineLog(database, new Date()))
}

export function findingsOf({ head, pending, lagMs, strays }: LogHealth): readonly Finding[] {
  const check = 'commit log'
  if (head === null) {
    return [{ check, level: 'note', what: 'empty; the first start creates it' }]
  }
  const waiting = pending >= MAX_COUNTED ? `${MAX_COUNTED} or more` : String(pending)
  const stand = `at ${head.seq}, ${waiting} without a number`
  const findings: Finding[] = []
  if (lagMs > LATE_MS) {
    const seconds = Math.round(lagMs / 1000)
    const what = `${stand}, for ${seconds} s: where a server runs, look at its log for "commit log"`
    findings.push({ check, level: 'warning', what })
  }
  if (strays > 0) {
    const what = `rows are numbered above its head (${strays}), as after the restore of a backup: run \`quire log restart\``
    findings.push({ check, level: 'fault', what })
  }
  return findings.length > 0 ? findings : [{ check, level: 'ok', what: stand }]
}

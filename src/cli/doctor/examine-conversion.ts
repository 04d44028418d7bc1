import { type ConversionRow, readConversion } from '../../mongo/conversions/conversion-progress.ts'
import { readCompaction } from '../../mongo/conversions/compaction-row.ts'
import { UNFINISHED_COMPACTION } from '../../mongo/system/schema-ledger.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { explainUnfinished, readLocaleRename } from '../../mongo/conversions/locale-rename-row.ts'
import type { Finding } from './finding.ts'

export async function examineConversion(database: Database): Promise<readonly Finding[]> {
  const row = await readConversion(database)
  return [
    ...(row === null ? [] : [conversionFinding(row)]),
    ...(await examineRename(database)),
    ...(await examineCompaction(database)),
  ]
}

async function examineCompaction(database: Database): Promise<readonly Finding[]> {
  if ((await readCompaction(database)) === null) return []
  return [{ check: 'schema', level: 'warning', what: UNFINISHED_COMPACTION }]
}

async function examineRename(database: Database): Promise<readonly Finding[]> {
  const row = await readLocaleRename(database)
  if (row === null) return []
  return [{ check: 'locales', level: 'warning', what: explainUnfinished(row) }]
}

export function conversionFinding({ type, rows, rewritten, endedAt }: ConversionRow): Finding {
  const check = 'conversion'
  const counts = `${rewritten} of ${rows} versions rewritten`
  if (endedAt !== null) {
    return { check, level: 'ok', what: `the last ended at ${endedAt.toISOString()}, ${counts}` }
  }
  const place = type === null ? '' : ` in ${type}`
  const what = `values get the form of a new type, ${counts}${place}: if no server is starting, start one`
  return { check, level: 'warning', what }
}

import { countUnfit, type Unfit } from '../../mongo/adopted/count-unfit.ts'
import { examineForeign, type ForeignHealth } from '../../changes/foreign/foreign-health.ts'
import { followedIn } from '../../changes/foreign/foreign-row.ts'
import { isAdopted } from '../../mongo/versions/adopted-expression.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { isWriteRefused } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Finding } from './finding.ts'

/** Values of other types than the declared ones, which responses show as null. */
export async function examineAdopted(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [
    ...(await foreignFindings(database, contentTypes)),
    ...[...contentTypes.values()].filter(isWriteRefused).map(onlyReadFinding),
  ]
  for (const plan of contentTypes.values()) {
    if (isAdopted(plan)) findings.push(...adoptedFindings(plan, await countUnfit(database, plan)))
  }
  return findings
}

function onlyReadFinding({ singularName, collectionName }: ContentTypePlan): Finding {
  const why = `the database reports no changes of ${collectionName}`
  const what = `${singularName} is only read despite "write": ${why}`
  return { check: 'adopted collections', level: 'warning', what }
}

/** A stream that works looks for changes each second. */
const LATE_MS = 30_000

async function foreignFindings(
  database: Database,
  contentTypes: Schema['contentTypes'],
): Promise<readonly Finding[]> {
  if (followedIn({ contentTypes }).length === 0) return []
  return [foreignFinding(await examineForeign(database, new Date()))]
}

export function foreignFinding({ lagMs }: ForeignHealth): Finding {
  const check = 'foreign changes'
  if (lagMs <= LATE_MS) return { check, level: 'ok', what: 'the change stream is up to date' }
  const seconds = Math.round(lagMs / 1000)
  const what = `changes of adopted collections are ${seconds} s behind: is a server running?`
  return { check, level: 'warning', what }
}

function adoptedFindings(
  { collectionName }: Pick<ContentTypePlan, 'collectionName'>,
  { documents, isPart, attributes }: Unfit,
): readonly Finding[] {
  const check = 'adopted collections'
  const of = `of ${isPart ? 'the first ' : ''}${documents} documents of ${collectionName}`
  if (documents === 0) {
    return [{ check, level: 'warning', what: `${collectionName} has no documents` }]
  }
  if (attributes.size === 0) {
    return [{ check, level: 'ok', what: `all values ${of} have the declared types` }]
  }
  return [...attributes].map(([name, count]) => ({
    check,
    level: 'warning',
    what: `${name}: ${count} ${of} have a value of another type, which responses do not show`,
  }))
}

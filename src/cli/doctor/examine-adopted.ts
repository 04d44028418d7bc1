import { countUnfit, type Unfit } from '../../mongo/adopted/count-unfit.ts'
import { isAdopted } from '../../mongo/versions/adopted-expression.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Finding } from './finding.ts'

/** Values of other types than the declared ones, which responses show as null. */
export async function examineAdopted(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const plan of contentTypes.values()) {
    if (isAdopted(plan)) findings.push(...adoptedFindings(plan, await countUnfit(database, plan)))
  }
  return findings
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

import type { Database, Session } from '../../mongo/connection/database.ts'
import type { Data } from '../../schema/definition.ts'
import { isMadeUid } from '../../schema/made-uid.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { proposeUid, toUid, type UidOwner } from './propose-uid.ts'

/** `all` is for editors. */
type FilledUids = 'required' | 'all'

interface FillOptions {
  readonly which: FilledUids
  readonly session?: Session | undefined
}

interface MissingUid {
  readonly attribute: ScalarPlan
  readonly text: string
}

/** Does not modify the given data. */
export async function fillUids(
  database: Database,
  { plan, locale }: Pick<UidOwner, 'plan' | 'locale'>,
  data: unknown,
  { which, session }: FillOptions,
): Promise<unknown> {
  const missing = missingUids(plan, data, which)
  if (missing.length === 0) return data
  const made: Record<string, string> = {}
  for (const { attribute, text } of missing) {
    const owner = { plan, attribute: attribute.name, locale, documentId: null }
    made[attribute.name] = (await proposeUid(database, owner, text, session)).proposal
  }
  return { ...(data as Data), ...made }
}

export function missingUids(
  plan: ContentTypePlan,
  data: unknown,
  which: FilledUids,
): readonly MissingUid[] {
  if (typeof data !== 'object' || data === null) return []
  const given = data as Data
  return [...plan.attributes.values()].flatMap((attribute) => {
    if (!isMadeUid(attribute) || given[attribute.name] !== undefined) return []
    if (which === 'required' && !attribute.required) return []
    const text = uidSource(plan, attribute, given[attribute.targetField])
    return text === '' ? [] : [{ attribute, text }]
  })
}

/** If the source yields no uid, a required one is derived from the name of the type. */
function uidSource(
  { singularName }: ContentTypePlan,
  { required }: ScalarPlan,
  source: unknown,
): string {
  if (typeof source !== 'string' || source.trim() === '') return ''
  const made = toUid(source)
  return made === '' && required ? singularName : made
}

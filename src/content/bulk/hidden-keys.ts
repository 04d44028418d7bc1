import { CmsError } from '../../base/errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { shownNames } from '../rules/shown-names.ts'
import { hasReadRules, matcherOf, visibleDocuments } from '../rules/visible-documents.ts'
import type { BulkWriter, Key, UpsertLine } from './bulk-line.ts'
import { keyedTargets } from './relation-targets.ts'

/** Whether a lookup by the key tells no value of an attribute that rules hide from the writer. */
export function isShownKey(
  { rules }: Pick<BulkWriter, 'rules'>,
  plan: ContentTypePlan,
  { attribute }: Key,
): boolean {
  return shownNames(rules, plan, ['find', 'readDrafts'])(attribute.name)
}

interface KeyHolders {
  documentIdsOf(plan: ContentTypePlan, key: Key): readonly string[]
}

/** By type and locale (`targetsKey`). */
export type HiddenKeyTargets = ReadonlyMap<string, ReadonlySet<string>>

export function targetsKey({ uid }: ContentTypePlan, { ownersLocale }: UpsertLine): string {
  return `${uid} ${ownersLocale}`
}

/** Targets that keys name and that rules hide from the writer (`targetsKey`). */
export async function findHiddenKeyTargets(
  context: DocumentContext,
  lines: readonly UpsertLine[],
  {
    holders,
    writer: { rules },
    session,
  }: {
    readonly holders: KeyHolders
    readonly writer: BulkWriter
    readonly session: Session | undefined
  },
): Promise<HiddenKeyTargets> {
  const named = new Map<
    string,
    { readonly plan: ContentTypePlan; readonly locale: string; readonly ids: Set<string> }
  >()
  if (rules === undefined) return new Map()
  for (const line of lines) {
    const targets = targetsOf(line)
    for (const { plan, key } of targets) {
      if (!hasReadRules(rules, plan)) continue
      const name = targetsKey(plan, line)
      const group = named.get(name) ?? { plan, locale: line.ownersLocale, ids: new Set() }
      named.set(name, group)
      for (const documentId of holders.documentIdsOf(plan, key)) group.ids.add(documentId)
    }
  }
  const hidden = new Map<string, ReadonlySet<string>>()
  for (const [name, { plan, locale, ids }] of named) {
    const matcher = matcherOf(context, rules, locale)
    const request = { matcher, rules, verb: 'find', session } as const
    const visible = await visibleDocuments(request, plan, [...ids])
    hidden.set(name, new Set([...ids].filter((id) => !visible.has(id))))
  }
  return hidden
}

/** A line with invalid targets reports them itself. */
function targetsOf({ plan, data }: UpsertLine): ReturnType<typeof keyedTargets> {
  try {
    return keyedTargets(plan, data)
  } catch (error) {
    if (error instanceof CmsError) return []
    throw error
  }
}

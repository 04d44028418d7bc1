import type { PastItem } from '../../mongo/commits/read-history.ts'
import { matchFilter } from '../../mongo/rules/match.ts'
import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { toStoredNames } from '../../mongo/versions/row-names.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import type { Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { hasReadRules, isVisibleRow, matcherOf } from '../rules/visible-documents.ts'
import type { IsShown, WriteRules } from '../write-rules.ts'
import type { PastContent } from './past-content.ts'

export interface HistoryReader {
  /** Absent for callers that may do everything. */
  readonly rules: WriteRules | undefined
  readonly plan: ContentTypePlan
  readonly documentId: string
  /** For targets of entries without a locale. */
  readonly locale: string
}

type ShownPast = Pick<PastItem, 'locale' | 'status' | 'content'>

export type IsPastVisible = (item: ShownPast) => boolean

/**
 * Decides which past versions rules show: both the current version and the past one must match. A condition that only
 * the database can decide matches no past version. Null if no rule limits the caller.
 */
export async function pastVisibility(
  context: Pick<DocumentContext, 'database'>,
  { rules, plan, documentId, locale }: HistoryReader,
): Promise<IsPastVisible | null> {
  if (!hasReadRules(rules, plan)) return null
  const rows = await versionsOf(context.database, plan).find(matchDocument(documentId)).toArray()
  const matcher = matcherOf(context, rules, locale)
  const request = { matcher, rules, verb: 'find', session: undefined } as const
  const current: { locale: unknown; status: unknown; isVisible: boolean }[] = []
  for (const row of rows) {
    const isVisible = await isVisibleRow(request, plan, row)
    current.push({ locale: row['locale'], status: row['status'], isVisible })
  }
  return (item) => {
    const inLocale = current.filter((version) => version.locale === item.locale)
    const same = inLocale.filter(({ status }) => status === item.status)
    const now = same.length > 0 ? same : inLocale
    const isVisible = now.length > 0 && now.every((version) => version.isVisible)
    return isVisible && matchesPast(rules, plan, item)
  }
}

function matchesPast(rules: WriteRules, plan: ContentTypePlan, item: ShownPast): boolean {
  const isKnown = (uid: Uid, id: string): boolean =>
    uid === 'plugin::users-permissions.user' && id === rules.user
  const row = toStoredNames(plan, item.content)
  const isDraft = plan.draftAndPublish && item.status === 'draft'
  const verbs: readonly ContentVerb[] = isDraft ? ['find', 'readDrafts'] : ['find']
  return verbs.every((verb) => {
    const action = contentAction(plan, verb)
    if (rules.has(action)) return true
    return rules
      .rulesFor(action)
      .some(({ where }) => where === null || matchFilter(where, row, isKnown) === true)
  })
}

/** Attributes that are no longer declared are hidden as soon as a rule names its fields. */
export function cutPast({ content, unknown }: PastContent, isShown: IsShown): PastContent {
  const cut = (values: PastContent['content']) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => isShown(name)))
  return { content: cut(content), unknown: cut(unknown) }
}

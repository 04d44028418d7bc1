import { versionsOf } from '../../mongo/versions/stored-version.ts'
import { matchDocument } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { RuleContext, WriteRules } from '../write-rules.ts'
import { rowMatches } from '../../mongo/rules/row-matches.ts'
import { matcherOf } from './visible-documents.ts'

interface AskedUpdate {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locale: string
  /** For targets of entries without a locale. */
  readonly defaultLocale: string
}

/**
 * Whether a rule permits an update of the draft in the locale as it is before the write. A locale without a version is
 * judged by the versions of the others. The write itself also checks the values after it.
 */
export async function permitsUpdate(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  { plan, documentId, locale, defaultLocale }: AskedUpdate,
): Promise<boolean> {
  const action = contentAction(plan, 'update')
  if (rules.has(action)) return true
  const stored = await versionsOf(context.database, plan).find(matchDocument(documentId)).toArray()
  const own = stored.filter((row) => row['locale'] === locale)
  const drafts = own.filter(({ status }) => status === 'draft')
  const current = drafts.length > 0 ? drafts : own
  const rows = current.length > 0 ? current : stored.map((row) => ({ ...row, locale }))
  const matcher = matcherOf(context, rules, defaultLocale)
  for (const { where } of rules.rulesFor(action)) {
    let isPermitted = rows.length > 0
    for (const row of rows) {
      isPermitted &&= await rowMatches(matcher, { plan, row, session: undefined }, where)
    }
    if (isPermitted) return true
  }
  return false
}

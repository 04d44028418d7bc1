import { contentOf } from '../../mongo/versions/stored-content.ts'
import { asVersion, type StoredVersion, versionsOf } from '../../mongo/versions/stored-version.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { rowMatches } from '../../mongo/rules/row-matches.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { RuleContext, WriteRules } from '../write-rules.ts'
import { matcherOf } from './visible-documents.ts'
import { holdsSet } from './write-guard.ts'

interface UpdatedVersion {
  readonly plan: ContentTypePlan
  readonly version: Pick<StoredVersion, 'documentId' | 'locale' | 'status'>
  readonly locale: string
}

/** Whether the caller may update the version, and an update without values would leave it as it is. */
export async function holdsAlready(
  context: Pick<RuleContext, 'database'>,
  rules: WriteRules,
  { plan, version, locale }: UpdatedVersion,
): Promise<boolean> {
  const action = contentAction(plan, 'update')
  if (rules.has(action)) return true
  const _id = versionId(version.documentId, version)
  const row = await versionsOf(context.database, plan).findOne({ _id })
  if (row === null) return false
  const matcher = matcherOf(context, rules, locale)
  const content = contentOf(plan, asVersion(plan, row))
  for (const { where, set } of rules.rulesFor(action)) {
    const isMatched = await rowMatches(matcher, { plan, row, session: undefined }, where)
    if (isMatched) return holdsSet(content, set)
  }
  return false
}

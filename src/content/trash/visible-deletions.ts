import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { matchFilter } from '../../mongo/rules/match.ts'
import type { DeletionRow, TrashedVersion } from '../../mongo/trash/trash-rows.ts'
import {
  type DeletionsOf,
  findDeletionsOf,
  findVersionsOfDeletions,
} from '../../mongo/trash/read-trash.ts'
import type { Session } from '../../mongo/connection/database.ts'
import type { Filter } from '../../query/query.ts'
import { contentAction, type ContentVerb } from '../../people/access/actions.ts'
import type { Uid } from '../../schema/definition.ts'
import { type ContentTypePlan, titleFieldOf } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { hasReadRules } from '../rules/visible-documents.ts'
import type { WriteRules } from '../write-rules.ts'

/**
 * The deletions whose versions all match the rules of the caller. A condition that only the database can decide,
 * such as one on a related document, matches no deleted version. Titles that `fields` hide are empty.
 */
export async function visibleDeletions(
  { database }: Pick<DocumentContext, 'database'>,
  rules: WriteRules | undefined,
  plans: ReadonlyMap<Uid, ContentTypePlan>,
  rows: readonly DeletionRow[],
): Promise<readonly DeletionRow[]> {
  if (rules === undefined) return rows
  const isRuled = ({ type }: DeletionRow): boolean => {
    const plan = plans.get(type)
    return plan !== undefined && hasReadRules(rules, plan)
  }
  const ids = rows.filter(isRuled).map(({ _id }) => _id)
  const versions = ids.length === 0 ? [] : await findVersionsOfDeletions(database, ids)
  return rows.flatMap((row) => {
    const plan = plans.get(row.type)
    if (plan === undefined || !isRuled(row)) return [row]
    const own = versions.filter(({ deletion }) => deletion === row._id)
    const isSeen = own.length > 0 && own.every((version) => isVisible(rules, plan, version))
    return isSeen ? [{ ...row, title: isTitleShown(rules, plan) ? row.title : '' }] : []
  })
}

/** Whether one rule of the action matches all versions of the deletions. @throws ForbiddenError */
export async function assertMayDelete(
  { database }: Pick<DocumentContext, 'database'>,
  rules: WriteRules,
  plan: ContentTypePlan,
  rows: readonly DeletionRow[],
  session: Session,
): Promise<void> {
  const ids = rows.map(({ _id }) => _id)
  const versions = await findVersionsOfDeletions(database, ids, session)
  const action = contentAction(plan, 'delete')
  const isPermitted = rules
    .rulesFor(action)
    .some(({ where }) => versions.every((version) => isMatch(rules, where, version)))
  if (!isPermitted) throw new ForbiddenError('Forbidden', {}, { action })
}

/** @throws NotFoundError if rules hide one of the deletions */
export async function assertDeletionsVisible(
  context: Pick<DocumentContext, 'database'>,
  rules: WriteRules | undefined,
  plan: ContentTypePlan,
  which: Omit<DeletionsOf, 'type'>,
): Promise<void> {
  if (!hasReadRules(rules, plan)) return
  const rows = await findDeletionsOf(context.database, { type: plan.uid, ...which })
  const visible = await visibleDeletions(context, rules, new Map([[plan.uid, plan]]), rows)
  if (visible.length < rows.length) throw new NotFoundError('This is not in the trash')
}

function readVerbs({ draftAndPublish }: ContentTypePlan): readonly ContentVerb[] {
  return draftAndPublish ? ['find', 'readDrafts'] : ['find']
}

function isMatch(
  rules: WriteRules,
  where: Filter | null,
  { version }: Pick<TrashedVersion, 'version'>,
): boolean {
  const isKnown = (uid: Uid, documentId: string): boolean =>
    uid === 'plugin::users-permissions.user' && documentId === rules.user
  return where === null || matchFilter(where, version, isKnown) === true
}

function isVisible(rules: WriteRules, plan: ContentTypePlan, trashed: TrashedVersion): boolean {
  return readVerbs(plan).every((verb) => {
    const action = contentAction(plan, verb)
    if (rules.has(action)) return true
    return rules.rulesFor(action).some(({ where }) => isMatch(rules, where, trashed))
  })
}

function isTitleShown(rules: WriteRules, plan: ContentTypePlan): boolean {
  const name = titleFieldOf(plan)
  return readVerbs(plan)
    .flatMap((verb) => rules.rulesFor(contentAction(plan, verb)))
    .every(({ fields }) => fields?.has(name) ?? true)
}

import type { CommentedEntry } from '../../../content/comments/comments.ts'
import { type EntryReview, getReview } from '../../../content/review/review.ts'
import { contentAction } from '../../../people/access/actions.ts'
import type { Principal } from '../../../people/access/principal.ts'
import { mayInUnderRule } from '../../../people/access/ruled-reads.ts'
import { ADMINISTRATOR } from '../../../people/administrators/rights.ts'
import type { ReviewDefinition, ReviewStage } from '../../../schema/definition.ts'
import { type CommentSources, lastNamesOf, type Person } from './commented-entry.ts'

export interface ShownReview {
  readonly stage: string
  readonly assignee: Person | null
  readonly stages: readonly { readonly name: string; readonly allowed: boolean }[]
  /** Whether only drafts in the last stage can be published. */
  readonly publishesLastOnly: boolean
}

/** Null for types without a review. */
export async function showReview(
  principal: Principal,
  sources: CommentSources,
  entry: CommentedEntry,
): Promise<ShownReview | null> {
  const { review } = entry.plan
  if (review === undefined) return null
  const own = await getReview(sources.documents, review, entry)
  return toShownReview(principal, sources, { ...entry, review }, own)
}

export async function toShownReview(
  principal: Principal,
  sources: Pick<CommentSources, 'administrators'>,
  entry: CommentedEntry & { readonly review: ReviewDefinition },
  { stage, assignee }: EntryReview,
): Promise<ShownReview> {
  const { stages, publishesLastOnly } = entry.review
  const roles = mayReview(principal, entry) ? await roleTypesOf(principal, sources) : null
  const nameOf = await lastNamesOf(sources)
  const person = assignee === null ? null : nameOf({ id: assignee, name: '' })
  return {
    stage,
    assignee: person?.name === '' ? null : person, // removed since
    stages: stages.map((one) => ({ name: one.name, allowed: mayEnterStage(roles, one) })),
    publishesLastOnly,
  }
}

/** Also true under a rule, which the caller must apply. */
export function mayReview(principal: Principal, { plan, locale }: CommentedEntry): boolean {
  const codes = plan.localized ? [locale] : []
  return (
    principal.kind === 'administrator' &&
    mayInUnderRule(principal, contentAction(plan, 'update'), codes)
  )
}

/** Null admits to no stage. */
export function mayEnterStage(
  roles: readonly string[] | null,
  { roles: only }: ReviewStage,
): boolean {
  if (roles === null) return false
  return (
    only === undefined || roles.includes(ADMINISTRATOR) || roles.some((role) => only.includes(role))
  )
}

/** The types of the roles of an administrator. */
export async function roleTypesOf(
  principal: Principal,
  { administrators }: Pick<CommentSources, 'administrators'>,
): Promise<readonly string[] | null> {
  if (principal.kind !== 'administrator') return null
  const known = (await administrators.versionedCache.current()).administrators
  return known.find(({ _id }) => _id === principal.id)?.roles ?? null
}

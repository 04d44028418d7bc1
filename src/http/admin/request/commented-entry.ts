import type { CommentedEntry, EntryComment } from '../../../content/comments/comments.ts'
import type { DocumentContext } from '../../../content/context.ts'
import type { Locales } from '../../../content/locales/locales.ts'
import { factsOfLines, type LineFacts } from '../../../content/read/visible-facts.ts'
import { writeRulesOf } from '../../../content/rules/principal-rules.ts'
import { shownNames } from '../../../content/rules/shown-names.ts'
import type { Principal } from '../../../people/access/principal.ts'
import type { AdministratorsContext } from '../../../people/administrators/administrators.ts'
import { ruledAdministrator } from '../../../people/administrators/principals.ts'
import type { ContentTypePlan } from '../../../schema/plan.ts'
import { maySeeUnderRule } from './readable-types.ts'

export interface CommentSources {
  readonly documents: DocumentContext
  readonly locales: Locales
  readonly administrators: AdministratorsContext
}

export interface Person {
  readonly id: string
  readonly name: string
}

export type NameOf = (person: Person) => Person

/** Removed administrators have their last known name. */
export async function lastNamesOf({
  administrators,
}: Pick<CommentSources, 'administrators'>): Promise<NameOf> {
  const { administrators: known } = await administrators.versionedCache.current()
  const names = new Map(known.map(({ _id, name }) => [_id, name]))
  return ({ id, name }) => ({ id, name: names.get(id) ?? name })
}

/** Null without the right to read the draft. */
export async function readCommented(
  principal: Principal,
  { documents, locales }: Pick<CommentSources, 'documents' | 'locales'>,
  { plan, documentId, locale }: CommentedEntry,
): Promise<LineFacts | null> {
  if (!mayComment(principal, plan, locale)) return null
  const { defaultCode } = await locales.current()
  const line = { documentId, locale }
  const request = { plan, locale: defaultCode, needsDraft: true }
  const facts = await factsOfLines(documents, writeRulesOf(principal), request, [line])
  return [...facts.values()][0] ?? null
}

/** Also true under a rule, which the caller must apply. */
export function mayComment(principal: Principal, plan: ContentTypePlan, locale: string): boolean {
  return maySeeUnderRule(principal, plan, plan.localized ? [locale] : [])
}

/** Rules that hide an attribute hide its comments. */
export function isShownComment(principal: Principal, plan: ContentTypePlan) {
  const isShown = shownNames(writeRulesOf(principal), plan, ['find', 'findOne', 'readDrafts'])
  return ({ attribute }: Pick<EntryComment, 'attribute'>): boolean =>
    attribute === null || isShown(attribute)
}

/** Administrators with the right to read the type in the locale, perhaps under rules. */
export async function findCommenters(
  { administrators }: Pick<CommentSources, 'administrators'>,
  { plan, locale }: Pick<CommentedEntry, 'plan' | 'locale'>,
): Promise<readonly Person[]> {
  const known = (await administrators.versionedCache.current()).administrators
  const people = await Promise.all(
    known.map(async ({ _id: id, name }) => {
      const principal = await ruledAdministrator(administrators, id)
      return principal !== null && mayComment(principal, plan, locale) ? [{ id, name }] : []
    }),
  )
  return people.flat()
}

import type { Database, Session } from '../../mongo/connection/database.ts'
import { findTakenValues } from '../../mongo/read/find-taken-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

export interface UidOwner {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly locale: string
  readonly documentId: string | null
}

export interface UidProposal {
  readonly value: string
  /** Not used in any draft or published version of another document. */
  readonly free: boolean
  readonly proposal: string
}

const MAX_LENGTH = 200
const NUMBERED = 99

/** `Größe & Gewicht` becomes `grosse-gewicht`. Empty if no character can be converted. */
export function toUid(text: string): string {
  return text
    .replaceAll('ß', 'ss')
    .replaceAll(/[æÆ]/g, 'ae')
    .replaceAll(/[œŒ]/g, 'oe')
    .replaceAll(/[øØ]/g, 'o')
    .replaceAll(/[łŁ]/g, 'l')
    .replaceAll(/[đĐðÐ]/g, 'd')
    .replaceAll(/[þÞ]/g, 'th')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
}

/** Drafts count as well, so that publishing cannot cause a conflict. */
export async function proposeUid(
  database: Database,
  { plan, attribute, locale, documentId }: UidOwner,
  value: string,
  session?: Session,
): Promise<UidProposal> {
  const numbered = Array.from({ length: NUMBERED }, (_, index) => `${value}-${index + 1}`)
  const values = [value, ...numbered]
  const held = await Promise.all(
    (plan.draftAndPublish ? (['draft', 'published'] as const) : (['published'] as const)).map(
      (status) =>
        findTakenValues(
          database,
          plan,
          { attribute, values, locale, status, except: documentId },
          session,
        ),
    ),
  )
  const isFree = (one: string): boolean => held.every((some) => !some.has(one))
  // Used if all numbered uids are taken.
  const proposal = values.find(isFree) ?? `${value}-${Date.now().toString(36)}`
  return { value, free: isFree(value), proposal }
}

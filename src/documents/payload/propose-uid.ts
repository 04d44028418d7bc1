import type { Database, Session } from '../../mongo/connection/database.ts'
import { findHeldValues } from '../../mongo/lines/find-held-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/** Whose uid it is to be. */
export interface UidOwner {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly locale: string
  /** Null before there is one. */
  readonly documentId: string | null
}

export interface UidProposal {
  /** The one that was asked about. */
  readonly value: string
  /** Whether no other document has it, as a draft or published. */
  readonly free: boolean
  /** The same, or the first with a number that is free. */
  readonly proposal: string
}

const MAX_LENGTH = 200
const NUMBERED = 99

/** A text as a uid: `Größe & Gewicht` is `grosse-gewicht`. Empty where nothing of it can be written so. */
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

/** Whether a uid is free, and which one is: drafts count, so that publishing finds it free as well. */
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
        findHeldValues(
          database,
          plan,
          { attribute, values, locale, status, except: documentId },
          session,
        ),
    ),
  )
  const isFree = (one: string): boolean => held.every((some) => !some.has(one))
  // Beyond a hundred of one name, the time makes it unique.
  const proposal = values.find(isFree) ?? `${value}-${Date.now().toString(36)}`
  return { value, free: isFree(value), proposal }
}

import type { Database, Session } from '../../mongo/connection/database.ts'
import type { Data } from '../../schema/definition.ts'
import { type ContentTypePlan, isMadeUid, type ScalarPlan } from '../../schema/plan.ts'
import type { FilledUids } from '../write-target.ts'
import { type Fault, ValidationError } from '../../base/errors.ts'
import { findTakenValues } from '../../mongo/write/unique-values.ts'

interface FillOptions {
  readonly which: FilledUids
  readonly session?: Session | undefined
}

interface MissingUid {
  readonly attribute: ScalarPlan
  readonly text: string
}

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
  const given = plan.validators.resolveAliases(data as Data)
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

/** Maximum number of attempts. An attempt fails only if a concurrent creation took the generated uid. */
const ATTEMPTS = 100

/** Repeats a creation with other uids if the generated ones are taken. */
export async function retryMadeUids<T>(
  names: readonly string[],
  create: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await create()
    } catch (error) {
      if (attempt === ATTEMPTS || !isTaken(error, names)) throw error
    }
  }
}

function isTaken(error: unknown, names: readonly string[]): boolean {
  if (!(error instanceof ValidationError) || error.errorCode !== 'value_not_unique') return false
  const faults = (error.details?.['errors'] ?? []) as readonly Fault[] // as `validationError` made them
  return faults.every(({ path: [name = '', ...deeper] }) => {
    return deeper.length === 0 && names.includes(name)
  })
}

export interface UidOwner {
  readonly plan: ContentTypePlan
  readonly attribute: string
  readonly locale: string
  readonly documentId: string | null
}

export interface UidProposal {
  readonly value: string
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
  const proposal = values.find(isFree) ?? `${value}-${Date.now().toString(36)}`
  return { value, free: isFree(value), proposal }
}

import type { Principal } from '../../people/access/principal.ts'
import { CmsError, type Fault, NotFoundError, validationError } from '../../base/errors.ts'
import { isRefusal } from '../../base/is-refusal.ts'
import { haveSameContent } from '../../mongo/versions/stored-content.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findByUnique, getDocuments, valueKey } from '../../mongo/write/find-by-unique.ts'
import { takenFault, uniqueAttributes, uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { ValidationError } from '../../base/errors.ts'
import { type Database } from '../../mongo/connection/database.ts'
import { findReserved } from '../../mongo/write/reservations.ts'
import { type PlanningContext, publishablePlan } from './planning.ts'
import type { ReleaseItem } from './release-rows.ts'
import { assertMayAct } from './run-action.ts'
import { assertWritable } from '../write/assert-writable.ts'
import { findReviewRows } from '../review/find-reviews.ts'
import { lastStage, notReviewed, rowIdOf, stageOf } from '../review/stage-of.ts'
import { writeRulesOf } from '../rules/principal-rules.ts'
import { shownInDraft, withShownFaults } from '../rules/shown-faults.ts'
import { mayUnderRules } from '../rules/visible-documents.ts'
import type { IsShown, WriteRules } from '../write-rules.ts'

export interface ItemFault {
  readonly item: string
  readonly type: string
  readonly documentId: string
  readonly name: string
  readonly code: string
  readonly message: string
  readonly details: unknown
}

interface Candidate {
  readonly item: ReleaseItem
  readonly version: StoredVersion
}

type CheckContext = Pick<PlanningContext, 'documents' | 'schema'> &
  Partial<Pick<PlanningContext, 'locales'>>

type AddFault = (item: ReleaseItem, error: CmsError) => void

/** In the order of the items. If `principal` is null, permissions are not checked. `rules` cut the faults. */
export async function checkItems(
  context: CheckContext,
  principal: Principal | null,
  items: readonly ReleaseItem[],
  rules = principal === null ? undefined : writeRulesOf(principal),
): Promise<readonly ItemFault[]> {
  const errors = new Map<string, CmsError[]>()
  const add: AddFault = ({ id }, error) => {
    errors.set(id, [...(errors.get(id) ?? []), error])
  }
  for (const type of new Set(items.map((item) => item.type))) {
    const own = items.filter((item) => item.type === type)
    await checkType(context, principal, own, add)
  }
  return items.flatMap((item) => {
    const [first, ...others] = errors.get(item.id) ?? []
    if (first === undefined) return []
    return [toItemFault(item, shownItemError(context, rules, item, joinErrors(first, others)))]
  })
}

/** A deleted type has no attributes to hide. A type that the caller cannot read has no others. */
export function shownItemError(
  { schema }: Pick<CheckContext, 'schema'>,
  rules: WriteRules | undefined,
  { type }: Pick<ReleaseItem, 'type'>,
  error: CmsError,
): CmsError {
  const plan = schema.contentTypes.get(type)
  return plan === undefined ? error : withShownFaults(error, shownInItem(rules, plan))
}

export function shownInItem(rules: WriteRules | undefined, plan: ContentTypePlan): IsShown {
  const isRead = rules === undefined || mayUnderRules(rules, plan, 'find')
  return isRead ? shownInDraft(rules, plan) : () => false
}

function joinErrors(first: CmsError, others: readonly CmsError[]): CmsError {
  const all = [first, ...others]
  const [fault, ...faults] = all.flatMap((error) => error.faults)
  const isJoined = all.every((error) => error instanceof ValidationError && error.faults.length > 0)
  if (others.length === 0 || !isJoined || fault === undefined) return first
  return validationError([fault, ...faults], first.errorCode)
}

async function checkType(
  context: CheckContext,
  principal: Principal | null,
  items: readonly ReleaseItem[],
  add: AddFault,
): Promise<void> {
  const plan = tryEach(items, add, ({ type }) => publishablePlan(context, type))[0]?.made
  if (plan === undefined) return
  const versions = await findVersions(context, plan, items)
  const refusals = await refusalsOf(context, principal, plan, items)
  const candidates = tryEach(items, add, (item) => {
    const { documentId, locale } = item
    if (principal !== null) {
      assertMayAct(principal, { plan, documentId, locales: { kind: 'one', locales: [locale] } })
    }
    const refusal = refusals.get(item.id)
    if (refusal !== undefined) throw refusal
    return candidateOf(plan, item, versions)
  }).flatMap(({ made }) => made ?? [])
  tryEach(
    candidates,
    (candidate, error) => add(candidate.item, error),
    ({ version }) => plan.validators.publishable(version),
  )
  await checkReviewed(context, plan, candidates, add)
  await checkUnique(context, plan, { items, candidates }, add)
}

async function checkReviewed(
  { documents: { database } }: CheckContext,
  plan: ContentTypePlan,
  candidates: readonly Candidate[],
  add: AddFault,
): Promise<void> {
  const { review } = plan
  if (review?.publishesLastOnly !== true) return
  const ids = candidates.map(({ version }) => version.documentId)
  const rows = await findReviewRows(database, plan, ids)
  for (const { item, version } of candidates) {
    const row = rows.get(rowIdOf({ plan, documentId: version.documentId, locale: version.locale }))
    const stage = stageOf(review, row, revisionOf(version))
    if (stage !== lastStage(review)) add(item, notReviewed(review))
  }
}

/** The items that the rules of the principal do not let it publish now. */
async function refusalsOf(
  { documents, locales }: CheckContext,
  principal: Principal | null,
  plan: ContentTypePlan,
  items: readonly ReleaseItem[],
): Promise<ReadonlyMap<string, CmsError>> {
  const refusals = new Map<string, CmsError>()
  if (principal === null) return refusals
  const rules = writeRulesOf(principal)
  const known = await locales?.current()
  for (const { id, documentId, locale: own } of items) {
    const locale = plan.localized ? own : (known?.defaultCode ?? own)
    const write = { plan, documentId, verb: 'publish', locale, locales: [own] } as const
    try {
      await assertWritable(documents, rules, write)
    } catch (error) {
      if (!isRefusal(error)) throw error
      refusals.set(id, error)
    }
  }
  return refusals
}

function tryEach<Each, T>(
  each: readonly Each[],
  add: (one: Each, error: CmsError) => void,
  make: (one: Each) => T,
): readonly { readonly made: T }[] {
  return each.flatMap((one) => {
    try {
      return [{ made: make(one) }]
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      add(one, error)
      return []
    }
  })
}

const BATCH_SIZE = 100

async function findVersions(
  { documents: { database } }: CheckContext,
  plan: ContentTypePlan,
  items: readonly ReleaseItem[],
): Promise<ReadonlyMap<string, StoredVersion>> {
  const ids = [...new Set(items.map(({ documentId }) => documentId))]
  const found = new Map<string, StoredVersion>()
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const some = ids.slice(from, from + BATCH_SIZE)
    for (const version of await getDocuments(database, plan, some)) {
      found.set(`${version.documentId} ${version.locale} ${version.status}`, version)
    }
  }
  return found
}

/** Null if there is no change to write. @throws NotFoundError */
function candidateOf(
  plan: ContentTypePlan,
  item: ReleaseItem,
  versions: ReadonlyMap<string, StoredVersion>,
): Candidate | null {
  const line = `${item.documentId} ${item.locale}`
  const draft = versions.get(`${line} draft`)
  const published = versions.get(`${line} published`)
  const version = draft ?? published
  if (version === undefined) throw new NotFoundError('Not Found')
  if (item.action === 'unpublish') return null
  const isPublished =
    draft !== undefined && published !== undefined && haveSameContent(plan, draft, published)
  if (isPublished) return null
  return { item, version }
}

interface Release {
  readonly items: readonly ReleaseItem[]
  readonly candidates: readonly Candidate[]
}

async function checkUnique(
  { documents: { database } }: CheckContext,
  plan: ContentTypePlan,
  { items, candidates }: Release,
  add: AddFault,
): Promise<void> {
  const unpublished = items.filter(({ action }) => action === 'unpublish')
  const freed = new Set(unpublished.map(lineOf))
  const isFreed: IsFreed = (documentId, locale) => freed.has(lineOf({ documentId, locale }))
  const faults = new Map<ReleaseItem, Fault[]>()
  const note = (item: ReleaseItem, more: readonly Fault[]): void => {
    if (more.length > 0) faults.set(item, [...(faults.get(item) ?? []), ...more])
  }
  for (const attribute of uniqueAttributes(plan)) {
    const taken = await findTakenItems(database, plan, { attribute, candidates, isFreed })
    for (const { item, value } of taken) note(item, [takenFault(attribute, value)])
  }
  const versions = candidates.map(({ version }) => version)
  const reserved = await findReserved(database, plan, versions, isFreed)
  for (const [index, { item }] of candidates.entries()) note(item, reserved[index] ?? [])
  for (const [item, [first, ...others]] of faults) {
    if (first !== undefined) add(item, validationError([first, ...others], 'value_not_unique'))
  }
}

type IsFreed = (documentId: string, locale: string) => boolean

interface GivenValue {
  readonly item: ReleaseItem
  readonly value: unknown
}

async function findTakenItems(
  database: Database,
  plan: ContentTypePlan,
  {
    attribute,
    candidates,
    isFreed,
  }: {
    readonly attribute: ScalarPlan
    readonly candidates: readonly Candidate[]
    readonly isFreed: IsFreed
  },
): Promise<readonly GivenValue[]> {
  const given = candidates.flatMap((candidate) => valueOf(plan, attribute, candidate))
  if (given.length === 0) return []
  const values = given.map(({ value }) => value)
  const statuses = ['published'] as const
  const found = await findByUnique(database, plan, attribute, { values, statuses })
  const holders = new Map(
    found
      .filter(({ documentId, locale }) => !isFreed(documentId, locale))
      .map((holder) => [`${holder.locale} ${holder.key}`, holder.documentId]),
  )
  return given.filter(({ item, value }) => {
    const key = `${item.locale} ${valueKey(attribute, value)}`
    const holder = holders.get(key) ?? item.documentId
    holders.set(key, holder)
    return holder !== item.documentId
  })
}

function valueOf(
  plan: ContentTypePlan,
  { name }: ScalarPlan,
  { item, version }: Candidate,
): readonly GivenValue[] {
  return uniqueValues(plan, version)
    .filter(({ attribute }) => attribute.name === name)
    .map(({ value }) => ({ item, value }))
}

function lineOf({ documentId, locale }: { readonly documentId: string; readonly locale: string }) {
  return `${documentId} ${locale}`
}

export function toItemFault({ id, type, documentId }: ReleaseItem, error: CmsError): ItemFault {
  const { name, errorCode: code, message, codedDetails: details } = error
  return { item: id, type, documentId, name, code, message, details: details ?? {} }
}

import type { Principal } from '../../people/access/principal.ts'
import { CmsError, type Fault, NotFoundError, validationError } from '../../base/errors.ts'
import { haveSameContent } from '../write/same-content.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findByUnique, getDocuments, valueKey } from '../../mongo/write/find-by-unique.ts'
import { takenFault, uniqueAttributes, uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { type PlanningContext, publishablePlan } from './planning.ts'
import type { ReleaseItem } from './release-rows.ts'
import { assertMayAct } from './run-action.ts'

/** Why an item cannot be done. */
export interface ItemFault {
  readonly item: string
  readonly type: string
  readonly documentId: string
  readonly name: string
  readonly code: string
  readonly message: string
  readonly details: unknown
}

/** An item that would be published, and what that would be. */
interface Candidate {
  readonly item: ReleaseItem
  readonly version: StoredVersion
}

/**
 * Every fault that keeps items from being done together, in their order; nothing is written. What must be unique in
 * components is found when it is written alone.
 */
export async function checkItems(
  context: PlanningContext,
  principal: Principal,
  items: readonly ReleaseItem[],
): Promise<readonly ItemFault[]> {
  const faults = new Map<string, ItemFault>()
  for (const type of new Set(items.map((item) => item.type))) {
    const own = items.filter((item) => item.type === type)
    const add = (item: ReleaseItem, error: CmsError): void => {
      if (!faults.has(item.id)) faults.set(item.id, toItemFault(item, error))
    }
    await checkType(context, principal, own, add)
  }
  return items.flatMap(({ id }) => faults.get(id) ?? [])
}

type AddFault = (item: ReleaseItem, error: CmsError) => void

async function checkType(
  context: PlanningContext,
  principal: Principal,
  items: readonly ReleaseItem[],
  add: AddFault,
): Promise<void> {
  const plan = tryEach(items, add, ({ type }) => publishablePlan(context, type))[0]?.made
  if (plan === undefined) return
  const versions = await findVersions(context, plan, items)
  const candidates = tryEach(items, add, (item) => {
    const { documentId, locale } = item
    assertMayAct(principal, { plan, documentId, locales: { kind: 'one', locales: [locale] } })
    return candidateOf(plan, item, versions)
  }).flatMap(({ made }) => made ?? [])
  await checkUnique(context, plan, { items, candidates }, add)
}

/** The results of the items that succeed; the faults of the others are added. */
function tryEach<T>(
  items: readonly ReleaseItem[],
  add: AddFault,
  make: (item: ReleaseItem) => T,
): readonly { readonly made: T }[] {
  return items.flatMap((item) => {
    try {
      return [{ made: make(item) }]
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      add(item, error)
      return []
    }
  })
}

const BATCH_SIZE = 100

async function findVersions(
  { documents: { database } }: PlanningContext,
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

/** Null where nothing would be written. @throws NotFoundError; ValidationError for what may not be published */
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
  plan.validators.publishable(version)
  return { item, version }
}

async function checkUnique(
  { documents: { database } }: PlanningContext,
  plan: ContentTypePlan,
  {
    items,
    candidates,
  }: { readonly items: readonly ReleaseItem[]; readonly candidates: readonly Candidate[] },
  add: AddFault,
): Promise<void> {
  const freed = new Set(items.filter(({ action }) => action === 'unpublish').map(lineOf))
  const faults = new Map<ReleaseItem, Fault[]>()
  for (const attribute of uniqueAttributes(plan)) {
    const given = candidates.flatMap((candidate) => valueOf(plan, attribute, candidate))
    if (given.length === 0) continue
    const values = given.map(({ value }) => value)
    const statuses = ['published'] as const
    const found = await findByUnique(database, plan, attribute, { values, statuses })
    const holders = new Map(
      found
        .filter((holder) => !freed.has(lineOf(holder)))
        .map((holder) => [`${holder.locale} ${holder.key}`, holder.documentId]),
    )
    for (const { item, value } of given) {
      const key = `${item.locale} ${valueKey(attribute, value)}`
      const holder = holders.get(key) ?? item.documentId
      if (holder !== item.documentId) {
        faults.set(item, [...(faults.get(item) ?? []), takenFault(attribute, value)])
      }
      holders.set(key, holder)
    }
  }
  for (const [item, [first, ...others]] of faults) {
    if (first !== undefined) add(item, validationError([first, ...others], 'value_not_unique'))
  }
}

function valueOf(
  plan: ContentTypePlan,
  { name }: ScalarPlan,
  { item, version }: Candidate,
): readonly { readonly item: ReleaseItem; readonly value: unknown }[] {
  return uniqueValues(plan, version)
    .filter(({ attribute }) => attribute.name === name)
    .map(({ value }) => ({ item, value }))
}

function lineOf({ documentId, locale }: { readonly documentId: string; readonly locale: string }) {
  return `${documentId} ${locale}`
}

function toItemFault({ id, type, documentId }: ReleaseItem, error: CmsError): ItemFault {
  const { name, errorCode: code, message, codedDetails: details } = error
  return { item: id, type, documentId, name, code, message, details: details ?? {} }
}

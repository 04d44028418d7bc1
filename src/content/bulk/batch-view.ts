import { ApplicationError } from '../../base/errors.ts'
import { type FileType, findFileTypes } from '../../media/find-file-types.ts'
import type { Session } from '../../mongo/connection/database.ts'
import {
  findByUnique,
  getDocuments,
  type Holder,
  valueKey,
} from '../../mongo/write/find-by-unique.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findExisting } from '../../mongo/write/find-existing.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import { type Data, FILE_UID, type Uid } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { DocumentContext, TargetLookup } from '../context.ts'
import { documentIdFor } from '../../mongo/versions/document-id.ts'
import { collectRelationChanges } from '../payload/component-values.ts'
import { namedTargets, type RelationInput } from '../payload/relation-input.ts'
import type { BulkLine, BulkWriter, Key, UpsertLine } from './bulk-line.ts'
import type { DryRunResults } from './dry-run-results.ts'
import {
  findHiddenKeyTargets,
  type HiddenKeyTargets,
  isShownKey,
  targetsKey,
} from './hidden-keys.ts'
import { keyedTargets, withTargets } from './relation-targets.ts'

/** Snapshot of the documents that the lines refer to, read with one query per type and attribute. */
export interface BatchView {
  /** @throws ApplicationError if the drafts of several documents hold the value */
  find(plan: ContentTypePlan, key: Key, locale: string): string | undefined
  /** Ignores documents that the writer cannot see. */
  findTarget(line: UpsertLine, plan: ContentTypePlan, key: Key): string | undefined
  versions(plan: ContentTypePlan, documentId: string): readonly StoredVersion[]
  readonly targets: TargetLookup
  /** Makes versions visible to later lines before they are stored. */
  add(plan: ContentTypePlan, versions: readonly StoredVersion[]): void
}

export interface ViewOptions {
  readonly session?: Session | undefined
  readonly trial?: DryRunResults | undefined
}

/** Invalid references are skipped, because each line reports its own errors. */
export async function readView(
  context: DocumentContext,
  lines: readonly BulkLine[],
  writer: BulkWriter,
  { session, trial }: ViewOptions = {},
): Promise<BatchView> {
  const holders = new Holders()
  const upserts = lines.filter((line) => line.op === 'upsert')
  const keys = lines.flatMap((line) => keysOf(line, writer))
  const values = upserts.flatMap(valuesOf)
  await holders.read(context, [...keys, ...values], 'published', session)
  if (trial !== undefined) holders.join(trial, [...keys, ...values])
  const hidden = keys.filter(
    ({ plan, key }) => mayFindDrafts(plan, writer) && !holders.holds(plan, key),
  )
  await holders.read(context, hidden, 'draft', session)
  const hiddenTargets = await findHiddenKeyTargets(context, upserts, { holders, writer, session })
  const stored = await readDocuments(context, lines, holders, session)
  if (trial !== undefined) joinDocuments(trial, lines, stored, holders)
  const inputs = upserts.flatMap((line) => inputsOf(line, holders))
  const existing = await readExisting(context, inputs, { session, trial })
  const fileTypes = new Map([
    ...(trial?.fileTypes ?? []),
    ...(await readFileTypes(context, inputs)),
  ])
  return {
    find: (plan, key, locale) => holders.find(plan, key, locale),
    findTarget: (line, plan, key) => findTarget(holders, hiddenTargets, { line, plan, key }),
    versions: (plan, documentId) => stored.get(`${plan.uid} ${documentId}`) ?? [],
    targets: {
      existing: ({ uid }) => Promise.resolve(existing.get(uid) ?? NO_DOCUMENTS),
      fileTypes: () => Promise.resolve(fileTypes),
    },
    add: (plan, versions) => {
      const [first] = versions
      if (first === undefined) return
      stored.set(`${plan.uid} ${first.documentId}`, versions)
      holders.add(plan, versions)
      const known = existing.get(plan.uid) ?? { documentIds: new Set(), byId: new Map() }
      existing.set(plan.uid, known)
      known.documentIds.add(first.documentId)
    },
  }
}

/** Deterministic, so that concurrent upserts with the same key create a single document. */
export function keyedDocumentId(
  { uid, localized }: ContentTypePlan,
  { attribute, value }: Key,
  locale: string,
): string {
  const place = localized && attribute.localized ? locale : NO_LOCALE
  return documentIdFor(JSON.stringify([uid, attribute.name, place, valueKey(attribute, value)]))
}

interface Existing {
  readonly documentIds: Set<string>
  readonly byId: Map<number, string>
}

const NO_DOCUMENTS: Existing = { documentIds: new Set(), byId: new Map() }

function mayFindDrafts(plan: ContentTypePlan, writer: BulkWriter): boolean {
  if (!plan.draftAndPublish) return false
  return writer.may(plan, 'readDrafts') || writer.may(plan, 'update')
}

function keysOf(line: BulkLine, writer: BulkWriter): readonly PlacedKey[] {
  const own = 'key' in line.address ? [{ plan: line.plan, key: line.address.key }] : []
  if (line.op === 'delete') return own
  const targets = unlessFaulty(() => keyedTargets(line.plan, line.data))
  return [...own, ...(targets ?? []).filter(({ plan, key }) => mayFindTarget(writer, plan, key))]
}

function mayFindTarget(writer: BulkWriter, plan: ContentTypePlan, key: Key): boolean {
  return writer.mayRead(plan.uid) && isShownKey(writer, plan, key)
}

function valuesOf({ plan, data }: UpsertLine): readonly PlacedKey[] {
  const given = uniqueValues(plan, data).map(({ attribute }) => attribute)
  return given.flatMap((attribute) => {
    const { name } = attribute
    const checked = unlessFaulty(() =>
      plan.validators.draft({ [name]: data[name] }, { creating: false }),
    )
    const value = checked?.[name] ?? null
    return value === null ? [] : [{ plan, key: { attribute, value } }]
  })
}

function unlessFaulty<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof Error && 'status' in error) return null
    throw error
  }
}

async function readDocuments(
  { database }: DocumentContext,
  lines: readonly BulkLine[],
  holders: Holders,
  session: Session | undefined,
): Promise<Map<string, readonly StoredVersion[]>> {
  const wanted = new Map<ContentTypePlan, Set<string>>()
  for (const { plan, address, version } of lines) {
    const ids = wanted.get(plan) ?? new Set()
    wanted.set(plan, ids)
    if ('documentId' in address) {
      ids.add(address.documentId)
    } else {
      const found = unlessFaulty(() => holders.find(plan, address.key, version.locale))
      ids.add(found ?? keyedDocumentId(plan, address.key, version.locale))
    }
  }
  const stored = new Map<string, StoredVersion[]>()
  for (const [plan, ids] of wanted) {
    for (const version of await getDocuments(database, plan, [...ids], session)) {
      const name = `${plan.uid} ${version.documentId}`
      const own = stored.get(name) ?? []
      stored.set(name, own)
      own.push(version)
    }
  }
  return stored
}

async function readExisting(
  context: DocumentContext,
  inputs: readonly RelationInput[],
  { session, trial }: ViewOptions,
): Promise<Map<Uid, Existing>> {
  const existing = new Map<Uid, Existing>()
  for (const [uid, named] of namedTargets(inputs)) {
    const found = await findExisting(context.database, context.contentType(uid), named, session)
    const tried = [...named.documentIds].filter(
      (documentId) => trial?.has(context.contentType(uid), documentId) === true,
    )
    const documentIds = new Set([...found.documentIds, ...tried])
    existing.set(uid, { documentIds, byId: new Map(found.byId) })
  }
  return existing
}

function joinDocuments(
  trial: DryRunResults,
  lines: readonly BulkLine[],
  stored: Map<string, readonly StoredVersion[]>,
  holders: Holders,
): void {
  for (const { plan, address, version } of lines) {
    const documentId =
      'documentId' in address
        ? address.documentId
        : (unlessFaulty(() => holders.find(plan, address.key, version.locale)) ?? '')
    const name = `${plan.uid} ${documentId}`
    const tried = trial.documents(plan, documentId)
    if (tried.length > 0 && !stored.has(name)) stored.set(name, tried)
  }
}

function inputsOf({ plan, data, version }: UpsertLine, holders: Holders): readonly RelationInput[] {
  const resolve = (target: ContentTypePlan, key: Key): string =>
    holders.find(target, key, version.locale) ?? UNRESOLVED
  return unlessFaulty(() => collectRelationChanges(plan, withTargets(plan, data, resolve))) ?? []
}

/** Stands for a document that a preceding line may create. */
const UNRESOLVED = 'unresolved'

async function readFileTypes(
  { database, contentType }: DocumentContext,
  inputs: readonly RelationInput[],
): Promise<ReadonlyMap<string, FileType>> {
  const named = namedTargets(inputs).get(FILE_UID)
  if (named === undefined) return new Map()
  const files = contentType(FILE_UID)
  const found = named.ids.size === 0 ? null : await findExisting(database, files, named)
  const documentIds = [...named.documentIds, ...(found?.byId.values() ?? [])]
  return findFileTypes(database, files, documentIds)
}

/** @throws ApplicationError, ValidationError */
export function documentPayload(line: UpsertLine, view: BatchView, writer: BulkWriter): Data {
  return withTargets(line.plan, line.data, (target, key) => {
    const isAsked = mayFindTarget(writer, target, key)
    const found = isAsked ? view.findTarget(line, target, key) : undefined
    if (found !== undefined) return found
    throw new ApplicationError(
      `No ${target.singularName} has this ${key.attribute.name}`,
      {},
      { code: 'unknown_relation_target' },
    )
  })
}

function findTarget(
  holders: Holders,
  hidden: HiddenKeyTargets,
  { line, plan, key }: PlacedKey & { readonly line: UpsertLine },
): string | undefined {
  const locale = line.version.locale === NO_LOCALE ? line.ownersLocale : line.version.locale
  const own = hidden.get(targetsKey(plan, line))
  return holders.find(plan, key, locale, (documentId) => own?.has(documentId) !== true)
}

interface PlacedKey {
  readonly plan: ContentTypePlan
  readonly key: Key
}

class Holders {
  readonly #byValue = new Map<string, Omit<Holder, 'key'>[]>()

  async read(
    { database }: DocumentContext,
    keys: readonly PlacedKey[],
    status: 'published' | 'draft',
    session: Session | undefined,
  ): Promise<void> {
    const byAttribute = new Map<
      string,
      { readonly first: PlacedKey; values: Map<string, unknown> }
    >()
    for (const placed of keys) {
      const { plan, key } = placed
      const name = `${plan.uid} ${key.attribute.name}`
      const group = byAttribute.get(name) ?? { first: placed, values: new Map<string, unknown>() }
      byAttribute.set(name, group)
      group.values.set(valueKey(key.attribute, key.value), key.value)
    }
    for (const { first, values } of byAttribute.values()) {
      const { plan, key } = first
      const wanted = { values: [...values.values()], statuses: [status] } as const
      const found = await findByUnique(database, plan, key.attribute, wanted, session)
      for (const holder of found) this.#note(plan, key.attribute.name, holder.key, holder)
    }
  }

  join(trial: DryRunResults, keys: readonly PlacedKey[]): void {
    for (const { plan, key } of keys) {
      if (this.holds(plan, key)) continue
      this.add(plan, trial.holders(plan, key))
    }
  }

  #note(plan: ContentTypePlan, name: string, key: string, holder: Omit<Holder, 'key'>): void {
    const at = `${plan.uid} ${name} ${key}`
    const held = this.#byValue.get(at) ?? []
    this.#byValue.set(at, held)
    held.push(holder)
  }

  #at(plan: ContentTypePlan, { attribute, value }: Key): readonly Omit<Holder, 'key'>[] {
    return this.#byValue.get(`${plan.uid} ${attribute.name} ${valueKey(attribute, value)}`) ?? []
  }

  holds(plan: ContentTypePlan, key: Key): boolean {
    return this.#at(plan, key).length > 0
  }

  documentIdsOf(plan: ContentTypePlan, key: Key): readonly string[] {
    return this.#at(plan, key).map(({ documentId }) => documentId)
  }

  find(
    plan: ContentTypePlan,
    key: Key,
    locale: string,
    isShown: (documentId: string) => boolean = () => true,
  ): string | undefined {
    const isLocal = plan.localized && key.attribute.localized
    const all = this.#at(plan, key).filter(
      (holder) => (!isLocal || holder.locale === locale) && isShown(holder.documentId),
    )
    const published = all.filter(({ status }) => status === 'published')
    const held = published.length > 0 ? published : all
    const [documentId, ...others] = new Set(held.map((holder) => holder.documentId))
    if (others.length === 0) return documentId
    throw new ApplicationError(
      `${key.attribute.name}: ${others.length + 1} documents of ${plan.singularName} have this value; name one by its documentId`,
    )
  }

  add(plan: ContentTypePlan, versions: readonly StoredVersion[]): void {
    for (const version of versions) {
      for (const { attribute, value } of uniqueValues(plan, version)) {
        this.#note(plan, attribute.name, valueKey(attribute, value), version)
      }
    }
  }
}

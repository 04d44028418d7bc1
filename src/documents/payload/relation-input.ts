import { fault, type Reason, ValidationError, validationError } from '../../errors.ts'
import type { Uid } from '../../schema/definition.ts'
import type { MediaPlan, RelationPlan } from '../../schema/plan.ts'
import type { ChangeOf, DocumentChange } from './relation-change.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** How a payload names a document. The locale only serves messages: a target may exist in any. */
export type TargetRef =
  { readonly documentId: string; readonly locale?: string } | { readonly id: number }

/** What a payload asks of one relation, before its targets are known to exist. */
export type RelationChange = ChangeOf<TargetRef>

/** A relation or media attribute that a payload changes. */
export interface RelationInput {
  /** From `data` down, list positions included. */
  readonly path: readonly string[]
  readonly attribute: RelationPlan | MediaPlan
  readonly change: RelationChange
}

/** What a payload names of one content-type, each once. */
export interface NamedTargets {
  readonly documentIds: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
}

/** What there is of it, in whatever locale and status. */
export interface FoundTargets {
  readonly documentIds: ReadonlySet<string>
  /** The document that each numeric id belongs to. */
  readonly byId: ReadonlyMap<number, string>
}

/** The changes of a payload by the path of their attribute: `tags`, `sections.0.author`. */
export type DocumentChanges = ReadonlyMap<string, DocumentChange>

/** The relation whose value is read, for messages. */
export interface Place {
  /** From `data` down, list positions included. */
  readonly path: readonly string[]
  readonly sent: unknown
}

/** The content-type that media attributes refer to. */
const FILE_UID: Uid = 'plugin::upload.file'

/** A fault of relations as the dialect lists it: of the payload as a whole. */
export function relationFault(message: string, value: unknown, reason?: Reason): ValidationError {
  return validationError([fault([], message, value, reason)])
}

export function faultAt({ path, sent }: Place, problem: string, reason?: Reason): ValidationError {
  const label = path.join('.')
  return validationError([fault(path, `${label}: ${problem}`, sent, reason)])
}

/** What has to be looked up before changes can be made, by content-type. */
export function namedTargets(inputs: readonly RelationInput[]): ReadonlyMap<Uid, NamedTargets> {
  return collect(inputs, (change) => [...neededRefs(change), ...disconnectedIds(change)])
}

function collect(
  inputs: readonly RelationInput[],
  refsOf: (change: RelationChange) => readonly TargetRef[],
): ReadonlyMap<Uid, NamedTargets> {
  const named = new Map<Uid, { documentIds: Set<string>; ids: Set<number> }>()
  for (const { attribute, change } of inputs) {
    const uid = targetUidOf(attribute)
    const targets = named.get(uid) ?? { documentIds: new Set(), ids: new Set() }
    named.set(uid, targets)
    for (const ref of refsOf(change)) {
      if ('id' in ref) targets.ids.add(ref.id)
      else targets.documentIds.add(ref.documentId)
    }
  }
  return named
}

/**
 * The changes in documentIds. `locale` is the one that is written; the error for a missing localized target names it. A
 * target that is disconnected need not exist: it is not shown as connected in any case.
 * @throws ValidationError when a target does not exist, or is connected twice
 */
export function resolveRelationChanges(
  inputs: readonly RelationInput[],
  found: ReadonlyMap<Uid, FoundTargets>,
  locale: string,
): DocumentChanges {
  for (const input of inputs) assertDocumentsExist(input, found, locale)
  assertIdsExist(inputs, found)
  return new Map(
    inputs.map(({ path, attribute, change }) => {
      const resolved = mapTargets(change, found.get(targetUidOf(attribute)))
      assertConnectedOnce(path, resolved)
      return [path.join('.'), resolved]
    }),
  )
}

/** Of two places that are asked for one document, neither is meant more than the other. */
function assertConnectedOnce(path: readonly string[], change: DocumentChange): void {
  if (change.kind === 'set') return
  const seen = new Set<string>()
  for (const { target } of change.connect) {
    if (seen.has(target)) {
      const problem = `connect names the document ${target} twice`
      throw faultAt({ path, sent: target }, problem, { code: 'relation.twice' })
    }
    seen.add(target)
  }
}

function assertDocumentsExist(
  { attribute, change }: RelationInput,
  found: ReadonlyMap<Uid, FoundTargets>,
  locale: string,
): void {
  const known = found.get(targetUidOf(attribute))?.documentIds
  for (const ref of neededRefs(change)) {
    if ('id' in ref || known?.has(ref.documentId) === true) continue
    const isLocalized = attribute.kind === 'relation' && attribute.target().localized
    const missing = isLocalized ? (locale === NO_LOCALE ? (ref.locale ?? null) : locale) : null
    throw new ValidationError(
      `Document with id "${ref.documentId}", locale "${String(missing)}" not found`,
      {},
      { code: 'unknown_relation_target' },
    )
  }
}

function assertIdsExist(
  inputs: readonly RelationInput[],
  found: ReadonlyMap<Uid, FoundTargets>,
): void {
  for (const [uid, { ids }] of collect(inputs, neededRefs)) {
    const missing = [...ids].filter((id) => found.get(uid)?.byId.has(id) !== true)
    if (missing.length === 0) continue
    const message = `${missing.length} relation(s) of type ${uid} associated with this entity do not exist`
    const count = missing.length
    throw relationFault(message, missing, { code: 'relation.missing', params: { count } })
  }
}

function documentIdOf(ref: TargetRef, found: FoundTargets | undefined): string {
  if (!('id' in ref)) return ref.documentId
  const documentId = found?.byId.get(ref.id)
  if (documentId === undefined) throw new Error(`${ref.id} was not checked to exist`)
  return documentId
}

function targetUidOf(attribute: RelationPlan | MediaPlan): Uid {
  return attribute.kind === 'media' ? FILE_UID : attribute.targetUid
}

/** Every document that a change needs, those that positions refer to included. */
function neededRefs(change: RelationChange): readonly TargetRef[] {
  if (change.kind === 'set') return change.targets
  return change.connect.flatMap(({ target, position }) =>
    'reference' in position ? [target, position.reference] : [target],
  )
}

/** Of documents that are disconnected a documentId says all; which one a numeric id names has to be found. */
function disconnectedIds(change: RelationChange): readonly TargetRef[] {
  return change.kind === 'set' ? [] : change.disconnect.filter((ref) => 'id' in ref)
}

function mapTargets(change: RelationChange, found: FoundTargets | undefined): DocumentChange {
  const map = (ref: TargetRef): string => documentIdOf(ref, found)
  if (change.kind === 'set') return { kind: 'set', targets: change.targets.map(map) }
  const connect = change.connect.map(({ target, position }) => ({
    target: map(target),
    position:
      'reference' in position ? { ...position, reference: map(position.reference) } : position,
  }))
  const disconnect = change.disconnect.flatMap((ref) =>
    'id' in ref ? (found?.byId.get(ref.id) ?? []) : ref.documentId,
  )
  return { kind: 'change', connect, disconnect, strict: change.strict }
}

import { fault, type Reason, ValidationError, validationError } from '../../base/errors.ts'
import type { Uid } from '../../schema/definition.ts'
import type { MediaPlan, RelationPlan } from '../../schema/plan.ts'
import type { ChangeOf, DocumentChange } from './relation-change.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

/** The locale is used in messages only, because targets may exist in any locale. */
export type TargetRef =
  { readonly documentId: string; readonly locale?: string } | { readonly id: number }

export type RelationChange = ChangeOf<TargetRef>

export interface RelationInput {
  readonly path: readonly string[]
  readonly attribute: RelationPlan | MediaPlan
  readonly change: RelationChange
}

export interface NamedTargets {
  readonly documentIds: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
}

export interface FoundTargets {
  readonly documentIds: ReadonlySet<string>
  readonly byId: ReadonlyMap<number, string>
}

/** By path, such as `sections.0.author`. */
export type DocumentChanges = ReadonlyMap<string, DocumentChange>

export interface TargetPosition {
  readonly path: readonly string[]
  readonly sent: unknown
}

const FILE_UID: Uid = 'plugin::upload.file'

/** The dialect reports relation errors for the whole payload, without a path. */
export function relationFault(message: string, value: unknown, reason: Reason): ValidationError {
  return validationError([fault([], message, value, reason)])
}

export function faultAt(
  { path, sent }: TargetPosition,
  problem: string,
  reason: Reason,
): ValidationError {
  const label = path.join('.')
  return validationError([fault(path, `${label}: ${problem}`, sent, reason)])
}

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

/** Disconnected targets need not exist. @throws ValidationError if a target is missing or connected twice */
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

/** Two positions for the same document are ambiguous. */
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

function neededRefs(change: RelationChange): readonly TargetRef[] {
  if (change.kind === 'set') return change.targets
  return change.connect.flatMap(({ target, position }) =>
    'reference' in position ? [target, position.reference] : [target],
  )
}

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

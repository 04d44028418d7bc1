import { ValidationError, validationError, fault } from '../../errors.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { MediaPlan, RelationPlan } from '../../schema/plan.ts'
import type { ChangeOf, Connection, DocumentChange, Position } from './relation-change.ts'
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
interface Place {
  /** From `data` down, list positions included. */
  readonly path: readonly string[]
  readonly sent: unknown
}

/** The content-type that media attributes refer to. */
const FILE_UID: Uid = 'plugin::upload.file'

const ACTIONS: ReadonlySet<string> = new Set(['set', 'connect', 'disconnect', 'options'])
const OPTIONS: ReadonlySet<string> = new Set(['strict'])
const TARGET_KEYS: ReadonlySet<string> = new Set(['id', 'documentId', 'locale'])
const CONNECTION_KEYS: ReadonlySet<string> = new Set([...TARGET_KEYS, 'position'])
const SIDES = ['start', 'end', 'before', 'after'] as const

/**
 * What the value of a relation or media attribute asks for; null when it changes nothing. A list, one
 * target or null replaces what is there; `{ connect, disconnect }` changes it; `set` wins over both. `options`
 * beside them may say that a position beside what is not connected is the end (`strict: false`).
 * @throws ValidationError for every other value, and for keys that mean nothing where they are
 */
export function readRelationChange(path: readonly string[], sent: unknown): RelationChange | null {
  const place = { path, sent }
  if (!isAction(sent)) return { kind: 'set', targets: readTargets(place, sent) }
  assertKeys(place, sent, ACTIONS)
  const { set, connect, disconnect } = sent
  // All are read, so that a wrong one is told even where another wins.
  const targets = readTargets(place, set)
  const connections = toList(connect).map((value) => readConnection(place, value))
  const disconnected = readTargets(place, disconnect)
  const strict = readStrict(place, sent['options'])
  if (set !== null && set !== undefined) return { kind: 'set', targets }
  if (connections.length === 0 && disconnected.length === 0) return null
  return { kind: 'change', connect: connections, disconnect: disconnected, strict }
}

function readStrict(place: Place, options: unknown): boolean {
  if (options === undefined || options === null) return true
  if (!isObject(options) || Array.isArray(options))
    throw faultAt(place, 'options must be an object')
  assertKeys(place, options, OPTIONS, 'options')
  const { strict = true } = options
  if (typeof strict !== 'boolean') throw faultAt(place, 'options.strict must be true or false')
  return strict
}

/** An object that names no document says what to do; `{}` says nothing. */
function isAction(value: unknown): value is Data {
  if (!isObject(value) || Array.isArray(value)) return false
  const keys = Object.keys(value)
  return keys.length === 0 || keys.some((key) => ACTIONS.has(key))
}

function readTargets(place: Place, value: unknown): readonly TargetRef[] {
  return toList(value).map((one) => readTarget(place, one, TARGET_KEYS))
}

/** Null is nothing, and one that is not in a list is a list of one. */
function toList(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((one) => one !== null && one !== undefined)
}

function readConnection(place: Place, value: unknown): Connection<TargetRef> {
  const target = readTarget(place, value, CONNECTION_KEYS)
  const position = isObject(value) ? value['position'] : undefined
  return { target, position: readPosition(place, position) }
}

function readTarget(place: Place, value: unknown, keys: ReadonlySet<string>): TargetRef {
  if (!isObject(value)) return readScalar(place, value)
  assertKeys(place, value, keys)
  const locale = readLocale(place, value['locale'])
  const { documentId = null, id = null } = value
  if (documentId === null) {
    const target = readScalar(place, id)
    if ('id' in target) return target
  } else if (typeof documentId === 'string' && documentId !== '') {
    return locale === null ? { documentId } : { documentId, locale }
  }
  throw invalidRelations(place)
}

/** Text of digits alone is the numeric id of a version, any other text is a documentId. */
function readScalar(place: Place, value: unknown): TargetRef {
  if (typeof value === 'string' && value !== '') {
    if (!/^\d+$/.test(value)) return { documentId: value }
    if (Number.isSafeInteger(Number(value))) return { id: Number(value) }
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { id: value }
  throw invalidRelations(place)
}

function readLocale(place: Place, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw faultAt(place, 'locale must be a text')
}

function readPosition(place: Place, value: unknown): Position<TargetRef> {
  if (value === undefined || value === null) return { kind: 'end' }
  if (!isObject(value)) throw faultAt(place, 'position must be an object')
  assertKeys(place, value, new Set(SIDES), 'position')
  const [side, ...others] = SIDES.filter((key) => isGiven(value[key]))
  if (side === undefined) return { kind: 'end' }
  if (others.length > 0) throw faultAt(place, `position must be one of ${SIDES.join(', ')}`)
  const at = value[side]
  if (side === 'before' || side === 'after') {
    return { kind: side, reference: readScalar(place, at) }
  }
  if (at !== true) throw faultAt(place, `position.${side} must be true`)
  return { kind: side }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null
}

function assertKeys(
  { path }: Place,
  value: Data,
  known: ReadonlySet<string>,
  within: string | null = null,
): void {
  const key = Object.keys(value).find((key) => !known.has(key))
  if (key === undefined) return
  const at = [...attributePath(path), ...(within === null ? [] : [within])].join('.')
  throw new ValidationError(
    `Invalid key ${key} at ${at}`,
    { key, path: at, source: 'body' },
    { code: 'invalid_key' },
  )
}

/** A path without list positions, as the dialect writes it about keys; no attribute is named by digits. */
export function attributePath(path: readonly string[]): readonly string[] {
  return path.filter((key) => !/^\d+$/.test(key))
}

/** The dialect gives this fault no path, so its value tells where it is. */
function invalidRelations({ path, sent }: Place): ValidationError {
  return relationFault('Invalid relations', { [path.join('.')]: sent })
}

/** A fault of relations as the dialect lists it: of the payload as a whole. */
function relationFault(message: string, value: unknown): ValidationError {
  return validationError([fault([], message, value)])
}

function faultAt({ path, sent }: Place, problem: string): ValidationError {
  const label = path.join('.')
  return validationError([fault(path, `${label}: ${problem}`, sent)])
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
 * The changes in documentIds. `locale` is the one that is written, and told when a localized target is
 * missing. One that is disconnected may be gone: it is not shown as connected in any case.
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
      throw faultAt({ path, sent: target }, `connect names the document ${target} twice`)
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
    const told = isLocalized ? (locale === NO_LOCALE ? (ref.locale ?? null) : locale) : null
    throw new ValidationError(
      `Document with id "${ref.documentId}", locale "${String(told)}" not found`,
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
    throw relationFault(message, missing)
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

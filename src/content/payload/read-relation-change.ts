import { ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import type { Connection, Position } from './relation-change.ts'
import {
  faultAt,
  type TargetPosition,
  type RelationChange,
  relationFault,
  type TargetRef,
} from './relation-input.ts'

const ACTIONS: ReadonlySet<string> = new Set(['set', 'connect', 'disconnect', 'options'])
const OPTIONS: ReadonlySet<string> = new Set(['strict'])
const TARGET_KEYS: ReadonlySet<string> = new Set(['id', 'documentId', 'locale'])
const CONNECTION_KEYS: ReadonlySet<string> = new Set([...TARGET_KEYS, 'position'])
const SIDES = ['start', 'end', 'before', 'after'] as const

/** Returns null for no change. With `{ strict: false }`, unknown positions mean the end. @throws ValidationError */
export function readRelationChange(path: readonly string[], sent: unknown): RelationChange | null {
  const place = { path, sent }
  if (!isAction(sent)) return { kind: 'set', targets: readTargets(place, sent) }
  assertKeys(place, sent, ACTIONS)
  const { set, connect, disconnect } = sent
  // Parses all members, so that errors are reported even in an overridden one.
  const targets = readTargets(place, set)
  const connections = toList(connect).map((value) => readConnection(place, value))
  const disconnected = readTargets(place, disconnect)
  const strict = readStrict(place, sent['options'])
  if (set !== null && set !== undefined) return { kind: 'set', targets }
  if (connections.length === 0 && disconnected.length === 0) return null
  return { kind: 'change', connect: connections, disconnect: disconnected, strict }
}

function readStrict(place: TargetPosition, options: unknown): boolean {
  if (options === undefined || options === null) return true
  if (!isObject(options) || Array.isArray(options))
    throw faultAt(place, 'options must be an object', { code: 'object.base' })
  assertKeys(place, options, OPTIONS, 'options')
  const { strict = true } = options
  if (typeof strict !== 'boolean') {
    throw faultAt(place, 'options.strict must be true or false', { code: 'boolean.base' })
  }
  return strict
}

/** An object that does not identify a document is an action. `{}` means no change. */
function isAction(value: unknown): value is Data {
  if (!isObject(value) || Array.isArray(value)) return false
  const keys = Object.keys(value)
  return keys.length === 0 || keys.some((key) => ACTIONS.has(key))
}

function readTargets(place: TargetPosition, value: unknown): readonly TargetRef[] {
  return toList(value).map((one) => readTarget(place, one, TARGET_KEYS))
}

function toList(value: unknown): readonly unknown[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((one) => one !== null && one !== undefined)
}

function readConnection(place: TargetPosition, value: unknown): Connection<TargetRef> {
  const target = readTarget(place, value, CONNECTION_KEYS)
  const position = isObject(value) ? value['position'] : undefined
  return { target, position: readPosition(place, position) }
}

function readTarget(place: TargetPosition, value: unknown, keys: ReadonlySet<string>): TargetRef {
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

/** A string of digits is the numeric id of a version; any other string is a documentId. */
function readScalar(place: TargetPosition, value: unknown): TargetRef {
  if (typeof value === 'string' && value !== '') {
    if (!/^\d+$/.test(value)) return { documentId: value }
    if (Number.isSafeInteger(Number(value))) return { id: Number(value) }
  }
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { id: value }
  throw invalidRelations(place)
}

function readLocale(place: TargetPosition, value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  throw faultAt(place, 'locale must be a text', { code: 'string.base' })
}

function readPosition(place: TargetPosition, value: unknown): Position<TargetRef> {
  if (value === undefined || value === null) return { kind: 'end' }
  if (!isObject(value)) throw faultAt(place, 'position must be an object', { code: 'object.base' })
  assertKeys(place, value, new Set(SIDES), 'position')
  const [side, ...others] = SIDES.filter((key) => isGiven(value[key]))
  if (side === undefined) return { kind: 'end' }
  if (others.length > 0) {
    const message = `position must be one of ${SIDES.join(', ')}`
    throw faultAt(place, message, { code: 'any.only', params: { valids: SIDES } })
  }
  const at = value[side]
  if (side === 'before' || side === 'after') {
    return { kind: side, reference: readScalar(place, at) }
  }
  if (at !== true) {
    const params = { valids: ['true'] }
    throw faultAt(place, `position.${side} must be true`, { code: 'any.only', params })
  }
  return { kind: side }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false
}

function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null
}

function assertKeys(
  { path }: TargetPosition,
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

/** Drops list positions, as the dialect does in errors about keys. Attribute names never consist of digits. */
export function attributePath(path: readonly string[]): readonly string[] {
  return path.filter((key) => !/^\d+$/.test(key))
}

/** The dialect reports this error without a path; the value contains it. */
function invalidRelations({ path, sent }: TargetPosition): ValidationError {
  return relationFault('Invalid relations', { [path.join('.')]: sent }, { code: 'relation.form' })
}

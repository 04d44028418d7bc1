import { createHash } from 'node:crypto'
import { applyOperation, elementKeyOf, type Operation } from '@quire/merge/apply-operation'
import { isDeepEqual } from '@quire/merge/is-deep-equal'
import { type MemberRules, mergeMembers } from '@quire/merge/merge-members'
import { fault, validationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type AttributePlan,
  componentOf,
  isNesting,
  type NestingPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import type { Patch } from './push-request.ts'

export interface PatchSides {
  readonly patch: Patch
  readonly seen: Data
  /** The stored values of the attributes of the patch, in the shape of sync rows. */
  readonly current: Data
  /** Whether the stored version is the base of the patch. */
  readonly isBase: boolean
}

export interface TemporaryKey {
  readonly attribute: string
  readonly key: string
  readonly index: number
}

export interface MergedPatch {
  /** For the ordinary write path. */
  readonly payload: Data
  /** The values of the client. */
  readonly mine: Data
  /** Attributes that both sides changed and that nothing could merge. */
  readonly conflicts: readonly string[]
  /** Attributes whose result differs from the value of the client. */
  readonly merged: readonly string[]
  readonly keys: readonly TemporaryKey[]
}

export type Attributes = ReadonlyMap<string, AttributePlan>

/** Whether an attribute takes the operation. */
export function takesOperation(attribute: AttributePlan, operation: Operation): boolean {
  if ('set' in operation) return true
  if ('inc' in operation) {
    return attribute.kind === 'scalar' && ['integer', 'float'].includes(attribute.type)
  }
  if (isConnecting(operation)) {
    return attribute.kind === 'relation' && attribute.toMany
  }
  return isElementList(attribute)
}

/** Merges a patch with the stored values. The patch names known attributes. @throws ValidationError */
export function mergePatch(attributes: Attributes, sides: PatchSides): MergedPatch {
  const { patch, seen, current, isBase } = sides
  const rules: Record<string, MemberRules> = {}
  const base: Record<string, unknown> = {}
  const set: Record<string, unknown> = {}
  const mine: Record<string, unknown> = {}
  for (const [name, operation] of patch) {
    mine[name] = applyOperation(seen[name], operation, elementKeyOf).value
    if (!('set' in operation)) continue
    const attribute = attributes.get(name)
    if (attribute === undefined) continue
    assertReferences(attribute, operation.set)
    rules[name] = rulesOf(attribute)
    base[name] = isBase ? current[name] : knownText(attribute, seen[name], current[name])
    set[name] = operation.set
  }
  const { values, conflicts } = mergeMembers(rules, { base, mine: set, theirs: current })
  const conflicting = [...new Set(conflicts.flatMap(({ address }) => address.slice(0, 1)))]
  return { ...resultOf(attributes, sides, values, mine), mine, conflicts: conflicting }
}

function resultOf(
  attributes: Attributes,
  { patch, current }: PatchSides,
  values: Data,
  mine: Data,
): Pick<MergedPatch, 'payload' | 'merged' | 'keys'> {
  const payload: Record<string, unknown> = {}
  const merged: string[] = []
  const keys: TemporaryKey[] = []
  for (const [name, operation] of patch) {
    const attribute = attributes.get(name)
    if (attribute === undefined) continue
    const { value, isPlaced } =
      'set' in operation
        ? { value: values[name], isPlaced: true }
        : applyOperation(current[name], operation, elementKeyOf)
    if (!isPlaced || !isDeepEqual(value, mine[name])) merged.push(name)
    if (isDeepEqual(value, current[name])) continue
    payload[name] = isConnecting(operation)
      ? toRelationChange(operation, value)
      : sentValue(attribute, value, keys)
  }
  return { payload, merged, keys }
}

function sentValue(attribute: AttributePlan, value: unknown, keys: TemporaryKey[]): unknown {
  return isElementList(attribute) ? withoutKeys(attribute.name, value, keys) : value
}

function isConnecting(operation: Operation): operation is ConnectOperation {
  return 'connect' in operation || 'disconnect' in operation
}

type ConnectOperation = Extract<Operation, { readonly connect?: unknown }>

function toRelationChange(
  { connect = [], disconnect = [] }: ConnectOperation,
  result: unknown,
): Data {
  const placed = new Set<unknown>(Array.isArray(result) ? result : [])
  return {
    connect: connect.map(({ documentId, after }) => ({
      documentId,
      position: positionOf(after === null || placed.has(after) ? after : undefined),
    })),
    disconnect: disconnect.map((documentId) => ({ documentId })),
    // A target after which another one was placed may be gone. The other one then comes last.
    options: { strict: false },
  }
}

function positionOf(after: string | null | undefined): Data {
  if (after === undefined) return { end: true }
  return after === null ? { start: true } : { after }
}

/** Collects the temporary keys of new elements and removes them. */
function withoutKeys(attribute: string, value: unknown, keys: TemporaryKey[]): unknown {
  if (!Array.isArray(value)) return value
  return value.map((element: unknown, index): unknown => {
    if (!isRecord(element) || !Object.hasOwn(element, '$key')) return element
    const { $key: key, ...others } = element
    const isNew = others['id'] === undefined
    if (!isNew || typeof key !== 'string' || key === '' || key.length > MAX_KEY_LENGTH) {
      throw invalid([attribute, String(index), '$key'], 'expected a short text, without an id')
    }
    keys.push({ attribute, key, index })
    return others
  })
}

const MAX_KEY_LENGTH = 64

/** Other forms of a payload would bypass the comparison with the stored value. */
function assertReferences(attribute: AttributePlan, value: unknown): void {
  if (attribute.kind !== 'relation' && attribute.kind !== 'media') return
  const isList = attribute.kind === 'relation' ? attribute.toMany : attribute.multiple
  const isMany = Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (isList ? isMany : value === null || typeof value === 'string') return
  const expected = isList ? 'a list of documentIds' : 'a documentId or null'
  throw invalid([attribute.name], `expected ${expected}`)
}

function invalid(path: readonly string[], problem: string) {
  const message = `${path.join('.')}: ${problem}`
  return validationError([fault(path, message, undefined, { code: 'any.invalid' })])
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'richtext'])

/** A digest stands for a long text. It says whether the stored text is the one that the client has seen. */
function knownText(attribute: AttributePlan, seen: unknown, current: unknown): unknown {
  if (attribute.kind !== 'scalar' || !TEXTS.has(attribute.type) || !isRecord(seen)) return seen
  if (typeof current !== 'string') return seen
  const digest = createHash('sha256').update(current).digest('hex')
  return seen['sha256'] === digest ? current : seen
}

function isElementList(attribute: AttributePlan): attribute is NestingPlan {
  return (
    attribute.kind === 'dynamiczone' || (attribute.kind === 'component' && attribute.repeatable)
  )
}

function rulesOf(attribute: AttributePlan): MemberRules {
  const { conflict } = attribute
  return {
    ...(conflict !== undefined && { policy: conflict }),
    ...(isNesting(attribute) && {
      elements: {
        isList: isElementList(attribute),
        keyOf: (element) => {
          const key = elementKeyOf(element)
          return key === null ? null : String(key)
        },
        membersOf: (element) => membersOf(componentOf(attribute, element)),
      },
    }),
  }
}

function membersOf(component: ShapePlan | undefined): Readonly<Record<string, MemberRules>> {
  const attributes = [...(component?.attributes ?? [])].map(
    ([name, attribute]) => [name, rulesOf(attribute)] as const,
  )
  return Object.fromEntries(attributes)
}

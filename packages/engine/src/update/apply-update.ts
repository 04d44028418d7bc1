import { assertStorableDepth } from '../bson/depth.ts'
import { encodeDocument } from '../bson/encode.ts'
import { areEqualValues } from '../bson/compare.ts'
import { cloneValue, isDocument, createDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError, failedToParse } from '../errors.ts'
import type { Matcher } from '../filter/match.ts'
import { ARRAY_OPERATORS } from './array-operators.ts'
import { FIELD_OPERATORS } from './field-operators.ts'
import type { OperatorSpec, UpdateContext } from './operator-spec.ts'
import { resolveTargets } from './update-paths.ts'
import type { Target } from './update-paths.ts'

interface Step {
  readonly path: string
  readonly parts: readonly string[]
  readonly operator: string
  readonly creates: boolean
  readonly apply: (target: Target, context: UpdateContext) => void
}

export interface MatchContext {
  readonly isInsert: boolean
  /** The index of the array element that the filter matched, for `$` in paths. */
  readonly positionOf: (arrayPath: readonly string[]) => number | null
}

export type Update = (document: Document, context: MatchContext) => Document

const OPERATORS: Readonly<Record<string, OperatorSpec>> = { ...FIELD_OPERATORS, ...ARRAY_OPERATORS }

function checkPath(path: string): readonly string[] {
  if (path === '') throw new CommandError('EmptyFieldName', 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.includes(''))
    throw new CommandError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    )
  if (parts[0]?.startsWith('$'))
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${parts[0]}' in '${path}' is not allowed in the context of an update's replacement document.`,
    )
  return parts
}

function parseOperator(operator: string, operand: Value): Step[] {
  const spec = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined
  if (!spec)
    throw failedToParse(
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    )
  if (!isDocument(operand))
    throw failedToParse(
      `Modifiers operate on fields but we found type ${getType(operand)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
    )
  return Object.keys(operand).flatMap((path): Step[] => {
    const parts = checkPath(path)
    const steps: Step[] = [
      { path, parts, operator, creates: spec.creates, apply: spec.compile(path, operand[path]) },
    ]
    const to = operand[path]
    // A rename writes to two paths. The conflict check covers both.
    if (operator === '$rename' && typeof to === 'string')
      steps.push({
        path: to,
        parts: checkPath(to),
        operator: '',
        creates: false,
        apply: () => undefined,
      })
    return steps
  })
}

function orderOfPart(a: string, b: string): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) return Number(a) - Number(b)
  if (a === b) return 0
  return a < b ? -1 : 1
}

function comparePaths(a: Step, b: Step): number {
  for (let i = 0; i < Math.min(a.parts.length, b.parts.length); i++) {
    const order = orderOfPart(a.parts[i] ?? '', b.parts[i] ?? '')
    if (order !== 0) return order
  }
  return a.parts.length - b.parts.length
}

// In sorted order a path directly precedes the paths below it.
function assertNoConflict(steps: readonly Step[]): void {
  for (let i = 1; i < steps.length; i++) {
    const [above, below] = [steps[i - 1], steps[i]]
    if (above && below && above.parts.every((part, at) => part === below.parts[at])) {
      throw new CommandError(
        'ConflictingUpdateOperators',
        `Updating the path '${below.path}' would create a conflict at '${above.path}'`,
      )
    }
  }
}

/** Applies modifiers in path order, like MongoDB, so new fields are added in that order. */
export function compileModifiers(
  update: Document,
  arrayFilters: ReadonlyMap<string, Matcher>,
): Update {
  const steps = Object.keys(update)
    .flatMap((operator) => parseOperator(operator, update[operator]))
    .sort(comparePaths)
  assertNoConflict(steps)
  const used = new Set(
    steps.flatMap(({ parts }) =>
      parts.filter((part) => /^\$\[.+\]$/.test(part)).map((part) => part.slice(2, -1)),
    ),
  )
  const unused = [...arrayFilters.keys()].find((name) => !used.has(name))
  if (unused !== undefined)
    throw failedToParse(`The array filter for identifier '${unused}' was not used in the update`)
  return (original, match) => {
    const document = cloneValue(original)
    const context = { isInsert: match.isInsert, document, now: new Date() }
    for (const { parts, creates, apply, operator } of steps) {
      if (operator === '$setOnInsert' && !match.isInsert) continue
      for (const target of resolveTargets(document, parts, {
        creates,
        arrayFilters,
        positionOf: match.positionOf,
      }))
        apply(target, context)
    }
    assertSameId(original, document)
    return idFirst(document)
  }
}

export function compileReplacement(replacement: Document): Update {
  const dollar = Object.keys(replacement).find((field) => field.startsWith('$'))
  if (dollar !== undefined) {
    throw new CommandError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  }
  return (original) => {
    const document = createDocument()
    if ('_id' in original) document['_id'] = original['_id']
    for (const field of Object.keys(replacement))
      if (field !== '_id') document[field] = replacement[field]
    if ('_id' in replacement) {
      if ('_id' in original) assertSameId(original, replacement)
      else document['_id'] = replacement['_id']
    }
    return idFirst(document)
  }
}

function assertSameId(original: Document, changed: Document): void {
  if (
    original['_id'] === undefined ||
    (changed['_id'] !== undefined && areEqualValues(original['_id'], changed['_id']))
  )
    return
  throw new CommandError(
    'ImmutableField',
    "Performing an update on the path '_id' would modify the immutable field '_id'",
  )
}

/** @throws CommandError ImmutableField */
export function keepId(original: Document, changed: Document): Document {
  const hasLost = original['_id'] !== undefined && changed['_id'] === undefined
  const kept = hasLost ? { ...changed, _id: original['_id'] } : changed
  assertSameId(original, kept)
  return idFirst(kept)
}

function idFirst(document: Document): Document {
  if (Object.keys(document)[0] === '_id' || !('_id' in document)) return document
  const ordered = createDocument()
  ordered['_id'] = document['_id']
  return Object.assign(ordered, document)
}

export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024

export function encodeChecked(document: Document): Buffer {
  assertStorableDepth(document)
  const bytes = encodeDocument(document)
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new CommandError(
      'BSONObjectTooLarge',
      `Resulting document after update is larger than ${MAX_DOCUMENT_BYTES}`,
    )
  return bytes
}

import { BSONRegExp } from 'bson'
import { encodeDocument } from '../bson/encode.ts'
import { toDocument, isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { failedToParse } from '../errors.ts'
import type { Filter } from '../filter/filter.ts'
import { splitPath, readValuesAtPath } from '../filter/paths.ts'
import { compileAddFields } from '../filter/projection.ts'
import { checkVariableName } from '../expression/expression-forms.ts'
import { compileExpression } from '../expression/expressions.ts'
import type { Evaluate, Variables } from '../expression/evaluate.ts'
import { newPlanMemory } from '../query/plan.ts'
import type { CompiledPipeline, CompileStage } from './stage.ts'

interface LookupSpec {
  readonly from: string
  readonly as: string
  readonly localField: string | null
  readonly foreignField: string | null
  readonly bindings: readonly (readonly [string, Evaluate])[]
  readonly pipeline: Value
}

/** Steps of one query, besides the documents that it reads. */
const STEPS_PER_QUERY = 8

const LOOKUP_OPTIONS: ReadonlySet<string> = new Set([
  'from',
  'as',
  'localField',
  'foreignField',
  'let',
  'pipeline',
])

function optionalString(spec: Document, name: string): string | null {
  const value = spec[name]
  if (value === undefined) return null
  if (typeof value !== 'string') throw failedToParse(`$lookup argument '${name}' must be a string`)
  return value
}

function parseBindings(spec: Value): readonly (readonly [string, Evaluate])[] {
  if (spec === undefined) return []
  if (!isDocument(spec)) throw failedToParse("$lookup argument 'let' must be an object")
  return Object.keys(spec).map((name) => {
    checkVariableName(name)
    return [name, compileExpression(spec[name])] as const
  })
}

function parseLookup(operand: Value): LookupSpec {
  if (!isDocument(operand)) throw failedToParse('the $lookup specification must be an object')
  const unknown = Object.keys(operand).find((key) => !LOOKUP_OPTIONS.has(key))
  if (unknown !== undefined) throw failedToParse(`unknown argument to $lookup: ${unknown}`)
  const from = optionalString(operand, 'from')
  const as = optionalString(operand, 'as')
  const [localField, foreignField] = [
    optionalString(operand, 'localField'),
    optionalString(operand, 'foreignField'),
  ]
  if (from === null || as === null)
    throw failedToParse("must specify 'from' and 'as' fields for a $lookup")
  if ((localField === null) !== (foreignField === null))
    throw failedToParse('$lookup requires both or neither of localField and foreignField')
  if (localField === null && operand['pipeline'] === undefined)
    throw failedToParse('$lookup requires either pipeline or both localField and foreignField')
  return {
    from,
    as,
    localField,
    foreignField,
    bindings: parseBindings(operand['let']),
    pipeline: operand['pipeline'] ?? [],
  }
}

// Each element of an array joins separately. Missing values and empty arrays join null.
function joinFilter(document: Document, localField: string, foreignField: string): Filter {
  const found = readValuesAtPath(document, splitPath(localField)).flatMap((value) =>
    Array.isArray(value) ? value : [value ?? null],
  )
  const values = found.length === 0 ? [null] : found
  if (!values.some((value) => value instanceof BSONRegExp))
    return { kind: 'in', path: foreignField, operands: values }
  // `in` would match texts by a regular expression. A join compares it by equality.
  return {
    kind: 'any',
    of: values.map((operand) => ({
      kind: 'compare',
      path: foreignField,
      operator: '$eq',
      operand,
    })),
  }
}

/** Results by join key: many documents join with the same values. */
type JoinCache = Map<string, readonly Document[]>

const MAX_CACHED_JOINS = 10_000

function keyOf(
  join: Filter | null,
  variables: Variables,
  bindings: LookupSpec['bindings'],
): string {
  const bound = bindings.map(([name]) => variables.get(name))
  const joined =
    join?.kind === 'in' ? join.operands : join?.kind === 'any' ? join.of.map(operandOf) : []
  // The key keeps the types, because a pipeline may return its variables.
  return encodeDocument(toDocument({ bound: bound.map(present), joined: [...joined] })).toString(
    'latin1',
  )
}

// In an array, missing and null would be equal. A pipeline distinguishes them.
function present(value: Value): Value {
  return value === undefined ? [] : [value]
}

function operandOf(filter: Filter): Value {
  return 'operand' in filter ? filter.operand : null
}

function remember(known: JoinCache, key: string, found: readonly Document[]): void {
  if (known.size >= MAX_CACHED_JOINS) known.clear()
  known.set(key, found)
}

export const compileLookup: CompileStage = (operand, compile) => {
  const { from, as, localField, foreignField, bindings, pipeline } = parseLookup(operand)
  const compiled: CompiledPipeline = compile(pipeline)
  const place = compileAddFields(toDocument({ [as]: '$$found' }))
  return function* lookup(documents, context) {
    const known: JoinCache = new Map()
    const memory = newPlanMemory()
    for (const document of documents) {
      spend(STEPS_PER_QUERY)
      const variables = new Map<string, Value>(context.variables)
      for (const [name, evaluate] of bindings)
        variables.set(name, evaluate(document, context.variables))
      const join =
        localField === null || foreignField === null
          ? null
          : joinFilter(document, localField, foreignField)
      const key = keyOf(join, variables, bindings)
      const found = known.get(key) ?? [
        ...compiled.read(from, { ...context, variables, memory }, join),
      ]
      remember(known, key, found)
      const holder: Variables = new Map([['found', [...found]]])
      yield place(document, holder)
    }
  }
}

import { Long } from 'bson'
import { encodeKey } from '../bson/encode-key.ts'
import { isNumber } from '../bson/numbers.ts'
import type { NumberValue } from '../bson/numbers.ts'
import { isDocument, createDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import { addNumbers, computeAverage, findExtreme } from '../expression/arithmetic-functions.ts'
import { compileExpression } from '../expression/expressions.ts'
import type { Evaluate, Variables } from '../expression/evaluate.ts'

interface Accumulator {
  add(value: Value): void
  result(): Value
}

function isAbsent(value: Value): boolean {
  return value === null || value === undefined
}

function summing(): Accumulator {
  let total: NumberValue = 0
  return {
    add: (value) => {
      if (isNumber(value)) total = addNumbers(total, value)
    },
    result: () => total,
  }
}

function collecting(
  result: (values: readonly Value[]) => Value,
  accepts: (value: Value) => boolean,
): Accumulator {
  const values: Value[] = []
  return {
    add: (value) => {
      if (accepts(value)) values.push(value)
    },
    result: () => result(values),
  }
}

function extreme(direction: 1 | -1): Accumulator {
  let best: Value = null
  return { add: (value) => (best = findExtreme([best, value], direction)), result: () => best }
}

function first(): Accumulator {
  let has = false
  let kept: Value = null
  return {
    add: (value) => {
      if (!has) kept = value ?? null
      has = true
    },
    result: () => kept,
  }
}

function last(): Accumulator {
  let kept: Value = null
  return { add: (value) => (kept = value ?? null), result: () => kept }
}

function distinct(): Accumulator {
  const kept = new Map<string, Value>()
  return {
    add: (value) => {
      if (value !== undefined) kept.set(toKeyText(value), kept.get(toKeyText(value)) ?? value)
    },
    result: () => [...kept.values()],
  }
}

function merging(): Accumulator {
  const merged = createDocument()
  return {
    add: (value) => {
      if (isAbsent(value)) return
      if (!isDocument(value))
        throw new CommandError('Location40400', '$mergeObjects requires object inputs')
      Object.assign(merged, value)
    },
    result: () => merged,
  }
}

const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  $sum: summing,
  $count: summing,
  $avg: () => collecting((values) => computeAverage(values), isNumber),
  $min: () => extreme(1),
  $max: () => extreme(-1),
  $first: first,
  $last: last,
  $push: () =>
    collecting(
      (values) => [...values],
      (value) => value !== undefined,
    ),
  $addToSet: distinct,
  $mergeObjects: merging,
}

export function toKeyText(value: Value): string {
  return encodeKey([value ?? undefined], []).toString('latin1')
}

interface Member {
  readonly name: string
  readonly create: () => Accumulator
  readonly evaluate: Evaluate
}

function compileOperand(operator: string, operand: Value): Evaluate {
  if (Array.isArray(operand))
    throw new CommandError('Location40237', `The ${operator} accumulator is a unary operator`)
  return compileExpression(operand)
}

function parseMember(name: string, spec: Value): Member {
  if (name.includes('.'))
    throw new CommandError('Location40235', `The field name '${name}' cannot contain '.'`)
  if (!isDocument(spec))
    throw new CommandError('Location40234', `The field '${name}' must be an accumulator object`)
  const [operator = '', ...others] = Object.keys(spec)
  if (others.length > 0)
    throw new CommandError('Location40238', `The field '${name}' must specify one accumulator`)
  const create = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined
  if (!create) throw new CommandError('Location15952', `unknown group operator '${operator}'`)
  if (operator !== '$count')
    return { name, create, evaluate: compileOperand(operator, spec[operator]) }
  const counted = spec[operator]
  if (!isDocument(counted) || Object.keys(counted).length > 0)
    throw new CommandError('Location40238', '$count takes no arguments, i.e. $count:{}')
  return { name, create, evaluate: () => 1 }
}

interface Groups {
  get(key: Value): Group
  values(): Iterable<Group>
}

// Consecutive keys are often equal. Reusing the last group avoids encoding a key.
function groupFinder(create: (key: Value) => Group): Groups {
  const groups = new Map<string, Group>()
  let last: Group | undefined
  return {
    get(key) {
      if (last && last.id === key && typeof key !== 'object') return last
      const text = toKeyText(key)
      last = groups.get(text) ?? create(key)
      groups.set(text, last)
      return last
    },
    values: () => groups.values(),
  }
}

interface Group {
  readonly id: Value
  readonly accumulators: readonly Accumulator[]
}

export function compileGroup(
  spec: Value,
): (documents: Iterable<Document>, variables: Variables) => Iterable<Document> {
  if (!isDocument(spec))
    throw new CommandError('Location15947', "a group's fields must be specified in an object")
  if (!('_id' in spec))
    throw new CommandError('Location15955', 'a group specification must include an _id')
  const id = compileExpression(spec['_id'])
  const members = Object.keys(spec)
    .filter((name) => name !== '_id')
    .map((name) => parseMember(name, spec[name]))
  const create = (key: Value): Group => ({
    id: key,
    accumulators: members.map(({ create }) => create()),
  })
  return function* group(documents, variables) {
    const groups = groupFinder(create)
    for (const document of documents) {
      spend()
      const { accumulators } = groups.get(id(document, variables) ?? null)
      for (const [i, { evaluate }] of members.entries())
        accumulators[i]?.add(evaluate(document, variables))
    }
    for (const { id, accumulators } of groups.values()) {
      const result = createDocument()
      result['_id'] = id
      for (const [i, { name }] of members.entries()) result[name] = accumulators[i]?.result()
      yield result
    }
  }
}

/** MongoDB returns counts as ints if they fit. */
export function toCountValue(count: number): Value {
  return count <= 2147483647 ? count : Long.fromNumber(count)
}

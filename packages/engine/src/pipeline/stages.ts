import { Long } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { toDocument, isDocument, createDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { spend } from '../deadline.ts'
import { CommandError, failedToParse } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import { compileAddFields, compileProjection } from '../filter/projection.ts'
import { takePage } from '../query/run-query.ts'
import { compileSort, parseSort, sortItems } from '../filter/sort.ts'
import { compileExpression } from '../expression/expressions.ts'
import type { Variables } from '../expression/evaluate.ts'
import { compileGroup, toCountValue } from './group.ts'
import { compileLookup } from './lookup.ts'
import type { CompileStage, Stage } from './stage.ts'

function each(change: (document: Document, variables: Variables) => Document): Stage {
  return function* (documents, { variables }) {
    for (const document of documents) {
      spend()
      yield change(document, variables)
    }
  }
}

function objectOf(name: string, operand: Value): Document {
  if (!isDocument(operand)) throw failedToParse(`the ${name} specification must be an object`)
  return operand
}

function match(operand: Value): Stage {
  if (!isDocument(operand))
    throw new CommandError('Location15959', 'the match filter must be an expression in an object')
  const matches = compileFilter(parseFilter(operand))
  return function* (documents, { variables }) {
    for (const document of documents) {
      spend()
      if (matches(document, variables)) yield document
    }
  }
}

export function readCount(name: string, operand: Value, least: number): number {
  const count = isNumber(operand) ? toDouble(operand) : NaN
  if (!Number.isInteger(count))
    throw new CommandError(
      name === '$limit' ? 'Location5107201' : 'Location5107200',
      `invalid argument to ${name} stage: Expected an integer`,
    )
  if (count < least)
    throw new CommandError(
      name === '$limit' ? 'Location15958' : 'Location5107200',
      `invalid argument to ${name} stage: the ${name.slice(1)} must be ${least === 1 ? 'positive' : 'non-negative'}`,
    )
  return count
}

function sort(operand: Value): Stage {
  if (!isDocument(operand))
    throw new CommandError('Location15973', 'the $sort key specification must be an object')
  if (Object.keys(operand).length === 0)
    throw new CommandError('Location15976', '$sort stage must have at least one sort key')
  const sorter = compileSort(parseSort(operand))
  return (documents) => sortItems(documents, (document) => document, sorter)
}

function project(operand: Value): Stage {
  const spec = objectOf('$project', operand)
  if (Object.keys(spec).length === 0)
    throw new CommandError(
      'Location51272',
      'Invalid $project :: caused by :: projection specification must have at least one field',
    )
  return each(compileProjection(spec, false))
}

function unset(operand: Value): Stage {
  const paths = Array.isArray(operand) ? operand : [operand]
  const spec = createDocument()
  for (const path of paths) {
    if (typeof path !== 'string')
      throw new CommandError(
        'Location31002',
        '$unset specification must be a string or an array of strings',
      )
    spec[path] = false
  }
  if (paths.length === 0)
    throw new CommandError('Location31002', '$unset specification must not be empty')
  return each(compileProjection(spec, false))
}

function count(operand: Value): Stage {
  if (
    typeof operand !== 'string' ||
    operand === '' ||
    operand.startsWith('$') ||
    operand.includes('.')
  ) {
    throw new CommandError(
      'Location40160',
      'the count field must be a non-empty string without $ and .',
    )
  }
  return function* (documents) {
    let total = 0
    for (const document of documents) total += Number(isDocument(document))
    if (total > 0) yield toDocument({ [operand]: toCountValue(total) })
  }
}

const UNWIND: ReadonlySet<string> = new Set([
  'path',
  'preserveNullAndEmptyArrays',
  'includeArrayIndex',
])

function indexName(index: Value): string | null {
  if (index === undefined) return null
  if (typeof index !== 'string' || index === '')
    throw new CommandError(
      'Location28810',
      'expected a non-empty string for the includeArrayIndex option',
    )
  if (!index.startsWith('$')) return index
  throw new CommandError(
    'Location28822',
    `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${index}`,
  )
}

function unwindOptions(operand: Value): { path: string; keeps: boolean; index: string | null } {
  const options = isDocument(operand) ? operand : toDocument({ path: operand })
  const unknown = Object.keys(options).find((key) => !UNWIND.has(key))
  if (unknown !== undefined)
    throw new CommandError('Location28811', `unrecognized option to $unwind stage: ${unknown}`)
  const { path, preserveNullAndEmptyArrays: keeps, includeArrayIndex: index } = options
  if (typeof path !== 'string')
    throw new CommandError('Location28808', 'expected a string as the path for $unwind stage')
  if (!path.startsWith('$'))
    throw new CommandError(
      'Location28818',
      `path option to $unwind stage should be prefixed with a '$': ${path}`,
    )
  if (keeps !== undefined && typeof keeps !== 'boolean')
    throw new CommandError(
      'Location28809',
      'expected a boolean for the preserveNullAndEmptyArrays option',
    )
  return { path: path.slice(1), keeps: keeps === true, index: indexName(index) }
}

function withValue(document: Document, parts: readonly string[], value: Value): Document {
  const [part = '', ...rest] = parts
  const copy = Object.assign(createDocument(), document)
  const child = document[part]
  const next =
    rest.length === 0 ? value : withValue(isDocument(child) ? child : createDocument(), rest, value)
  if (next === undefined) delete copy[part]
  else copy[part] = next
  return copy
}

function readPlain(document: Document, parts: readonly string[]): Value {
  let value: Value = document
  for (const part of parts) value = isDocument(value) ? value[part] : undefined
  return value
}

function unwind(operand: Value): Stage {
  const { path, keeps, index } = unwindOptions(operand)
  const parts = path.split('.')
  const numbered = (document: Document, place: number | null): Document =>
    index === null
      ? document
      : withValue(document, index.split('.'), place === null ? null : Long.fromNumber(place))
  return function* (documents) {
    for (const document of documents) {
      const value = readPlain(document, parts)
      if (Array.isArray(value) && value.length > 0) {
        for (const [i, element] of value.entries()) {
          spend()
          yield numbered(withValue(document, parts, element), i)
        }
      } else if (Array.isArray(value)) {
        if (keeps) yield numbered(withValue(document, parts, undefined), null)
      } else if ((value !== null && value !== undefined) || keeps) yield numbered(document, null)
    }
  }
}

function replaceRoot(operand: Value): Stage {
  const evaluate = compileExpression(operand)
  return each((document, variables) => {
    const root = evaluate(document, variables)
    if (!isDocument(root))
      throw new CommandError('Location40228', "'newRoot' expression must evaluate to an object")
    return root
  })
}

function newRoot(operand: Value): Value {
  const spec = objectOf('$replaceRoot', operand)
  if (!('newRoot' in spec) || Object.keys(spec).length > 1)
    throw new CommandError(
      'Location40414',
      "BSON field '$replaceRoot.newRoot' is missing but a required field",
    )
  return spec['newRoot']
}

function sortByCount(operand: Value): Stage {
  if (typeof operand === 'string' && !operand.startsWith('$'))
    throw new CommandError(
      'Location40148',
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    )
  const group = compileGroup(toDocument({ _id: operand, count: toDocument({ $sum: 1 }) }))
  const order = sort(toDocument({ count: -1 }))
  return (documents, context) => order(group(documents, context.variables), context)
}

function assertNoFacet(pipeline: Value): void {
  const stages = Array.isArray(pipeline) ? pipeline : []
  if (!stages.some((stage) => isDocument(stage) && '$facet' in stage)) return
  throw new CommandError('Location40600', '$facet is not allowed to be used within a $facet stage')
}

const facet: CompileStage = (operand, compile) => {
  const spec = objectOf('$facet', operand)
  const facets = Object.keys(spec).map((name) => {
    assertNoFacet(spec[name])
    return [name, compile(spec[name])] as const
  })
  if (facets.length === 0)
    throw new CommandError('Location40169', 'the $facet specification must be a non-empty object')
  return function* (documents, context) {
    const all = [...documents]
    const result = createDocument()
    for (const [name, pipeline] of facets) result[name] = [...pipeline.run(all, context)]
    yield result
  }
}

const unionWith: CompileStage = (operand, compile) => {
  const spec = isDocument(operand) ? operand : toDocument({ coll: operand })
  const { coll, pipeline } = spec
  const unknown = Object.keys(spec).find((key) => key !== 'coll' && key !== 'pipeline')
  if (typeof coll !== 'string' || unknown !== undefined)
    throw failedToParse('$unionWith needs a collection name and at most a pipeline')
  const compiled = compile(pipeline ?? [])
  return function* (documents, context) {
    yield* documents
    yield* compiled.read(coll, { ...context, variables: new Map() })
  }
}

export const STAGES: Readonly<Record<string, CompileStage>> = {
  $match: match,
  $sort: sort,
  $skip: (operand) => {
    const skip = readCount('$skip', operand, 0)
    return (documents) => takePage(documents, skip, Infinity)
  },
  $limit: (operand) => {
    const limit = readCount('$limit', operand, 1)
    return (documents) => takePage(documents, 0, limit)
  },
  $project: project,
  $addFields: (operand) => each(compileAddFields(objectOf('$addFields', operand))),
  $set: (operand) => each(compileAddFields(objectOf('$set', operand))),
  $unset: unset,
  $group: (operand) => {
    const group = compileGroup(operand)
    return (documents, { variables }) => group(documents, variables)
  },
  $count: count,
  $unwind: unwind,
  $lookup: compileLookup,
  $facet: facet,
  $replaceRoot: (operand) => replaceRoot(newRoot(operand)),
  $replaceWith: replaceRoot,
  $sortByCount: sortByCount,
  $unionWith: unionWith,
}

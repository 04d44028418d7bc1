import { compileExpression } from '../expression/expressions.ts'
import type { Evaluate, Variables } from '../expression/evaluate.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, createDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import { parseFilter } from './filter.ts'
import { compileFilter } from './match.ts'
import { getTopFields } from './paths.ts'

export type Projection = (document: Document, variables: Variables) => Document

type Leaf =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly evaluate: Evaluate }
  | { readonly kind: 'array' | 'element'; readonly apply: (value: Value) => Value }

type Tree = Map<string, Leaf | Tree>

const INCLUDE: Leaf = { kind: 'include' }
const EXCLUDE: Leaf = { kind: 'exclude' }

function isFlag(value: Value): boolean {
  return typeof value === 'boolean' || isNumber(value)
}

function isSet(value: Value): boolean {
  return value === true || (isNumber(value) && toDouble(value) !== 0)
}

function integer(value: Value): number {
  if (!isNumber(value)) throw badValue('$slice needs numbers')
  return Math.trunc(toDouble(value))
}

function parseSlice(operand: Value): Leaf {
  const [skip, count] = Array.isArray(operand)
    ? [integer(operand[0]), integer(operand[1])]
    : [null, integer(operand)]
  if (skip !== null && count <= 0)
    throw new CommandError('Location28724', '$slice: the number to return must be positive')
  const slice = (array: Value[]): Value[] => {
    if (skip === null) return count < 0 ? array.slice(count) : array.slice(0, count)
    const start = skip < 0 ? Math.max(array.length + skip, 0) : skip
    return array.slice(start, start + count)
  }
  return { kind: 'array', apply: (value) => (Array.isArray(value) ? slice(value) : value) }
}

function parseElemMatch(path: string, operand: Value): Leaf {
  if (path.includes('.'))
    throw new CommandError('Location31275', 'Cannot use $elemMatch projection on a nested field.')
  if (!isDocument(operand)) throw badValue('elemMatch: Invalid argument, object required')
  const { of } = parseFilterOnElement(operand)
  return {
    kind: 'element',
    apply: (value) => {
      const found = Array.isArray(value) ? value.find((element) => of(element)) : undefined
      return found === undefined ? undefined : [found]
    },
  }
}

function parseFilterOnElement(operand: Document): { of: (value: Value) => boolean } {
  const wrapped = createDocument()
  const condition = createDocument()
  condition['$elemMatch'] = operand
  wrapped['a'] = condition
  const matches = compileFilter(parseFilter(wrapped))
  return {
    of: (value) => {
      const holder = createDocument()
      holder['a'] = [value]
      return matches(holder)
    },
  }
}

function parseLeaf(path: string, value: Value, forFind: boolean): Leaf {
  if (isFlag(value)) return isSet(value) ? INCLUDE : EXCLUDE
  if (forFind && isDocument(value)) {
    if (
      '$slice' in value &&
      !(Array.isArray(value['$slice']) && typeof value['$slice'][0] === 'string')
    )
      return parseSlice(value['$slice'])
    if ('$elemMatch' in value) return parseElemMatch(path, value['$elemMatch'])
    if ('$meta' in value) throw badValue(`$meta is not supported: ${path}`)
  }
  return { kind: 'compute', evaluate: compileExpression(value) }
}

function addPath(tree: Tree, path: string, leaf: Leaf): void {
  const parts = path.split('.')
  if (parts.includes(''))
    throw new CommandError('Location40353', 'FieldPath field names may not be empty strings.')
  if (parts.includes('$'))
    throw new CommandError('Location31395', 'positional projection is not supported')
  if (parts.some((part) => part.startsWith('$')))
    throw new CommandError('Location16410', "FieldPath field names may not start with '$'.")
  let node = tree
  for (const part of parts.slice(0, -1)) {
    const next = node.get(part) ?? new Map<string, Leaf | Tree>()
    if (!(next instanceof Map)) throw new CommandError('Location31249', `Path collision at ${path}`)
    node.set(part, next)
    node = next
  }
  const last = parts.at(-1) ?? ''
  if (node.has(last)) throw new CommandError('Location31250', `Path collision at ${path}`)
  node.set(last, leaf)
}

interface Parsed {
  readonly tree: Tree
  readonly leaves: { readonly path: string; readonly leaf: Leaf }[]
}

function parseInto(parsed: Parsed, prefix: string, spec: Document, forFind: boolean): void {
  for (const key of Object.keys(spec)) {
    const value = spec[key]
    const path = prefix + key
    if (isNested(value)) parseInto(parsed, `${path}.`, value, forFind)
    else {
      if (isDocument(value) && Object.keys(value).length === 0)
        throw new CommandError('Location51270', 'An empty sub-projection is not a valid value.')
      const leaf = parseLeaf(path, value, forFind)
      addPath(parsed.tree, path, leaf)
      parsed.leaves.push({ path, leaf })
    }
  }
}

const INCLUSIVE: ReadonlySet<Leaf['kind']> = new Set(['include', 'compute', 'element'])

/** Mixing inclusion and exclusion is refused, except for `_id`. */
function isInclusion({ leaves }: Parsed): boolean {
  const named = leaves.filter(({ path }) => path !== '_id')
  const inclusion = named.find(({ leaf }) => INCLUSIVE.has(leaf.kind))
  const exclusion = named.find(({ leaf }) => leaf.kind === 'exclude')
  if (inclusion && exclusion) {
    const isFirst = named.indexOf(inclusion) < named.indexOf(exclusion)
    throw isFirst
      ? new CommandError(
          'Location31254',
          `Cannot do exclusion on field ${exclusion.path} in inclusion projection`,
        )
      : new CommandError(
          'Location31253',
          `Cannot do inclusion on field ${inclusion.path} in exclusion projection`,
        )
  }
  if (inclusion) return true
  if (exclusion) return false
  const own = leaves.find(({ path }) => path === '_id')
  const hasElement = named.some(({ leaf }) => leaf.kind === 'array')
  return own !== undefined && own.leaf.kind !== 'exclude' && !hasElement
}

interface Context {
  readonly root: Document
  readonly variables: Variables
  readonly keepsOthers: boolean
}

function applyNode(node: Leaf | Tree, value: Value, context: Context): Value {
  if (node instanceof Map) return applyTree(node, value, context)
  if (node.kind === 'exclude') return undefined
  if ('apply' in node) return node.apply(value)
  return node.kind === 'include' ? value : node.evaluate(context.root, context.variables)
}

function applyTree(tree: Tree, value: Value, context: Context): Value {
  if (Array.isArray(value)) {
    return value
      .map((element) => applyTree(tree, element, context))
      .filter((element) => element !== undefined)
  }
  if (isDocument(value)) return applyToDocument(tree, value, context)
  if (hasComputed(tree)) return applyToDocument(tree, createDocument(), context)
  return context.keepsOthers ? value : undefined
}

function hasComputed(node: Leaf | Tree): boolean {
  return node instanceof Map
    ? [...node.values()].some((child) => hasComputed(child))
    : node.kind === 'compute'
}

function comesLast(node: Leaf | Tree): boolean {
  return !(node instanceof Map) && (node.kind === 'compute' || node.kind === 'element')
}

function applyToDocument(tree: Tree, document: Document, context: Context): Document {
  const result = createDocument()
  for (const field of Object.keys(document)) {
    const node = tree.get(field)
    if (!node) {
      if (context.keepsOthers) result[field] = document[field]
    } else if (!comesLast(node)) put(result, field, applyNode(node, document[field], context))
  }
  for (const [field, node] of tree) {
    if (comesLast(node) || (hasComputed(node) && !(field in document)))
      put(result, field, applyNode(node, document[field], context))
  }
  return result
}

function put(document: Document, field: string, value: Value): void {
  if (value !== undefined) document[field] = value
}

function parseProjection(spec: Document, forFind: boolean): Parsed {
  const parsed: Parsed = { tree: new Map(), leaves: [] }
  parseInto(parsed, '', spec, forFind)
  return parsed
}

/** The top-level fields that the projection of a find reads. Null if it may read any field. */
export function collectProjectedFields(spec: Document): ReadonlySet<string> | null {
  const parsed = parseProjection(spec, true)
  const isComputed = parsed.leaves.some(({ leaf }) => leaf.kind === 'compute')
  if (isComputed || !isInclusion(parsed)) return null
  return getTopFields(['_id', ...parsed.leaves.map(({ path }) => path)])
}

/** @throws CommandError if fields are both included and excluded, or if paths collide */
export function compileProjection(spec: Document, forFind: boolean): Projection {
  const parsed = parseProjection(spec, forFind)
  const inclusion = isInclusion(parsed)
  const tree = inclusion && !parsed.tree.has('_id') ? withId(parsed.tree) : parsed.tree
  return (document, variables) =>
    applyToDocument(tree, document, { root: document, variables, keepsOthers: !inclusion })
}

function withId(tree: Tree): Tree {
  return new Map([['_id', INCLUDE], ...tree])
}

function isNested(value: Value): value is Document {
  return isDocument(value) && !(Object.keys(value)[0] ?? '$').startsWith('$')
}

function addComputed(tree: Tree, path: string, value: Value): void {
  if (!isNested(value)) {
    addPath(tree, path, { kind: 'compute', evaluate: compileExpression(value) })
    return
  }
  for (const name of Object.keys(value)) {
    if (name.includes('.'))
      throw new CommandError('Location16410', "FieldPath field names may not contain '.'.")
    addComputed(tree, `${path}.${name}`, value[name])
  }
}

/** A nested document adds to stored subdocuments, like a dotted path. */
export function compileAddFields(spec: Document): Projection {
  const tree: Tree = new Map()
  for (const path of Object.keys(spec)) addComputed(tree, path, spec[path])
  return (document, variables) =>
    addFields(tree, document, { root: document, variables, keepsOthers: true })
}

function addFields(tree: Tree, document: Document, context: Context): Document {
  const result = createDocument()
  for (const field of Object.keys(document)) result[field] = document[field]
  for (const [field, node] of tree) {
    const value =
      node instanceof Map
        ? addInto(node, document[field], context)
        : applyNode(node, undefined, context)
    if (value === undefined) delete result[field]
    else result[field] = value
  }
  return result
}

function addInto(tree: Tree, value: Value, context: Context): Value {
  if (Array.isArray(value)) return value.map((element) => addInto(tree, element, context))
  return addFields(tree, isDocument(value) ? value : createDocument(), context)
}

import { isDocument, createDocument } from '../bson/values.ts'
import { toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError } from '../errors.ts'
import type { Matcher } from '../filter/match.ts'
import { parseArrayIndex } from '../filter/paths.ts'

export interface Target {
  readonly holder: Document | Value[]
  readonly key: string
}

export function getTarget({ holder, key }: Target): Value {
  return Array.isArray(holder) ? holder[Number(key)] : holder[key]
}

/** MongoDB's limit of elements that a write beyond the end of an array may add. */
const MAX_PADDING = 1_500_000

export function setTarget({ holder, key }: Target, value: Value): void {
  if (!Array.isArray(holder)) {
    holder[key] = value
    return
  }
  const index = Number(key)
  if (index - holder.length > MAX_PADDING)
    throw badValue(`can't backfill more than ${MAX_PADDING} elements`)
  while (holder.length < index) holder.push(null)
  holder[index] = value
}

export interface ResolveOptions {
  readonly creates: boolean
  readonly arrayFilters: ReadonlyMap<string, Matcher>
  readonly positionOf: (arrayPath: readonly string[]) => number | null
}

function elementPositions(
  array: readonly Value[],
  part: string,
  resolve: ResolveOptions,
): number[] {
  const name = part.slice(2, -1)
  const all = array.map((_, i) => i)
  if (name === '') return all
  const matches = resolve.arrayFilters.get(name)
  if (!matches) throw badValue(`No array filter found for identifier '${name}'`)
  return all.filter((i) => matches(toDocument({ [name]: array[i] })))
}

function expandPart(
  value: Value,
  parts: readonly string[],
  at: number,
  resolve: ResolveOptions,
): string[] {
  const part = parts[at] ?? ''
  if (part === '$') {
    const position = resolve.positionOf(parts.slice(0, at))
    if (position === null)
      throw badValue('The positional operator did not find the match needed from the query.')
    return [String(position)]
  }
  if (!part.startsWith('$[')) return [part]
  if (!Array.isArray(value)) {
    throw badValue(
      `The path '${parts.slice(0, at).join('.')}' must exist in the document in order to apply array updates.`,
    )
  }
  return elementPositions(value, part, resolve).map(String)
}

function isDocumentOrArray(value: Value): value is Document | Value[] {
  return isDocument(value) || Array.isArray(value)
}

function notViable(part: string, parts: readonly string[], at: number): CommandError {
  return new CommandError(
    'PathNotViable',
    `Cannot create field '${part}' in element {${parts[at - 1] ?? ''}: ...}`,
  )
}

export function resolveTargets(
  document: Document,
  parts: readonly string[],
  resolve: ResolveOptions,
): Target[] {
  const found: Target[] = []
  walk(document, { parts, resolve, found }, 0)
  return found
}

interface Walk {
  readonly parts: readonly string[]
  readonly resolve: ResolveOptions
  readonly found: Target[]
}

function walk(holder: Document | Value[], path: Walk, at: number): void {
  const { parts, resolve, found } = path
  for (const key of expandPart(holder, parts, at, resolve)) {
    if (Array.isArray(holder) && parseArrayIndex(key) === null) {
      if (!resolve.creates) continue
      throw notViable(key, parts, at)
    }
    const target = { holder, key }
    if (at === parts.length - 1) found.push(target)
    else descend(target, path, at)
  }
}

function descend(target: Target, path: Walk, at: number): void {
  const { parts, resolve } = path
  const child = getTarget(target)
  if (isDocumentOrArray(child)) {
    walk(child, path, at + 1)
    return
  }
  const next = parts[at + 1] ?? ''
  if (child === undefined && resolve.creates) {
    if (next.startsWith('$['))
      throw badValue(
        `The path '${parts.slice(0, at + 1).join('.')}' must exist in the document in order to apply array updates.`,
      )
    const made = createDocument()
    setTarget(target, made)
    walk(made, path, at + 1)
  } else if (child !== undefined && resolve.creates) throw notViable(next, parts, at + 1)
}

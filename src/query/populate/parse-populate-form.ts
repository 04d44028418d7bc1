import { booleanOf } from '../../schema/values/attribute-kinds.ts'
import { invalidValue } from '../query-error.ts'

/** In request order. Null excludes an attribute. */
export type PopulateTree = ReadonlyMap<string, PopulateRequest | null>

/** Nested attributes, named options, or a text such as `ids`. */
export type PopulateRequest =
  | { readonly kind: 'below'; readonly below: PopulateTree }
  | { readonly kind: 'options'; readonly options: ReadonlyMap<string, unknown> }
  | { readonly kind: 'text'; readonly text: string }

export const ASKED_PLAINLY: PopulateRequest = { kind: 'below', below: new Map() }

/** Accepts a text, a list of dotted paths, or an object by attribute. @throws ValidationError for mixed forms */
export function readPopulate(input: unknown): PopulateTree | '*' {
  if (input === undefined || input === '') return new Map()
  if (input === '*') return input
  if (typeof input === 'string') return treeOf([input])
  if (Array.isArray(input)) return treeOf(input)
  if (input === null || typeof input !== 'object') {
    throw invalidValue('populate', 'expected a text, a list of texts or an object')
  }
  const entries = Object.entries(input)
  const positions = entries.filter(([key]) => /^\d+$/.test(key)).length
  if (positions > 0 && positions < entries.length) throw mixedForms()
  return new Map(
    entries.map(([key, value]): [string, PopulateRequest | null] => [
      key,
      readPopulateRequest(value),
    ]),
  )
}

export function readPopulateRequest(value: unknown): PopulateRequest | null {
  if (value !== null && typeof value === 'object') {
    return { kind: 'options', options: new Map(Object.entries(value)) }
  }
  switch (typeof value === 'boolean' ? value : booleanOf(value)) {
    case true:
      return ASKED_PLAINLY
    case false:
      return null
    case undefined:
      return { kind: 'text', text: typeof value === 'string' ? value : typeof value }
  }
}

interface Branch {
  readonly kind: 'below'
  readonly below: Map<string, Branch>
}

function treeOf(items: readonly unknown[]): PopulateTree {
  const root = new Map<string, Branch>()
  for (const item of items) {
    if (typeof item !== 'string') throw mixedForms()
    const paths = item.split(',').map((path) => path.trim())
    for (const path of paths) if (path !== '') addPath(root, path)
  }
  return root
}

function addPath(root: Map<string, Branch>, path: string): void {
  let level = root
  for (const key of path.split('.')) {
    const branch = level.get(key) ?? { kind: 'below', below: new Map<string, Branch>() }
    level.set(key, branch)
    level = branch.below
  }
}

function mixedForms(): Error {
  return invalidValue(
    'populate',
    'a list must hold texts only and cannot be mixed with the object form',
  )
}

import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'

export function splitPath(path: string): readonly string[] {
  return path.split('.')
}

export function parseArrayIndex(part: string): number | null {
  return /^\d+$/.test(part) ? Number(part) : null
}

export type ValueTest = (value: Value) => boolean

export function testWithElements(value: Value, test: ValueTest): boolean {
  if (!Array.isArray(value)) return test(value)
  for (const element of value) if (test(element)) return true
  return test(value)
}

export type LeafTest = (value: Value, test: ValueTest) => boolean

export const testWhole: LeafTest = (value, test) => test(value)

/** A path that ends early in a document is tested as missing. Scalars in arrays have no paths. */
export function testAtPath(
  document: Document,
  parts: readonly string[],
  leaf: LeafTest,
  test: ValueTest,
): boolean {
  return within(document, parts, 0, (value) => leaf(value, test))
}

function within(
  document: Document,
  parts: readonly string[],
  at: number,
  test: ValueTest,
): boolean {
  const child = document[parts[at] ?? '']
  return at === parts.length - 1 ? test(child) : below(child, parts, at + 1, test)
}

function below(child: Value, parts: readonly string[], at: number, test: ValueTest): boolean {
  if (isDocument(child)) return within(child, parts, at, test)
  return Array.isArray(child) ? inArray(child, parts, at, test) : test(undefined)
}

function inArray(
  array: readonly Value[],
  parts: readonly string[],
  at: number,
  test: ValueTest,
): boolean {
  for (const element of array) {
    if (isDocument(element) && within(element, parts, at, test)) return true
  }
  const index = parseArrayIndex(parts[at] ?? '')
  if (index === null || index >= array.length) return false
  const element = array[index]
  if (at === parts.length - 1) return test(element)
  return isDocument(element) || Array.isArray(element) ? below(element, parts, at + 1, test) : false
}

export function readValuesAtPath(document: Document, parts: readonly string[]): Value[] {
  const values: Value[] = []
  within(document, parts, 0, (value) => {
    values.push(value)
    return false
  })
  return values
}

export function getTopFields(paths: Iterable<string>): Set<string> {
  return new Set([...paths].map((path) => path.slice(0, path.indexOf('.') >>> 0)))
}

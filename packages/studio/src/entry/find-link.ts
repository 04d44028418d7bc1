import type { Address } from './address.ts'
import { type FormValues, isComponentValue, isPartlyRead } from './values.ts'

interface Held {
  readonly address: Address
  readonly value: unknown
}

/**
 * The place of a link to a document, by the names of the attributes on the way to it. Without such a
 * link, the place of the first relation with more entries than were read, or of the first attribute.
 */
export function findLink(
  values: FormValues,
  names: readonly string[],
  documentId: string,
): Address {
  const held = valuesAt(values, names)
  const found =
    held.find(({ value }) => refersTo(value, documentId)) ??
    held.find(({ value }) => isPartlyRead(value))
  return found?.address ?? names.slice(0, 1)
}

/** The values of an attribute in each component that has it. */
function valuesAt(values: FormValues, [name, ...rest]: readonly string[]): readonly Held[] {
  if (name === undefined || !Object.hasOwn(values, name)) return []
  const value = values[name]
  if (rest.length === 0) return [{ address: [name], value }]
  if (isComponentValue(value)) return below([name], valuesAt(value, rest))
  if (!Array.isArray(value)) return []
  return value
    .filter(isComponentValue)
    .flatMap((one) => below([name, one.$key], valuesAt(one, rest)))
}

function below(start: Address, held: readonly Held[]): readonly Held[] {
  return held.map(({ address, value }) => ({ address: [...start, ...address], value }))
}

/** Finds links, files, and links in blocks. */
function refersTo(held: unknown, documentId: string): boolean {
  if (typeof held !== 'object' || held === null) return false
  if ('documentId' in held && held.documentId === documentId) return true
  return Object.values(held).some((one) => refersTo(one, documentId))
}

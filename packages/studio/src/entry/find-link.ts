import type { Address } from './address.ts'
import { type FormValues, isComponentValue } from './values.ts'

/**
 * The place of a link to a document, by the names of the attributes on the way to it. Without such a
 * link, the place of the first attribute.
 */
export function findLink(
  values: FormValues,
  names: readonly string[],
  documentId: string,
): Address {
  return addressIn(values, names, documentId) ?? names.slice(0, 1)
}

function addressIn(
  values: FormValues,
  [name, ...rest]: readonly string[],
  documentId: string,
): Address | null {
  if (name === undefined || !Object.hasOwn(values, name)) return null
  const held = values[name]
  if (rest.length === 0) return refersTo(held, documentId) ? [name] : null
  if (isComponentValue(held)) return below([name], addressIn(held, rest, documentId))
  if (!Array.isArray(held)) return null
  for (const one of held.filter(isComponentValue)) {
    const found = below([name, one.$key], addressIn(one, rest, documentId))
    if (found !== null) return found
  }
  return null
}

function below(start: Address, address: Address | null): Address | null {
  return address === null ? null : [...start, ...address]
}

/** Finds links, files, and links in blocks. */
function refersTo(held: unknown, documentId: string): boolean {
  if (typeof held !== 'object' || held === null) return false
  if ('documentId' in held && held.documentId === documentId) return true
  return Object.values(held).some((one) => refersTo(one, documentId))
}

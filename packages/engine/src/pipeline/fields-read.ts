import { isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { getTopFields } from '../filter/paths.ts'

const WHOLE_DOCUMENT = /^\$\$(?:ROOT|CURRENT)\b/

function collect(expression: Value, paths: Set<string>): boolean {
  if (typeof expression === 'string') {
    if (WHOLE_DOCUMENT.test(expression)) return false
    if (/^\$[^$]/.test(expression)) paths.add(expression.slice(1))
    return true
  }
  if (Array.isArray(expression)) return expression.every((part) => collect(part, paths))
  if (!isDocument(expression)) return true
  // Reads $$CURRENT if it names no input.
  if ('$getField' in expression) return false
  return Object.keys(expression).every((name) => collect(expression[name], paths))
}

/** The top-level fields that expressions read. Null if they may read any field. */
export function collectFieldsRead(expression: Value): ReadonlySet<string> | null {
  const paths = new Set<string>()
  return collect(expression, paths) ? getTopFields(paths) : null
}

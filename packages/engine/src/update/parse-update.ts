import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, failedToParse, typeMismatch } from '../errors.ts'
import { parseFilter } from '../filter/filter.ts'
import { compileFilter } from '../filter/match.ts'
import type { Matcher } from '../filter/match.ts'
import { compileModifiers, compileReplacement } from './apply-update.ts'
import type { Update } from './apply-update.ts'
import { compilePipelineUpdate } from './compile-pipeline-update.ts'

export interface ParsedUpdate {
  readonly kind: 'modifiers' | 'replacement' | 'pipeline'
  readonly apply: Update
}

function namesOf(filter: Document): string[] {
  return Object.keys(filter).flatMap((key) => {
    const branches = filter[key]
    if (!key.startsWith('$') || !Array.isArray(branches)) return [key.split('.')[0] ?? '']
    return branches.flatMap((branch) => (isDocument(branch) ? namesOf(branch) : []))
  })
}

function nameOf(filter: Document): string {
  const names = new Set(namesOf(filter))
  const [name, ...others] = names
  if (name === undefined || others.length > 0)
    throw failedToParse(
      'Error parsing array filter :: caused by :: Expected a single top-level field name',
    )
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
    throw badValue(
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
    )
  return name
}

function parseArrayFilters(filters: Value): ReadonlyMap<string, Matcher> {
  const parsed = new Map<string, Matcher>()
  if (filters === undefined) return parsed
  if (!Array.isArray(filters)) throw typeMismatch("'arrayFilters' must be an array")
  for (const filter of filters) {
    if (!isDocument(filter)) throw typeMismatch("'arrayFilters' must hold objects")
    const name = nameOf(filter)
    if (parsed.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`)
    parsed.set(name, compileFilter(parseFilter(filter)))
  }
  return parsed
}

export function parseUpdate(update: Value, arrayFilters: Value): ParsedUpdate {
  if (!isDocument(update) && !Array.isArray(update))
    throw failedToParse('Update argument must be either an object or an array')
  const filters = parseArrayFilters(arrayFilters)
  if (Array.isArray(update)) {
    if (filters.size > 0)
      throw failedToParse('arrayFilters may not be specified for pipeline-style updates')
    return { kind: 'pipeline', apply: compilePipelineUpdate(update) }
  }
  const isModifiers = (Object.keys(update)[0] ?? '').startsWith('$')
  if (isModifiers) return { kind: 'modifiers', apply: compileModifiers(update, filters) }
  if (filters.size > 0)
    throw failedToParse('arrayFilters may not be specified for replacement-style updates')
  return { kind: 'replacement', apply: compileReplacement(update) }
}

import type { LocaleRules } from '../../query/query.ts'
import { ValidationError } from '../../base/errors.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import type { WriteCondition } from '../../content/write-target.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Context } from '../router/state.ts'
import type { ContentRouteDependencies } from '../content/handlers.ts'

export type McpDependencies = Pick<
  ContentRouteDependencies,
  'documents' | 'schema' | 'api' | 'locales'
>

export interface ToolCall {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly args: Data
  readonly locales: LocaleRules
  readonly dependencies: McpDependencies
}

/** Converts to the form of a query string. @throws ValidationError for null */
export function asQuery(value: unknown, path: string): unknown {
  if (value === null) throw invalidArgument(path, 'null is not a value here; use $null: true')
  if (Array.isArray(value)) return value.map((one, index) => asQuery(one, `${path}.${index}`))
  if (typeof value === 'object') {
    const members = Object.entries(value as Data)
    return Object.fromEntries(members.map(([key, one]) => [key, asQuery(one, `${path}.${key}`)]))
  }
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

export function queryOf(args: Data, names: readonly string[]): Data {
  const given = names.filter((name) => args[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, asQuery(args[name], name)]))
}

export function assertKnownArguments(args: Data, known: readonly string[]): void {
  const unknown = Object.keys(args).find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw invalidArgument(unknown, `there is no such argument; there are ${known.join(', ')}`)
  }
}

/** A single type has a fixed documentId. @throws ValidationError */
export function documentIdArgument({ plan, args: { documentId } }: ToolCall): string {
  if (plan.kind === 'singleType') return singleDocumentId(plan.uid)
  if (typeof documentId === 'string' && documentId !== '') return documentId
  throw invalidArgument('documentId', 'must be the documentId of an entry')
}

export function dataArgument({ args: { data } }: ToolCall): Data {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Data
  throw invalidArgument('data', 'must be an object: `describe` has its schema')
}

export function flagOf({ args }: ToolCall, name: string): boolean {
  const { [name]: flag = false } = args
  if (typeof flag === 'boolean') return flag
  throw invalidArgument(name, 'must be true or false')
}

/** The expected revision of a write; null requires that no version exists. @throws ValidationError */
export function conditionOf({ args: { revision } }: ToolCall): WriteCondition {
  if (revision === null) return { match: null, noneMatch: '*' }
  if (typeof revision === 'string' && revision !== '') {
    return { match: new Set([revision]), noneMatch: null }
  }
  throw invalidArgument(
    'revision',
    'must be that of the entry as `get` gave it, or null for a new locale',
  )
}

export function invalidArgument(path: string, problem: string): ValidationError {
  return new ValidationError(`${path}: ${problem}`, { path }, { code: 'invalid_request' })
}

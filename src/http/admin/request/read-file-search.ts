import {
  FILE_KINDS,
  FILE_ORDERS,
  type FileKind,
  type FileOrder,
  type FileSearch,
} from '../../../media/find-files.ts'
import type { LocaleRules } from '../../../query/query.ts'
import { ValidationError } from '../../../base/errors.ts'
import type { Data } from '../../../schema/definition.ts'
import { findTextFault } from '../../../schema/values/json-values.ts'

const MAX_TEXT = 100

export function readFileSearch(
  { folder, search, kind, private: isPrivate, unused = 'false', sort = 'createdAt:desc' }: Data,
  folders: readonly string[],
  { all }: LocaleRules,
): FileSearch & { readonly unused: boolean } {
  return {
    folder: folderOf(folder, folders),
    text: search === undefined || search === '' ? null : readText(search, 'search'),
    locales: all.map(({ code }) => code),
    kind: kindOf(kind),
    isPrivate: isPrivate === undefined ? null : readFlag(isPrivate, 'private'),
    ...orderOf(sort),
    unused: readFlag(unused, 'unused'),
  }
}

function readFlag(value: unknown, name: string): boolean {
  if (value !== 'true' && value !== 'false') throw invalid(name, 'true or false')
  return value === 'true'
}

function orderOf(sort: unknown): Pick<FileSearch, 'order' | 'direction'> {
  const [name, direction = 'asc', ...more] = readText(sort, 'sort').split(':')
  const order = FILE_ORDERS.find((one: FileOrder) => one === name)
  if (order === undefined || more.length > 0 || (direction !== 'asc' && direction !== 'desc')) {
    throw invalid('sort', `one of ${FILE_ORDERS.join(', ')}, with :asc or :desc`)
  }
  return { order, direction }
}

function folderOf(folder: unknown, folders: readonly string[]): FileSearch['folder'] {
  if (folder === undefined) return null
  const id = readText(folder, 'folder')
  return id === 'root' ? { others: folders } : { id }
}

function kindOf(kind: unknown): FileKind | null {
  if (kind === undefined) return null
  const found = FILE_KINDS.find((one) => one === kind)
  if (found === undefined) throw invalid('kind', `one of ${FILE_KINDS.join(', ')}`)
  return found
}

function readText(value: unknown, name: string): string {
  const isText = typeof value === 'string' && value.length <= MAX_TEXT
  if (isText && findTextFault(value) === null) return value
  throw invalid(name, `a text of at most ${MAX_TEXT} characters, without NUL`)
}

function invalid(name: string, expected: string): ValidationError {
  return new ValidationError(`${name}: expected ${expected}`, {}, { code: 'invalid_query' })
}

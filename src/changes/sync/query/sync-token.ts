import type { Data } from '../../../schema/definition.ts'
import { invalidValue } from '../../../query/query-error.ts'
import { typeNamesOf } from './parse-scope.ts'

/** Rows up to an `_id`, all rows, or no rows because the client lacks permission. */
export interface TypeProgress {
  readonly after: string | null
  readonly isLost: boolean
  readonly shape: string
  /** When the release was first started that sent the rows, in milliseconds. Tokens of older servers have none. */
  readonly release?: number
  /** For types under a rule of the caller. */
  readonly rule?: RuleProgress
}

export interface RuleProgress {
  /** The digest of the operand values under which the client got its rows. */
  readonly values: string
  /** All rows were read after this position, so earlier changes are ignored. */
  readonly from: number
}

/** Position of a client. The token grants no access, because every request checks permissions. */
export interface SyncToken {
  readonly asked: Data
  readonly log: string
  readonly seq: number
  readonly item: number
  readonly types: readonly TypeProgress[]
  readonly locales: readonly string[]
  /** The ids of `locales`, because a code may belong to another locale later. Empty in tokens of older servers. */
  readonly localeIds: readonly number[]
  /** `SyncScope.absent`: types without rows at the client. */
  readonly absent: readonly string[]
}

export const LOST: TypeProgress = { after: null, isLost: true, shape: '' }

const VERSION = 1

const MAX_TOKEN_CHARACTERS = 32_768

const MAX_POSITION = 'x'.repeat(64)

export function writeToken(token: SyncToken): string {
  const { asked, log, seq, item, locales, localeIds } = token
  const rows = progressOf(token).map((progress, index) => {
    const { after, isLost, rule } = progress
    const row = [after, isLost ? 1 : 0, shapeText(progress, index === 0 ? localeIds : [])]
    // A position that is reached is left out, so that devices with the same rows share a token.
    return rule === undefined ? row : [...row, rule.values, rule.from > seq ? rule.from : 0]
  })
  return Buffer.from(JSON.stringify([VERSION, asked, log, seq, item, rows, locales])).toString(
    'base64url',
  )
}

/**
 * Servers that know no releases compare the whole text, and send the rows again. Those that know no ids of locales read
 * the first two parts.
 */
function shapeText({ shape, release = 0 }: TypeProgress, localeIds: readonly number[]): string {
  const parts = [shape, release.toString(36), localeIds.map((id) => id.toString(36)).join('-')]
  if (localeIds.length > 0) return parts.join('.')
  return release === 0 ? shape : parts.slice(0, 2).join('.')
}

function readShape(text: string): Pick<TypeProgress, 'shape' | 'release'> {
  const [shape = '', release = '0'] = text.split('.')
  const at = readCount(release)
  return at === 0 ? { shape } : { shape, release: at }
}

function readLocaleIds(types: readonly unknown[], locales: readonly string[]): readonly number[] {
  const [, , text] = types[0] as readonly [unknown, unknown, string]
  const [, , ids] = text.split('.')
  if (ids === undefined) return []
  const read = ids.split('-').map(readCount)
  if (read.length !== locales.length) throw malformed()
  return read
}

function readCount(text: string): number {
  const count = parseInt(text, 36)
  if (!isCount(count)) throw malformed()
  return count
}

export function assertFits(token: SyncToken): void {
  const types = token.types.map((one) => ({ ...one, after: MAX_POSITION }))
  if (writeToken({ ...token, types, seq: Number.MAX_SAFE_INTEGER }).length <= MAX_TOKEN_CHARACTERS)
    return
  throw invalidValue('filters', 'together with types and fields too long for a token')
}

function progressOf({ asked, types, absent }: SyncToken): readonly TypeProgress[] {
  if (absent.length === 0) return types
  const known = types.values()
  return typeNamesOf(asked).map((name) =>
    absent.includes(name) ? LOST : (known.next().value ?? LOST),
  )
}

/** Includes the progress of unknown types. @throws ValidationError for a malformed token */
export function readToken(text: string): SyncToken {
  const value = text.length > MAX_TOKEN_CHARACTERS ? null : parse(text)
  if (!Array.isArray(value) || value.length !== 7 || value[0] !== VERSION) throw malformed()
  const [, asked, log, seq, item, types, locales] = value as readonly unknown[]
  if (typeof log !== 'string' || !isCount(seq) || !isCount(item)) throw malformed()
  const progress = readTypes(types)
  const codes = readTexts(locales)
  return {
    asked: readTokenRequest(asked),
    log,
    seq,
    item,
    types: progress,
    locales: codes,
    localeIds: progress.length === 0 ? [] : readLocaleIds(types as readonly unknown[], codes),
    absent: [],
  }
}

function parse(text: string): unknown {
  if (!/^[\w-]+$/.test(text)) return null
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
}

function readTokenRequest(asked: unknown): Data {
  if (typeof asked === 'object' && asked !== null && !Array.isArray(asked)) return asked as Data
  throw malformed()
}

function readTypes(types: unknown): readonly TypeProgress[] {
  if (!Array.isArray(types)) throw malformed()
  return types.map((row: unknown) => {
    if (!Array.isArray(row) || (row.length !== 3 && row.length !== 5)) throw malformed()
    const [after, isLost, shape, ...rule] = row as readonly unknown[]
    if (after !== null && typeof after !== 'string') throw malformed()
    if ((isLost !== 0 && isLost !== 1) || typeof shape !== 'string') throw malformed()
    const progress = { after, isLost: isLost === 1, ...readShape(shape) }
    return rule.length === 0 ? progress : { ...progress, rule: readRule(rule) }
  })
}

function readRule([values, from]: readonly unknown[]): RuleProgress {
  if (typeof values !== 'string' || !isCount(from)) throw malformed()
  return { values, from }
}

function readTexts(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value
  throw malformed()
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function malformed() {
  return invalidValue('token', 'expected the token of an earlier answer')
}

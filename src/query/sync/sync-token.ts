import type { Data } from '../../schema/definition.ts'
import { invalidValue } from '../query-error.ts'
import { typeNamesOf } from './parse-scope.ts'

/** How much of a type a client has: its rows up to an `_id`, all of them, or none as it may not have them. */
export interface TypeProgress {
  /** The last row that was sent; null when all were. */
  readonly after: string | null
  readonly isLost: boolean
  /** Of the shape in which its rows were sent. */
  readonly shape: string
}

/** Where a client stands. It holds nothing that lets anybody in: rights are asked for at every request. */
export interface SyncToken {
  /** `SyncScope.asked`. */
  readonly asked: Data
  /** Which log it is about, and up to where of it everything was sent. */
  readonly log: string
  readonly seq: number
  /** How many items of the commit after that were sent as well. */
  readonly item: number
  /** Of the types of the scope, in its order. */
  readonly types: readonly TypeProgress[]
  /** Codes whose rows the client has. */
  readonly locales: readonly string[]
  /** `SyncScope.absent`: the client has nothing of these. */
  readonly absent: readonly string[]
}

/** Of a type of which a client has nothing. */
export const LOST: TypeProgress = { after: null, isLost: true, shape: '' }

/** Of the form of a token. */
const VERSION = 1

/** Longer ones are none of ours. */
const MOST_CHARACTERS = 32_768

/** As long as the `_id` of a row is, and longer. */
const LONGEST_PLACE = 'x'.repeat(64)

export function writeToken(token: SyncToken): string {
  const { asked, log, seq, item, locales } = token
  const rows = progressOf(token).map(({ after, isLost, shape }) => [after, isLost ? 1 : 0, shape])
  return Buffer.from(JSON.stringify([VERSION, asked, log, seq, item, rows, locales])).toString(
    'base64url',
  )
}

/**
 * Whether all tokens of a scope can be sent back: they grow with the places of rows.
 * @throws ValidationError for a scope that says too much
 */
export function assertFits(token: SyncToken): void {
  const types = token.types.map((one) => ({ ...one, after: LONGEST_PLACE }))
  if (writeToken({ ...token, types, seq: Number.MAX_SAFE_INTEGER }).length <= MOST_CHARACTERS)
    return
  throw invalidValue('filters', 'together with types and fields too long for a token')
}

/** Of all types that were asked for, also those that there are not. */
function progressOf({ asked, types, absent }: SyncToken): readonly TypeProgress[] {
  if (absent.length === 0) return types
  const known = types.values()
  return typeNamesOf(asked).map((name) =>
    absent.includes(name) ? LOST : (known.next().value ?? LOST),
  )
}

/** With the progress of all types that were asked for. @throws ValidationError for what `writeToken` has not made */
export function readToken(text: string): SyncToken {
  const value = text.length > MOST_CHARACTERS ? null : parse(text)
  if (!Array.isArray(value) || value.length !== 7 || value[0] !== VERSION) throw malformed()
  const [, asked, log, seq, item, types, locales] = value as readonly unknown[]
  if (typeof log !== 'string' || !isCount(seq) || !isCount(item)) throw malformed()
  return {
    asked: readAsked(asked),
    log,
    seq,
    item,
    types: readTypes(types),
    locales: readTexts(locales),
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

function readAsked(asked: unknown): Data {
  if (typeof asked === 'object' && asked !== null && !Array.isArray(asked)) return asked as Data
  throw malformed()
}

function readTypes(types: unknown): readonly TypeProgress[] {
  if (!Array.isArray(types)) throw malformed()
  return types.map((row: unknown) => {
    if (!Array.isArray(row) || row.length !== 3) throw malformed()
    const [after, isLost, shape] = row as readonly unknown[]
    if (after !== null && typeof after !== 'string') throw malformed()
    if ((isLost !== 0 && isLost !== 1) || typeof shape !== 'string') throw malformed()
    return { after, isLost: isLost === 1, shape }
  })
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

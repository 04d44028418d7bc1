import type { ShapePlan } from '../content-plan.ts'
import type { SqlValue } from './sql-database.ts'

/** The value of an attribute, in the table of its type. */
export interface SqlColumn {
  readonly name: string
  readonly isInteger: boolean
  /** The quoted name of the column. */
  readonly sql: string
}

/** Rows that may match a filter. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** True if each of these rows matches. */
  readonly isExact: boolean
  readonly columns: readonly SqlColumn[]
  /** The columns that must be equal to one value. */
  readonly equal: readonly SqlColumn[]
}

export const ALL: SqlCondition = { sql: '1', values: [], isExact: true, columns: [], equal: [] }

export const UNKNOWN: SqlCondition = { ...ALL, isExact: false }

/** Null if SQL compares the values of the attribute in another way. */
export function ownColumn({ links, kinds }: ShapePlan, name: string): SqlColumn | null {
  const kind = kinds[name]
  return links[name] !== undefined || kind === 'json' ? null : columnOf(name, kind === 'bigint')
}

export function columnOf(name: string, isInteger = false): SqlColumn | null {
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,100}$/.test(name)) return null
  return { name, isInteger, sql: `"${isInteger ? 'int' : 'own'}:${withoutCase(name)}"` }
}

/** SQLite does not tell `Title` from `title` in names. */
export function withoutCase(name: string): string {
  return name.replace(/[A-Z]/g, '^$&')
}

/** SQLite refuses expressions that are more than 1,000 operators deep. */
const MAX_LENGTH = 4_000

/** The rows with a link to a document. Null if SQL cannot find them. */
type FindLinked = (attribute: string, documentId: string) => SqlCondition

/**
 * Conditions that SQL cannot test exactly are left out, so that more entries match. Numbers, texts
 * and missing values compare as in `matchesFilter`.
 */
export function toSqlCondition(
  shape: ShapePlan,
  filter: object,
  findLinked: FindLinked,
): SqlCondition {
  const condition = joined(
    Object.entries(filter).map(([name, asked]: [string, unknown]) => {
      if (asked === undefined) return ALL
      if (name === '$and') {
        return joined(listOf(asked).map((one) => toSqlCondition(shape, one as object, findLinked)))
      }
      if (name === '$or' || name === '$not') {
        const parts = listOf(asked).map((one) => toSqlCondition(shape, one as object, findLinked))
        return name === '$or' ? oneOf(parts) : negated(joined(parts))
      }
      if (shape.links[name] !== undefined) return linkCondition(shape, name, asked, findLinked)
      const column = ownColumn(shape, name)
      return column === null ? UNKNOWN : ownCondition(column, shape.kinds[name], asked)
    }),
  )
  return condition.sql.length > MAX_LENGTH ? UNKNOWN : condition
}

function joined(parts: readonly SqlCondition[]): SqlCondition {
  const used = parts.filter(({ sql }) => sql !== ALL.sql)
  return {
    sql: used.length === 0 ? ALL.sql : used.map(({ sql }) => `(${sql})`).join(' AND '),
    values: used.flatMap(({ values }) => values),
    isExact: parts.every(({ isExact }) => isExact),
    columns: used.flatMap(({ columns }) => columns),
    equal: used.flatMap(({ equal }) => equal),
  }
}

function oneOf(parts: readonly SqlCondition[]): SqlCondition {
  if (parts.length === 0) return { ...ALL, sql: '0' }
  return {
    sql: parts.map(({ sql }) => `(${sql})`).join(' OR '),
    values: parts.flatMap(({ values }) => values),
    isExact: parts.every(({ isExact }) => isExact),
    columns: parts.flatMap(({ columns }) => columns),
    equal: [],
  }
}

function negated({ sql, isExact, ...condition }: SqlCondition): SqlCondition {
  if (!isExact) return UNKNOWN
  return { ...condition, sql: `NOT coalesce(${sql}, 0)`, isExact, equal: [] }
}

/** `{ category: { documentId: 'a' } }`. The target must also be in the store. */
function linkCondition(
  { links }: ShapePlan,
  name: string,
  asked: unknown,
  findLinked: FindLinked,
): SqlCondition {
  const link = links[name]
  if (link === undefined || !('to' in link) || link.by !== undefined) return UNKNOWN
  const { documentId } = (asked ?? {}) as { readonly documentId?: unknown }
  const target =
    typeof documentId === 'object' && documentId !== null && '$eq' in documentId
      ? documentId.$eq
      : documentId
  return typeof target === 'string' ? { ...findLinked(name, target), isExact: false } : UNKNOWN
}

type Kind = ShapePlan['kinds'][string] | undefined

function ownCondition(column: SqlColumn, kind: Kind, asked: unknown): SqlCondition {
  const isPlain = asked === null || typeof asked !== 'object' || asked instanceof Date
  const conditions = isPlain ? { $eq: asked } : asked
  return joined(
    Object.entries(conditions).map(([operator, operand]: [string, unknown]) => {
      if (operand === undefined) return ALL
      const values = listOf(operand).map((one) => toSqlValue(one, kind))
      const isKnown = values.every((one) => one !== undefined)
      const test = isKnown ? OPERATORS[operator]?.(column, values) : undefined
      if (test === undefined) return UNKNOWN
      const equal = operator === '$eq' ? [column] : []
      return { ...test, isExact: true, columns: [column], equal }
    }),
  )
}

/** Undefined if SQL would compare the value in another way. */
function toSqlValue(value: unknown, kind: Kind): SqlValue | undefined {
  if (value === null) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  if (kind === 'date' || value instanceof Date) return toStoredTime(value)
  return kind === 'bigint' ? toStoredInteger(value) : toPlainValue(value)
}

function toPlainValue(value: unknown): SqlValue | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  return typeof value === 'string' && !value.includes('\0') ? value : undefined
}

function toStoredInteger(value: unknown): string | undefined {
  const text = typeof value === 'bigint' ? value.toString() : value
  return typeof text === 'string' && /^-?\d{1,18}$/.test(text) ? text : undefined
}

/** Times of the server have this form, so that they compare like texts. */
function toStoredTime(value: unknown): string | undefined {
  const time = new Date(value as string)
  const year = time.getUTCFullYear()
  return year >= 0 && year <= 9_999 ? time.toISOString() : undefined
}

interface Test {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

type Operator = (column: SqlColumn, operands: readonly SqlValue[]) => Test | undefined

const placeOf = ({ isInteger }: SqlColumn): string => (isInteger ? 'CAST(? AS INTEGER)' : '?')

const isEqual: Operator = (column, [operand = null]) => ({
  sql: `${column.sql} IS ${placeOf(column)}`,
  values: [operand],
})

const isOneOf: Operator = (column, operands) =>
  operands.length > 100
    ? undefined
    : {
        sql: operands.map(() => `${column.sql} IS ${placeOf(column)}`).join(' OR ') || '0',
        values: operands,
      }

const compares =
  (sign: string): Operator =>
  (column, [operand = null]) =>
    operand === null
      ? undefined
      : { sql: `${column.sql} ${sign} ${placeOf(column)}`, values: [operand] }

const isBetween: Operator = (column, operands) => {
  const [from, to] = operands
  if (from === null || from === undefined || to === null || to === undefined) return undefined
  return {
    sql: `${column.sql} BETWEEN ${placeOf(column)} AND ${placeOf(column)}`,
    values: [from, to],
  }
}

/** Tests a part of a text. Numbers have no parts. */
const hasText =
  (test: (column: string) => string): Operator =>
  (column, [operand]) => {
    if (typeof operand !== 'string' || operand === '' || column.isInteger) return undefined
    const sql = `typeof(${column.sql}) = 'text' AND ${test(column.sql)}`
    return { sql, values: [...sql.matchAll(/\?/g)].map(() => operand) }
  }

/** LIKE folds the letters of ASCII. Two letters beyond ASCII are k and s in lower case. */
const isLike =
  (before: string, after: string): Operator =>
  (column, [operand]) => {
    if (typeof operand !== 'string' || !/^[\x20-\x7e]{1,200}$/.test(operand)) return undefined
    if (column.isInteger) return undefined
    const folded = `replace(replace(${column.sql}, char(8490), 'k'), char(383), 's')`
    const pattern = before + operand.replace(/[\\%_]/g, String.raw`\$&`) + after
    return {
      sql: String.raw`typeof(${column.sql}) = 'text' AND ${folded} LIKE ? ESCAPE '\'`,
      values: [pattern],
    }
  }

const not =
  (operator: Operator): Operator =>
  (column, operands) => {
    const test = operator(column, operands)
    return test && { ...test, sql: `NOT coalesce(${test.sql}, 0)` }
  }

const isMissing: Operator = (column, [operand]) => ({
  sql: `(${column.sql} IS NULL) = ?`,
  values: [operand ?? null],
})

const contains = hasText((column) => `instr(${column}, ?) > 0`)

const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: isEqual,
  $ne: not(isEqual),
  $in: isOneOf,
  $notIn: not(isOneOf),
  $null: isMissing,
  $notNull: (column, [operand]) => ({
    sql: `(${column.sql} IS NOT NULL) = ?`,
    values: [operand ?? null],
  }),
  $lt: compares('<'),
  $lte: compares('<='),
  $gt: compares('>'),
  $gte: compares('>='),
  $between: isBetween,
  $contains: contains,
  $notContains: not(contains),
  $startsWith: hasText((column) => `substr(${column}, 1, length(?)) = ?`),
  $endsWith: hasText((column) => `substr(${column}, -length(?)) = ?`),
  $eqi: isLike('', ''),
  $nei: not(isLike('', '')),
  $containsi: isLike('%', '%'),
  $notContainsi: not(isLike('%', '%')),
  $startsWithi: isLike('', '%'),
  $endsWithi: isLike('%', ''),
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}

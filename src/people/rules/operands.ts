import type { Data } from '../../schema/definition.ts'
import type { AttributePlan, ContentTypePlan, RelationPlan, ScalarPlan } from '../../schema/plan.ts'

export const USER_TYPE = 'plugin::users-permissions.user'

const MAX_RELATIONS = 2

/** `$user.<path>`: relations from the user on, then an attribute, or null for the documentIds behind them. */
export interface UserPath {
  readonly text: string
  readonly through: readonly RelationPlan[]
  readonly attribute: ScalarPlan | null
}

export interface Operands {
  readonly user: boolean
  readonly now: boolean
  readonly paths: readonly UserPath[]
}

export interface OperandValues {
  /** Null for anonymous callers and API tokens. */
  readonly user: string | null
  readonly now: Date
  /** By the text of the path. An absent path has no value. */
  readonly paths: ReadonlyMap<string, readonly string[]>
}

export class OperandError extends Error {}

/** A text that begins with `$$` is a constant that begins with `$`. @throws OperandError */
export function operandsOf(
  values: readonly unknown[],
  users: ContentTypePlan | undefined,
): Operands {
  const texts = new Set(values.flatMap(operandTexts))
  const paths = [...texts].filter((text) => text.startsWith('$user.'))
  for (const text of texts) {
    if (text === '$user' || text === '$now' || text.startsWith('$user.')) continue
    throw new OperandError(`${text} is not an operand; operands are $user, $user.<path> and $now`)
  }
  return {
    user: texts.has('$user') || paths.length > 0,
    now: texts.has('$now'),
    paths: paths.map((text) => toUserPath(text, users)),
  }
}

function operandTexts(value: unknown): readonly string[] {
  if (typeof value === 'string')
    return value.startsWith('$') && !value.startsWith('$$') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value as Data).flatMap(operandTexts)
}

function toUserPath(text: string, users: ContentTypePlan | undefined): UserPath {
  if (users === undefined) throw new OperandError(`${text}: there are no users`)
  const names = text.split('.').slice(1)
  const through: RelationPlan[] = []
  let holder = users
  for (const [index, name] of names.entries()) {
    const member = name === 'password' ? undefined : holder.members.get(name)
    const isLast = index === names.length - 1
    if (member?.kind === 'scalar' && isLast)
      return { text, through, attribute: comparable(text, member) }
    if (member?.kind !== 'relation') throw unusableStep(text, name, holder, member)
    assertReadable(text, member)
    through.push(member)
    if (through.length > MAX_RELATIONS) {
      throw new OperandError(`${text} leads through more than ${MAX_RELATIONS} relations`)
    }
    holder = member.target()
  }
  return { text, through, attribute: null }
}

function unusableStep(
  text: string,
  name: string,
  { uid }: ContentTypePlan,
  member: AttributePlan | undefined,
): OperandError {
  const problem = member === undefined ? 'has no attribute' : 'cannot be read through'
  return new OperandError(`${text}: ${uid} ${problem} ${name}`)
}

const UNUSABLE: ReadonlySet<string> = new Set(['json', 'blocks', 'location', 'password'])

function comparable(text: string, attribute: ScalarPlan): ScalarPlan {
  if (attribute.computed === undefined && !UNUSABLE.has(attribute.type)) return attribute
  throw new OperandError(`${text}: ${attribute.name} cannot be compared`)
}

/** The value of a localized type would depend on the locale of the request. */
function assertReadable(text: string, relation: RelationPlan): void {
  if (!relation.target().localized) return
  throw new OperandError(
    `${text}: ${relation.targetUid} has locales, so its entries are no operand`,
  )
}

const SAMPLES: Readonly<Partial<Record<ScalarPlan['type'], string>>> = {
  integer: '1',
  float: '1',
  decimal: '1',
  biginteger: '1',
  boolean: 'true',
  email: 'a@example.org',
  date: '2020-01-01',
  datetime: '2020-01-01T00:00:00.000Z',
  timestamp: '1577836800000',
  time: '00:00:00.000',
}

/** Values of the right types. A rule that accepts them accepts all values of its operands. */
export function sampleOperands({ paths }: Operands): OperandValues {
  const samples = paths.map(({ text, attribute }): [string, readonly string[]] => [
    text,
    [(attribute === null ? undefined : SAMPLES[attribute.type]) ?? 'a'.repeat(24)],
  ])
  return { user: 'a'.repeat(24), now: new Date(0), paths: new Map(samples) }
}

/** The values in place of the operands. Every constant becomes a text, as in a query string. */
export function withValues(where: Data, values: OperandValues): Data {
  return Object.fromEntries(
    Object.entries(where).map(([key, value]) => [key, filledIn(value, values)]),
  )
}

function filledIn(value: unknown, values: OperandValues): unknown {
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown) =>
      // The values of a path join the list around it. A list within `$or` stays a conjunction.
      typeof one === 'string' ? filledIn(one, values) : [filledIn(one, values)],
    )
  }
  if (typeof value === 'object' && value !== null) return withValues(value as Data, values)
  if (typeof value === 'string') return value.startsWith('$') ? operandValue(value, values) : value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value
}

/** A list for a path. As in a query string, a list matches any of its items. */
export function operandValue(text: string, { user, now, paths }: OperandValues): unknown {
  if (text.startsWith('$$')) return text.slice(1)
  if (text === '$user') return user
  if (text === '$now') return now.toISOString()
  return paths.get(text) ?? []
}

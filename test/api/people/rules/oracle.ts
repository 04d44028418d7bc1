import { type Dump, follow, idsBehind, relationOf, type Status, type Version } from './dump.ts'

export type Where = Readonly<Record<string, unknown>>

export interface Rule {
  readonly where?: Where
  readonly fields?: readonly string[]
}

export interface Reader {
  /** The values of operands such as `$user` and `$user.teams`. Empty unless a user is signed in. */
  readonly operands: Readonly<Record<string, readonly unknown[]>>
  /** By action. `always` is a permission without a rule. */
  readonly rights: Readonly<Record<string, 'always' | readonly Rule[]>>
}

/** A dump, the status that a request asks for, and the principal that asks. */
export interface ReadWorld {
  readonly dump: Dump
  readonly at: Status
  readonly reader: Reader
}

/** Related types whose drafts the reader may not read are read as published. */
export function statusBehind({ at, reader }: ReadWorld, target: string): Status {
  return `${target}.readDrafts` in reader.rights ? at : 'published'
}

type Values = readonly unknown[]

const some = (values: Values, check: (value: number) => boolean): boolean =>
  values.some((value) => value !== null && check(Number(value)))

/** Values are those of one attribute, or the documentIds of one relation. */
export const OPERATORS: Readonly<Record<string, (values: Values, operands: Values) => boolean>> = {
  $eq: (values, operands) => values.some((value) => operands.includes(value)),
  $in: (values, operands) => values.some((value) => operands.includes(value)),
  $ne: (values, operands) => !values.some((value) => operands.includes(value)),
  $notIn: (values, operands) => !values.some((value) => operands.includes(value)),
  $null: (values, [yes]) => values.every((value) => value === null) === (yes === true),
  $gt: (values, [least]) => some(values, (value) => value > Number(least)),
  $lte: (values, [most]) => some(values, (value) => value <= Number(most)),
  $startsWith: (values, [text]) => values.some((value) => String(value).startsWith(String(text))),
}

/** Interprets one filter. Each condition on a relation applies to one related version. */
export function isMatch(world: ReadWorld, where: Where, version: Version): boolean {
  return Object.entries(where).every(([key, condition]) => {
    const below = [condition].flat().map((one) => Object(one) as Where)
    if (key === '$not') return !below.some((one) => isMatch(world, one, version))
    if (key === '$and') return below.every((one) => isMatch(world, one, version))
    if (key === '$or') return below.some((one) => isMatch(world, one, version))
    return isFieldMatch(world, key, condition, version)
  })
}

function isFieldMatch(world: ReadWorld, key: string, condition: unknown, version: Version) {
  const { dump, reader } = world
  const isPlain = typeof condition !== 'object' || condition === null
  const tests = Object.entries(isPlain ? { $eq: condition } : condition)
  const relation = relationOf(dump, version.type, key)
  const at = statusBehind(world, relation?.target ?? '')
  if (relation !== undefined && tests.some(([name]) => !name.startsWith('$'))) {
    return follow(dump, version, key, at).some((one) => isMatch(world, Object(condition), one))
  }
  const isOwn = relation === undefined
  const values = isOwn ? [version.values[key] ?? null] : idsBehind(dump, version, key, at)
  return tests.every(([name, given]) => {
    const operands = [given].flat().flatMap((one) => reader.operands[String(one)] ?? [one])
    return OPERATORS[name]?.(values, operands)
  })
}

/** Interprets the rules of one action for one version. */
export function isPermitted(world: ReadWorld, action: string, version: Version): boolean {
  const { operands, rights } = world.reader
  const right = rights[`${version.type}.${action}`] ?? []
  if (right === 'always') return true
  return right.some(({ where = {} }) => {
    const isForUsers = JSON.stringify(where).includes('"$user')
    return (!isForUsers || '$user' in operands) && isMatch(world, where, version)
  })
}

/** The attributes that an action shows. Null is all of them. */
export function shownAttributes(reader: Reader, action: string): ReadonlySet<string> | null {
  const right = reader.rights[action] ?? []
  if (right === 'always' || right.some(({ fields }) => fields === undefined)) return null
  return new Set(right.flatMap(({ fields = [] }) => fields))
}

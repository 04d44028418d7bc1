import { isDeepStrictEqual } from 'node:util'
import { type Dump, relationOf, type Version } from './dump.ts'
import { isMatch, type Reader, type Rule, type Where } from './oracle.ts'

export interface WriteRule extends Rule {
  readonly set?: Where
}

export interface Attempt {
  readonly type: string
  readonly documentId: string
  readonly verb: string
  /** The attributes of the payload. */
  readonly given: readonly string[]
}

export interface States {
  readonly before: Dump
  readonly after: Dump
  readonly reader: Reader
  /** `type.attribute` that any role sets. */
  readonly stamped: ReadonlySet<string>
}

interface Change {
  readonly was?: Version | undefined
  readonly is?: Version | undefined
  /** The attributes with another value. */
  readonly names: readonly string[]
}

/** Interprets the rules of writes: whether one permission permits all differences of two dumps. */
export function permitsWrite(
  states: States,
  attempt: Attempt,
  rule: WriteRule | 'always',
): boolean {
  return changesBetween(states.before, states.after).every((change) => {
    const { type, documentId } = change.is ?? change.was ?? attempt
    const isOwn = type === attempt.type && documentId === attempt.documentId
    if (!isOwn) return permitsOther(states, change)
    return rule === 'always' || permitsOwn(states, attempt, rule, change)
  })
}

function permitsOwn(states: States, attempt: Attempt, rule: WriteRule, { was, is }: Change) {
  const { set = {}, fields } = rule
  const bases = was === undefined ? versionsOf(states.before, attempt) : [was]
  return (
    attempt.given.every((name) => !(name in set) && (fields?.includes(name) ?? true)) &&
    (attempt.verb === 'create' || bases.every((one) => fits(states, 'before', rule, one))) &&
    (is === undefined || (fits(states, 'after', rule, is) && holds(states, rule, is)))
  )
}

/** A change of another document is an update of it. */
function permitsOther(states: States, { was, is, names }: Change): boolean {
  if (was === undefined || is === undefined) return false
  if (names.some((name) => states.stamped.has(`${is.type}.${name}`))) return false
  const right = states.reader.rights[`${is.type}.update`] ?? []
  if (right === 'always') return true
  return right.some(
    (rule: WriteRule) =>
      names.every((name) => rule.fields?.includes(name) ?? true) &&
      fits(states, 'before', rule, was) &&
      fits(states, 'after', rule, is) &&
      holds(states, rule, is),
  )
}

function fits(states: States, at: 'before' | 'after', { where = {} }: WriteRule, version: Version) {
  return isMatch({ dump: states[at], at: 'published', reader: states.reader }, where, version)
}

function holds({ after, reader }: States, { set = {} }: WriteRule, { type, values }: Version) {
  return Object.entries(set).every(([name, value]) => {
    const operand = reader.operands[String(value)] ?? [value]
    const isRelation = relationOf(after, type, name) !== undefined
    return isDeepStrictEqual(
      values[name],
      isRelation ? operand.filter((one) => one !== null) : operand[0],
    )
  })
}

const versionsOf = ({ versions }: Dump, { type, documentId }: Attempt): readonly Version[] =>
  versions.filter((one) => one.type === type && one.documentId === documentId)

/** A version that was written without another value differs in its revision. */
export function changesBetween(before: Dump, after: Dump): readonly Change[] {
  const keyOf = ({ type, documentId, status }: Version): string => `${type} ${documentId} ${status}`
  const [old, current] = [before, after].map(
    ({ versions }) => new Map(versions.map((one) => [keyOf(one), one])),
  )
  return [...new Set([...(old?.keys() ?? []), ...(current?.keys() ?? [])])]
    .map((key) => ({ was: old?.get(key), is: current?.get(key) }))
    .filter(({ was, is }) => !isDeepStrictEqual(was, is))
    .map(({ was, is }) => ({ was, is, names: changedNames(was?.values, is?.values) }))
}

function changedNames(was: Where = {}, is: Where = {}): readonly string[] {
  return Object.keys({ ...was, ...is }).filter(
    (name) => name !== 'revision' && !isDeepStrictEqual(was[name], is[name]),
  )
}

import { isRecord } from '../../base/is-record.ts'
import type { CompactedHolder } from '../../mongo/conversions/compaction-row.ts'
import { isLinkIndex, linkIndexName } from '../../mongo/versions/link-index.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import { toStoredName } from '../../schema/compile-attributes.ts'

interface PassMember {
  readonly to: string
  readonly inside: readonly Uid[]
  readonly target: Uid | null
}

/** The renames of one pass, by holder and name. Names that are renamed already are there, too. */
export type PassTable = ReadonlyMap<Uid, ReadonlyMap<string, PassMember>>

/** Ends no attribute name and no stored name. */
const PASSING = '~'

/**
 * Each pass gives the same result if it is repeated, also for rows that it has changed already. A name that is the
 * stored name of another value is free after the first pass only, so its new value has a temporary name until then.
 */
export function passTables(holders: readonly CompactedHolder[]): readonly PassTable[] {
  const isTwice = holders.some(({ members }) => members.some((one) => isPassing(one, members)))
  const first = tableOf(holders, ({ stored, to }, members) => {
    return [stored, isPassing({ stored, to }, members) ? to + PASSING : to]
  })
  if (!isTwice) return [first]
  const second = tableOf(holders, ({ stored, to }, members) => {
    return [isPassing({ stored, to }, members) ? to + PASSING : to, to]
  })
  return [first, second]
}

type Named = Pick<CompactedHolder['members'][number], 'stored' | 'to'>

function isPassing({ stored, to }: Named, members: readonly Named[]): boolean {
  return stored !== to && members.some((other) => other.stored === to)
}

function tableOf(
  holders: readonly CompactedHolder[],
  namesOf: (member: Named, members: readonly Named[]) => readonly [before: string, after: string],
): PassTable {
  return new Map(
    holders.map(({ uid, members }) => {
      const table = new Map<string, PassMember>()
      for (const member of members) {
        const [before, to] = namesOf(member, members)
        const own = { to, inside: member.inside ?? [], target: member.target ?? null }
        table.set(before, own)
        table.set(to, own)
      }
      return [uid, table] as const
    }),
  )
}

/** Renames the members of a version or component. Returns the values themselves if all names stay. */
export function moveMembers(table: PassTable, uid: Uid, values: Data): Data {
  const holder = table.get(uid)
  if (holder === undefined) return values
  const before = Object.entries(values)
  const moved = before.map(([name, value]): readonly [string, unknown] => {
    if (isLinkIndex(name)) return [moveLinkIndex(holder, name), value]
    const member = holder.get(name)
    return member === undefined ? [name, value] : [member.to, moveElements(table, member, value)]
  })
  const isSame = moved.every(([name, value], place) => {
    const [oldName, oldValue] = before[place] ?? []
    return name === oldName && value === oldValue
  })
  return isSame ? values : Object.fromEntries(moved)
}

function moveLinkIndex(holder: ReadonlyMap<string, PassMember>, name: string): string {
  for (const [before, { to }] of holder) {
    if (linkIndexName({ storedName: toStoredName(before) }) !== name) continue
    return linkIndexName({ storedName: toStoredName(to) })
  }
  return name
}

function moveElements(table: PassTable, member: PassMember, value: unknown): unknown {
  if (Array.isArray(value)) {
    const elements = value as readonly unknown[]
    const moved = elements.map((one) => moveElements(table, member, one))
    return moved.some((one, place) => one !== elements[place]) ? moved : value
  }
  if (member.inside.length === 0 || !isRecord(value)) return value
  const named = value['__component']
  const uid = typeof named === 'string' ? named : member.inside[0]
  return uid === undefined ? value : moveMembers(table, uid, value)
}

/** The holder of the names in a condition on a member. Null if there is none. */
export function holderOfMember(table: PassTable, uid: Uid, name: string): Uid | null {
  const member = table.get(uid)?.get(name)
  return member?.target ?? member?.inside[0] ?? null
}

export function moveName(table: PassTable, uid: Uid, name: string): string {
  return table.get(uid)?.get(name)?.to ?? name
}

/** The path of an attribute, such as in a comment. */
export function movePath(table: PassTable, uid: Uid, path: string): string {
  const [first = path, ...rest] = path.split('.')
  const member = table.get(uid)?.get(first)
  if (member === undefined) return path
  const [next = ''] = rest
  const holder = member.inside.find((one) => table.get(one)?.has(next) === true)
  if (holder === undefined) return [member.to, ...rest].join('.')
  return `${member.to}.${movePath(table, holder, rest.join('.'))}`
}

/** The names of content that a pass changes, so that it finds the rows to read. */
export function movedNames(table: PassTable, uid: Uid): readonly string[] {
  const names = [...(table.get(uid) ?? [])].flatMap(([name, member]) => {
    const isRenamed = member.to !== name
    const reaches = member.inside.some((one) => isReached(table, one, new Set()))
    const links = isRenamed ? [linkIndexName({ storedName: toStoredName(name) })] : []
    return isRenamed || reaches ? [name, ...links] : []
  })
  return [...new Set(names)]
}

function isReached(table: PassTable, uid: Uid, seen: Set<Uid>): boolean {
  if (seen.has(uid)) return false
  seen.add(uid)
  return [...(table.get(uid) ?? [])].some(
    ([name, { to, inside }]) => to !== name || inside.some((one) => isReached(table, one, seen)),
  )
}

import type { Definitions, Uid } from '../definition.ts'
import type { HolderLedger, Ledger, Release } from './ledger.ts'

/**
 * The ledger after the start of a known release, whose names are current again: the next new release continues from
 * them. Returns the same ledger if they are current already.
 */
export function returnTo(
  ledger: Ledger,
  { contentTypes, components }: Definitions,
  { names, uids = {} }: Release,
): Ledger {
  const storedUid = (uid: Uid): Uid => uids[uid] ?? uid
  const declaredUids = (holders: readonly { readonly uid: Uid }[]) =>
    holders.map(({ uid }) => [storedUid(uid), uid] as const)
  const holders = { ...ledger.holders }
  for (const { uid, attributes } of [...contentTypes, ...components]) {
    const kept = storedUid(uid)
    const before = holders[kept]
    if (before === undefined) continue
    const own = Object.keys(attributes).map((name) => [names[kept]?.[name] ?? name, name] as const)
    holders[kept] = returnNames(before, own)
  }
  const types = returnNames(ledger.types, declaredUids(contentTypes))
  const parts = returnNames(ledger.components, declaredUids(components))
  const isSame =
    types === ledger.types &&
    parts === ledger.components &&
    Object.entries(holders).every(([uid, holder]) => holder === ledger.holders[uid])
  if (isSame) return ledger
  return { ...ledger, version: ledger.version + 1, types, components: parts, holders }
}

/** @param current stored names with their current names */
function returnNames(
  before: HolderLedger,
  current: readonly (readonly [string, string])[],
): HolderLedger {
  const nameOf = new Map(current)
  const version = before.version + 1
  const columns = before.columns.map((column) => {
    const name = nameOf.get(column.stored)
    const last = column.names.at(-1)
    if (name === undefined || last === undefined || name === last) return column
    const names = [...column.names.filter((other) => other !== name), name]
    return { ...column, names, since: version, isLive: true, returnedFrom: last }
  })
  const isSame = columns.every((column, place) => column === before.columns[place])
  return isSame ? before : { version, columns }
}

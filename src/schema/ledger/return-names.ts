import type { AttributeDefinition, Definitions, Uid } from '../definition.ts'
import { type Retyped, retypedOf, withName, withType } from './enter-names.ts'
import type { Column, HolderLedger, Ledger, Release } from './ledger.ts'
import { type AttributeType, attributeTypeOf, isSameType } from './type-of-attribute.ts'

export interface Returned {
  /** The same ledger if names and types are current already. */
  readonly ledger: Ledger
  readonly retyped: readonly (Retyped & { readonly uid: Uid })[]
}

/**
 * The ledger after the start of a known release, whose names and types are current again: the next new release
 * continues from them.
 */
export function returnTo(
  ledger: Ledger,
  { contentTypes, components }: Definitions,
  { names, uids = {} }: Release,
  storedTarget: (uid: Uid) => Uid,
): Returned {
  const storedUid = (uid: Uid): Uid => uids[uid] ?? uid
  const declaredUids = (holders: readonly { readonly uid: Uid }[]) =>
    new Map(holders.map(({ uid }) => [storedUid(uid), { name: uid, type: HOLDER }]))
  const holders = { ...ledger.holders }
  const retyped: Returned['retyped'][number][] = []
  for (const { uid, attributes } of [...contentTypes, ...components]) {
    const kept = storedUid(uid)
    const before = holders[kept]
    if (before === undefined) continue
    const own = currentNames(
      attributes,
      names[kept] ?? {},
      (target) => uids[target] ?? storedTarget(target),
    )
    holders[kept] = returnNames(before, own)
    retyped.push(...retypedIn(before, own).map((one) => ({ ...one, uid: holderUid(uid, kept) })))
  }
  const types = returnNames(ledger.types, declaredUids(contentTypes))
  const parts = returnNames(ledger.components, declaredUids(components))
  const isSame =
    types === ledger.types &&
    parts === ledger.components &&
    Object.entries(holders).every(([uid, holder]) => holder === ledger.holders[uid])
  if (isSame) return { ledger, retyped }
  const version = ledger.version + 1
  return { ledger: { ...ledger, version, types, components: parts, holders }, retyped }
}

/** Content-types have their stored uid after they are entered, and components the declared one. */
function holderUid(declared: Uid, stored: Uid): Uid {
  return declared.includes('::') ? stored : declared
}

const HOLDER: AttributeType = { type: 'holder' }

interface CurrentName {
  readonly name: string
  readonly type: AttributeType
}

/** By stored name. */
type CurrentNames = ReadonlyMap<string, CurrentName>

function currentNames(
  attributes: Readonly<Record<string, AttributeDefinition>>,
  stored: Readonly<Record<string, string>>,
  storedUid: (uid: Uid) => Uid,
): CurrentNames {
  return new Map(
    Object.entries(attributes).map(([name, attribute]) => [
      stored[name] ?? name,
      { name, type: attributeTypeOf(attribute, storedUid) },
    ]),
  )
}

function returnNames(before: HolderLedger, current: CurrentNames): HolderLedger {
  const version = before.version + 1
  const columns = before.columns.map((column): Column => {
    const own = current.get(column.stored)
    const last = column.names.at(-1)
    if (own === undefined || last === undefined) return withLife(column, false)
    const { name, type } = own
    const typed = isSameType(column, type) ? column : withType(column, type, version)
    if (name !== last) {
      return { ...withName(typed, name, version), isLive: true, returnedFrom: last }
    }
    return withLife(isNewest(before, column) ? typed : { ...typed, since: version }, true)
  })
  const isSame = columns.every((column, place) => column === before.columns[place])
  return isSame ? before : { version, columns }
}

/** The last start decides which attributes have values of their own. */
function withLife(column: Column, isLive: boolean): Column {
  return column.isLive === isLive ? column : { ...column, isLive }
}

/** A newer release may have another column with this name, such as after a change of the type. */
function isNewest({ columns }: HolderLedger, column: Column): boolean {
  const place = columns.indexOf(column)
  return columns.every(
    ({ names, since }, other) =>
      other === place ||
      names.at(-1) !== column.names.at(-1) ||
      since < column.since ||
      (since === column.since && other < place),
  )
}

function retypedIn({ columns }: HolderLedger, current: CurrentNames): readonly Retyped[] {
  return columns.flatMap((column) => {
    const own = current.get(column.stored)
    if (own === undefined || isInverse(own.type)) return []
    return retypedOf(column, own.type, own.name)
  })
}

/** An inverse side shows no stored values, so it hides those of a later owner. */
function isInverse({ type, members }: AttributeType): boolean {
  return type.startsWith('relation ') && members?.length === 0
}

import type { CompactedHolder, CompactedMember } from '../../mongo/conversions/compaction-row.ts'
import { FILE_UID, type Uid } from '../../schema/definition.ts'
import type { Column, Ledger } from '../../schema/ledger/ledger.ts'
import type { HolderMoves, NamesInHolder, Moves } from '../../schema/ledger/compact-names.ts'
import {
  type AttributePlan,
  type ComponentPlan,
  isNesting,
  type Schema,
  type ShapePlan,
} from '../../schema/plan.ts'

/** The stored names of all attributes, by stored uid. */
export function declaredNamesOf({
  contentTypes,
  components,
}: Schema): ReadonlyMap<Uid, NamesInHolder> {
  const managed = [...contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  const namesOf = ({ attributes }: ShapePlan): NamesInHolder =>
    new Map([...attributes.values()].map(({ name, storedName }) => [name, storedName]))
  return new Map([
    ...managed.map((plan) => [plan.uid, namesOf(plan)] as const),
    ...[...components.values()].map((plan) => [plan.storedUid, namesOf(plan)] as const),
  ])
}

/**
 * All columns of the ledger, also of declarations that are gone. The schema adds members that have no column, and the
 * targets of inverse sides, because rules name them.
 */
export function compactedHolders(
  { holders, compactions = 0 }: Ledger,
  { contentTypes, components }: Schema,
  moves: Moves,
): readonly CompactedHolder[] {
  const found = new Map<Uid, Map<string, CompactedMember>>()
  const put = (uid: Uid, member: CompactedMember): void => {
    const members = found.get(uid) ?? new Map<string, CompactedMember>()
    found.set(uid, members.set(member.stored, member))
  }
  for (const [uid, { columns }] of Object.entries(holders)) {
    for (const column of columns) put(uid, ofColumn(column, moves.get(uid)))
  }
  const declared: readonly (readonly [Uid, ShapePlan])[] = [
    ...[...contentTypes.values()].map((plan) => [plan.uid, plan] as const),
    ...[...components.values()].map((plan) => [plan.storedUid, plan] as const),
  ]
  for (const [uid, plan] of declared) {
    for (const member of plan.members.values()) {
      // A computed member has no stored value, and may have the name of a column.
      if (member.kind === 'scalar' && member.computed !== undefined) continue
      put(uid, ofPlan(member, moves.get(uid)))
    }
  }
  return [...found].map(([uid, members]) => {
    const strays = [...(moves.get(uid)?.values() ?? [])].filter((name) => !members.has(name))
    const hidden = strays.map((name) => ofStrays(name, compactions + 1))
    return { uid, members: [...members.values(), ...hidden] }
  })
}

/**
 * Attributes that were removed before there was a ledger, and scripts, leave values of no column. They make room, and no
 * later attribute and no later compaction chooses their name.
 */
function ofStrays(name: string, compaction: number): CompactedMember {
  return { stored: name, to: `${name}~c${compaction}`, isStray: true }
}

function ofColumn({ stored, type, members = [] }: Column, moves?: HolderMoves): CompactedMember {
  const names = { stored, to: moves?.get(stored) ?? stored }
  const [first] = members
  if (isNestingType(type)) return { ...names, inside: members }
  return first === undefined || type === 'enumeration' ? names : { ...names, target: first }
}

function isNestingType(type: string): boolean {
  return ['component', 'component list', 'dynamiczone'].includes(type)
}

function ofPlan(member: AttributePlan, moves?: HolderMoves): CompactedMember {
  const { storedName: stored } = member
  const names = { stored, to: moves?.get(stored) ?? stored }
  if (isNesting(member)) {
    const inside: readonly ComponentPlan[] =
      member.kind === 'component' ? [member.component()] : [...member.components().values()]
    return { ...names, inside: inside.map(({ storedUid }) => storedUid) }
  }
  if (member.kind === 'relation') return { ...names, target: member.target().uid }
  return member.kind === 'media' ? { ...names, target: FILE_UID } : names
}

/** The content-types whose rows could not be found. From ledgers that did not enter the collections yet. */
export function findUnknownCollections({ types, collections }: Ledger): readonly Uid[] {
  return types.columns.map(({ stored }) => stored).filter((uid) => collections[uid] === undefined)
}

/** Elements of these attributes could not be found. From ledgers that did not enter the components yet. */
export function findUnknownComponents({ holders }: Ledger): readonly string[] {
  return Object.entries(holders).flatMap(([uid, { columns }]) =>
    columns
      .filter(({ type, members }) => isNestingType(type) && members === undefined)
      .map(({ names, stored }) => `${uid}: ${names.at(-1) ?? stored}`),
  )
}

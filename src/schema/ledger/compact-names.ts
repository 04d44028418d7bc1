import type { Uid } from '../definition.ts'
import {
  type Column,
  freeStoredName,
  type HolderLedger,
  type Ledger,
  type Release,
  takenNames,
} from './ledger.ts'

/** The new stored name by the present one. */
export type HolderMoves = ReadonlyMap<string, string>

/** By the stored uid of the content-type or component. */
export type Moves = ReadonlyMap<Uid, HolderMoves>

/** The stored name by the name of the attribute. */
export type NamesInHolder = ReadonlyMap<string, string>

/**
 * Moves each attribute to its own name. Values of another column that are stored under that name get a free one.
 * @param declared by stored uid
 */
export function planMoves({ holders }: Ledger, declared: ReadonlyMap<Uid, NamesInHolder>): Moves {
  const moves = [...declared].map(([uid, names]) => {
    return [uid, movesOf(holders[uid]?.columns ?? [], names)] as const
  })
  return new Map(moves.filter(([, own]) => own.size > 0))
}

function movesOf(columns: readonly Column[], names: NamesInHolder): HolderMoves {
  const renamed = [...names].filter(([name, stored]) => name !== stored)
  const moves = new Map(renamed.map(([name, stored]) => [stored, name]))
  const wanted = new Set(moves.values())
  const taken = new Set([...takenNames(columns), ...names.keys()])
  for (const { stored } of columns) {
    if (moves.has(stored) || !wanted.has(stored)) continue
    const free = freeStoredName(stored, taken)
    taken.add(free)
    moves.set(stored, free)
  }
  return moves
}

/**
 * The ledger after the moves, without the mark. Earlier releases find their values under the new stored names.
 * @throws Error if two attributes would get one stored name
 */
export function compactLedger({ compacting: _mark, ...ledger }: Ledger, moves: Moves): Ledger {
  const holders = { ...ledger.holders }
  for (const [uid, own] of moves) {
    const before = holders[uid]
    if (before === undefined) continue
    const after = compactHolder(before, own)
    assertDistinct(uid, after)
    holders[uid] = after
  }
  return {
    ...ledger,
    version: ledger.version + 1,
    compactions: (ledger.compactions ?? 0) + 1,
    holders,
    releases: ledger.releases.map((release) => compactRelease(release, moves)),
  }
}

function compactHolder({ version, columns }: HolderLedger, moves: HolderMoves): HolderLedger {
  return {
    version: version + 1,
    columns: columns.map((column) => moveColumn(column, moves.get(column.stored))),
  }
}

function moveColumn(column: Column, to: string | undefined): Column {
  if (to === undefined) return column
  const { stored, formerStored = [] } = column
  // A plain stored name is also a name of the column.
  if (!stored.includes('~')) return { ...column, stored: to }
  return { ...column, stored: to, formerStored: [...formerStored, stored] }
}

function assertDistinct(uid: Uid, { columns }: HolderLedger): void {
  if (new Set(columns.map(({ stored }) => stored)).size === columns.length) return
  throw new Error(`two attributes of ${uid} would get one stored name`)
}

/** An attribute that is not in `names` is stored under its name. */
function compactRelease(release: Release, moves: Moves): Release {
  const names = { ...release.names }
  for (const [uid, own] of moves) {
    const before = names[uid] ?? {}
    const stored = { ...Object.fromEntries([...own.keys()].map((name) => [name, name])), ...before }
    const after = Object.entries(stored)
      .map(([name, one]) => [name, own.get(one) ?? one] as const)
      .filter(([name, one]) => name !== one)
    if (after.length > 0) names[uid] = Object.fromEntries(after)
    else delete names[uid]
  }
  return { ...release, names }
}

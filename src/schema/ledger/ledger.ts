import type { Uid } from '../definition.ts'
import type { ValueNames } from './enter-values.ts'
import type { AttributeType } from './type-of-attribute.ts'

/** With the type of its attribute in the last new release. */
export interface Column extends AttributeType {
  readonly stored: string
  /** Stored names such as `title~2` before compactions. They name no other column, because a `from` may have them. */
  readonly formerStored?: readonly string[]
  /** The types that it had before under this stored name, if their values have another form. */
  readonly formerTypes?: readonly string[]
  /** All values that an enumeration has had. */
  readonly values?: readonly ValueNames[]
  /** The version of the ledger of its holder that last converted values. */
  readonly convertedAt?: number
  /** Stored values may still have the form of a former type. */
  readonly isConverting?: boolean
  readonly names: readonly string[]
  readonly since: number
  readonly isLive: boolean
  /** The name of a newer release, after a start of an older one. No new release has started since. */
  readonly returnedFrom?: string
}

export interface HolderLedger {
  readonly version: number
  readonly columns: readonly Column[]
}

export interface Release {
  readonly digest: string
  readonly at: Date
  /** The attributes with another stored name, so that a roll-back to this release is exact. */
  readonly names: Readonly<Record<Uid, Readonly<Record<string, string>>>>
  readonly uids?: Readonly<Record<Uid, Uid>>
  readonly collections?: Readonly<Record<Uid, string>>
}

export interface Ledger {
  readonly version: number
  /** The number of times that values were moved to the names of their attributes. */
  readonly compactions?: number
  /** Set while values move. No other process changes the ledger then. */
  readonly compacting?: string
  /** Each content-type is a column. Its stored name is its uid in the database. */
  readonly types: HolderLedger
  readonly components: HolderLedger
  /** By stored uid. */
  readonly collections: Readonly<Record<Uid, string>>
  /** By stored uid. */
  readonly holders: Readonly<Record<Uid, HolderLedger>>
  readonly releases: readonly Release[]
}

/** The names that no other column may be stored under. */
export function takenNames(columns: readonly Column[]): ReadonlySet<string> {
  return new Set(columns.flatMap(({ stored, formerStored = [] }) => [stored, ...formerStored]))
}

/** Adds a number that no attribute name ends with. */
export function freeStoredName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number += 1) free = `${name}~${number}`
  return free
}

const NO_COLUMNS: HolderLedger = { version: 0, columns: [] }

export const EMPTY_LEDGER: Ledger = {
  version: 0,
  types: NO_COLUMNS,
  components: NO_COLUMNS,
  collections: {},
  holders: {},
  releases: [],
}

/** A ledger from before content-types could be renamed has no columns of them. */
export function completeLedger(
  stored: Omit<Ledger, 'types' | 'components' | 'collections'> & Partial<Ledger>,
): Ledger {
  const uids = Object.keys(stored.holders)
  return {
    ...stored,
    types: stored.types ?? columnsOf(uids.filter((uid) => uid.includes('::'))),
    components: stored.components ?? columnsOf(uids.filter((uid) => !uid.includes('::'))),
    collections: stored.collections ?? {},
  }
}

function columnsOf(uids: readonly Uid[]): HolderLedger {
  const columns = uids.map((uid): Column => {
    return { stored: uid, type: 'holder', names: [uid], since: 0, isLive: true }
  })
  return { version: 0, columns }
}

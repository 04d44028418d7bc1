import type { Uid } from '../definition.ts'

export interface Column {
  readonly stored: string
  /** The type of its attribute in the last new release (`typeOfAttribute`). */
  readonly type: string
  readonly names: readonly string[]
  readonly since: number
  readonly isLive: boolean
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
}

export interface Ledger {
  readonly version: number
  readonly holders: Readonly<Record<Uid, HolderLedger>>
  readonly releases: readonly Release[]
}

export const EMPTY_LEDGER: Ledger = { version: 0, holders: {}, releases: [] }

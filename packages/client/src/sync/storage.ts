import type { Location } from '../content.ts'
import type { TypePlan } from './content-plan.ts'

/** Stores the rows of a store: in IndexedDB, SQLite or memory. */
export interface StoreStorage {
  /** Identifies storage that several tabs share. Null if it is not shared. */
  readonly name: string | null
  /** True if rows may contain values of type `Blob`. @default false, for storages of text */
  readonly keepsBlobs?: boolean
  /** For storages of text: the bytes of large files. Without it, files have at most 20 MB. */
  readonly parts?: PartStorage
  load(): Promise<Stored>
  /**
   * Tables that read rows from the storage. `load` then returns queued changes and files only.
   * Without it, the store holds all rows in memory.
   */
  openTables?(types: Readonly<Record<string, TypePlan>>): Tables
  /** In one transaction. Returns false without changes if another tab has committed. */
  commit(changes: readonly Change[], mark: Mark): Promise<boolean>
  close(): Promise<void>
}

/**
 * Base64 texts of up to 1.4 MB each, by the key of a row and a number from 0. They are stored before their row. `commit`
 * deletes them with the row, in one transaction. The storage deletes parts without a row when it opens.
 */
export interface PartStorage {
  put(key: string, part: number, text: string): Promise<unknown>
  get(key: string, part: number): Promise<string | undefined>
  drop(key: string): Promise<unknown>
}

export interface Stored {
  readonly mark: Mark | null
  readonly rows: readonly Row[]
}

export interface Mark {
  /** The request that defines the content of the copy. */
  readonly scope: string
  /** Null before the first page. */
  readonly token: string | null
  /** The number of restarts. Earlier rows remain visible until the current round is complete. */
  readonly round: number
  /** True if the copy was complete once. */
  readonly isComplete: boolean
  /** True if rows of earlier rounds may remain. */
  readonly isStale: boolean
  /** Increases by one with each commit. */
  readonly version: number
}

export interface Row {
  /** The name on the server: `article`, `upload.file`. */
  readonly type: string
  readonly documentId: string
  /** Null for types without locales. */
  readonly locale: string | null
  readonly round: number
  /** Absent in rows that earlier versions of this package have stored. */
  readonly revision?: string
  readonly data: Readonly<Record<string, unknown>>
}

export type Change =
  | { readonly op: 'put'; readonly row: Row }
  | { readonly op: 'delete'; readonly key: string; readonly type: string }
  /** Removes the rows of a type, or of a type in one locale. */
  | { readonly op: 'reset'; readonly type: string; readonly locale?: string }
  /** Removes the rows of earlier rounds. */
  | { readonly op: 'sweep'; readonly round: number }

/** The rows of a store, with the changes of the user. */
export interface Tables {
  readonly names: readonly string[]
  /** Returns the names of the changed types. */
  apply(changes: readonly Change[]): ReadonlySet<string>
  replace(rows: readonly Row[]): void
  /** Shows another row in place of the confirmed one: null for none, undefined to end this. */
  cover(name: string, key: string, row: Row | null | undefined): void
  /** With filters, rows that cannot match may be left out. */
  list(name: string, locale: string, filters?: object): readonly Row[]
  /** All locales of a document. */
  localesOf(name: string, documentId: string): readonly Row[]
  get(name: string, documentId: string, locale: string): Row | undefined
  /** The row by its key, with the changes of the user. */
  shown(name: string, key: string): Row | undefined
  /** The row by its key, as the server sent it. */
  confirmed(name: string, key: string): Row | undefined
  /** Rows with a link to a document in the attribute `by`. */
  leadingTo(name: string, by: string, documentId: string, locale: string): readonly Row[]
  /**
   * Reads one page without the other rows. Undefined if the storage cannot filter or sort in this
   * way. `arrange` filters and sorts rows.
   */
  readonly findPage?: <Place>(
    name: string,
    asked: PageRequest,
    arrange: (rows: readonly Row[]) => readonly Place[],
  ) => { readonly places: readonly Place[]; readonly total: number } | undefined
}

export interface PageRequest {
  readonly locale: string
  readonly filters: object
  readonly keys: readonly ComparedKey[]
  readonly start: number
  /** Null for all entries. */
  readonly limit: number | null
}

export interface ComparedKey {
  readonly path: readonly string[]
  /** 1 or -1 */
  readonly sign: number
  /** The point that `near` compares with. */
  readonly center: Location | false
}

/** The key of a row. Keys of one type have a common prefix. */
export function makeRowKey({
  type,
  documentId,
  locale,
}: Pick<Row, 'type' | 'documentId' | 'locale'>): string {
  return `${type} ${documentId} ${locale ?? ''}`
}

/** True if a `reset` or `sweep` removes the row. */
export function isRemoved(
  { type, locale, round }: Pick<Row, 'type' | 'locale' | 'round'>,
  change: Extract<Change, { readonly op: 'reset' | 'sweep' }>,
): boolean {
  if (change.op === 'sweep') return round < change.round
  return type === change.type && (change.locale === undefined || change.locale === locale)
}

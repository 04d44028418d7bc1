/** Stores the rows of a store: in IndexedDB, SQLite or memory. */
export interface StoreStorage {
  /** Identifies storage that several tabs share. Null if it is not shared. */
  readonly name: string | null
  /** True if rows may contain values of type `Blob`. @default false, for storages of text */
  readonly keepsBlobs?: boolean
  load(): Promise<Stored>
  /** In one transaction. Returns false without changes if another tab has committed. */
  commit(changes: readonly Change[], mark: Mark): Promise<boolean>
  close(): Promise<void>
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

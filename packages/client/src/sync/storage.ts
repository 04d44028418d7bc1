/** Where a store keeps its rows. Three exist: IndexedDB, SQLite and memory. */
export interface StoreStorage {
  /** What several stores share that are open at a time, such as those of tabs; null where there is but one. */
  readonly name: string | null
  /** All of it, as of one moment. */
  load(): Promise<Stored>
  /**
   * Applies changes in their order and keeps the mark, all or nothing, also if the process is killed meanwhile. False, and
   * nothing is changed, where the mark that is kept is not of the version before: somebody else has committed.
   */
  commit(changes: readonly Change[], mark: Mark): Promise<boolean>
  close(): Promise<void>
}

export interface Stored {
  readonly mark: Mark | null
  readonly rows: readonly Row[]
}

/** How far a copy has come. */
export interface Mark {
  /** Of what it is a copy. */
  readonly scope: string
  /** Null where it must begin. */
  readonly token: string | null
  /** How often it has begun: rows of earlier rounds are shown until the next is whole. */
  readonly round: number
  /** Whether it was whole once: what is shown is not just a part. */
  readonly isComplete: boolean
  /** Whether there may be rows of earlier rounds. */
  readonly isStale: boolean
  /** Rises by one with each commit. */
  readonly version: number
}

/** A version of a document. */
export interface Row {
  /** As the server calls it: `article`, `upload.file`. */
  readonly type: string
  readonly documentId: string
  /** Null for types without locales. */
  readonly locale: string | null
  readonly round: number
  readonly data: Readonly<Record<string, unknown>>
}

export type Change =
  | { readonly op: 'put'; readonly row: Row }
  | { readonly op: 'delete'; readonly key: string; readonly type: string }
  /** All rows of a type; with a locale those in it. */
  | { readonly op: 'reset'; readonly type: string; readonly locale?: string }
  /** All rows of earlier rounds. */
  | { readonly op: 'sweep'; readonly round: number }

/** What a row is known by; those of a type begin alike. */
export function keyOf({ type, documentId, locale }: Omit<Row, 'data' | 'round'>): string {
  return `${type} ${documentId} ${locale ?? ''}`
}

/** Whether a change that removes many rows removes this one. */
export function isRemoved(
  { type, locale, round }: Pick<Row, 'type' | 'locale' | 'round'>,
  change: Extract<Change, { readonly op: 'reset' | 'sweep' }>,
): boolean {
  if (change.op === 'sweep') return round < change.round
  return type === change.type && (change.locale === undefined || change.locale === locale)
}

import { type Change, makeRowKey, type Mark } from './storage.ts'

export interface SyncPage {
  readonly items: readonly SyncItem[]
  readonly next: string
  readonly more: boolean
  /** For a client that pushes. */
  readonly pushed?: PushedRows
}

/** Numbers of mutations of this client. */
export interface PushedRows {
  /** The rows of the page contain the mutations up to this one. */
  readonly rows: number
  /** After the page, the whole copy does. */
  readonly copy?: number
  /** Mutations up to `rows` that were not applied. */
  readonly failed?: readonly number[]
}

export type SyncItem =
  | {
      readonly op: 'put'
      readonly type: string
      readonly documentId: string
      readonly locale: string | null
      readonly revision?: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | {
      readonly op: 'delete'
      readonly type: string
      readonly documentId: string
      readonly locale: string | null
    }
  | { readonly op: 'reset'; readonly type: string; readonly locale?: string }

/** @throws Error for an unknown operation */
export function toCommitStep(
  { items, next, more }: SyncPage,
  { scope, round, version, isComplete, isStale }: Mark,
): { readonly changes: readonly Change[]; readonly mark: Mark } {
  const changes = items.map((item): Change => changeOf(item, round))
  return {
    // The round is complete: delete the rows that it did not send.
    changes: isStale && !more ? [...changes, { op: 'sweep', round }] : changes,
    mark: {
      scope,
      token: next,
      round,
      isComplete: isComplete || !more,
      isStale: isStale && more,
      version: version + 1,
    },
  }
}

function changeOf(item: SyncItem, round: number): Change {
  switch (item.op) {
    case 'put': {
      const { type, documentId, locale, revision, data } = item
      const known = revision === undefined ? {} : { revision }
      return { op: 'put', row: { type, documentId, locale, round, ...known, data } }
    }
    case 'delete':
      return { op: 'delete', type: item.type, key: makeRowKey(item) }
    case 'reset':
      return item.locale === undefined
        ? { op: 'reset', type: item.type }
        : { op: 'reset', type: item.type, locale: item.locale }
    default:
      throw new Error(`an operation that this client does not know: ${(item as SyncItem).op}`)
  }
}

/**
 * Parses one item per line, then `next` and `more`. Other lines are ignored.
 * @throws Error if the text is truncated or the sync was not finished
 */
export function readLines(text: string): SyncPage {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values = lines.map((line) => JSON.parse(line) as SyncItem | Omit<SyncPage, 'items'>)
  const last = values.at(-1)
  if (last === undefined || !('next' in last) || last.more) {
    throw new Error('The snapshot is not that of a finished sync')
  }
  return { ...last, items: values.filter((value): value is SyncItem => 'op' in value) }
}

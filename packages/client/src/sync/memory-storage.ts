import {
  type Change,
  isRemoved,
  makeRowKey,
  type Mark,
  type Row,
  type StoreStorage,
} from './storage.ts'

export function memoryStorage(): StoreStorage {
  let kept: Mark | null = null
  const rows = new Map<string, Row>()
  return {
    name: null,
    keepsBlobs: true,
    load: () => Promise.resolve({ mark: kept, rows: [...rows.values()] }),
    commit: (changes, mark) => {
      if ((kept?.version ?? 0) !== mark.version - 1) return Promise.resolve(false)
      for (const change of changes) applyChange(rows, change)
      kept = mark
      return Promise.resolve(true)
    },
    close: () => Promise.resolve(),
  }
}

export function applyChange(rows: Map<string, Row>, change: Change): void {
  if (change.op === 'put') rows.set(makeRowKey(change.row), change.row)
  else if (change.op === 'delete') rows.delete(change.key)
  else for (const [key, row] of rows) if (isRemoved(row, change)) rows.delete(key)
}

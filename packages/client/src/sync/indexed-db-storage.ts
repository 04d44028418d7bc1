import {
  type Change,
  isRemoved,
  makeRowKey,
  type Mark,
  type Row,
  type StoreStorage,
} from './storage.ts'

const ROWS = 'rows'
const MARKS = 'marks'
const MARK = 'mark'

/** Stores rows in an IndexedDB of this name, which the tabs of an app share. */
export function indexedDbStorage(name: string): StoreStorage {
  let opened: Promise<IDBDatabase> | null = null
  const open = async (): Promise<IDBDatabase> => {
    opened ??= openDatabase(name, () => {
      opened = null // evicted, or upgraded by another tab: the next use reopens it
    })
    try {
      return await opened
    } catch (error) {
      opened = null
      throw error
    }
  }
  return {
    name,
    keepsBlobs: true,
    load: async () => {
      const transaction = (await open()).transaction([ROWS, MARKS], 'readonly')
      const mark = transaction.objectStore(MARKS).get(MARK) as IDBRequest<Mark | undefined>
      const rows = transaction.objectStore(ROWS).getAll() as IDBRequest<Row[]>
      await finished(transaction)
      return { mark: mark.result ?? null, rows: rows.result }
    },
    commit: async (changes, mark) => {
      const transaction = (await open()).transaction([ROWS, MARKS], 'readwrite')
      const done = finished(transaction)
      let isOurs = false
      const marks = transaction.objectStore(MARKS)
      const kept = marks.get(MARK) as IDBRequest<Mark | undefined>
      kept.addEventListener('success', () => {
        isOurs = (kept.result?.version ?? 0) === mark.version - 1
        if (!isOurs) return
        applyAll(transaction.objectStore(ROWS), changes, () => marks.put(mark, MARK))
      })
      await done
      return isOurs
    },
    close: async () => {
      const closing = opened
      opened = null
      ;(await closing?.catch(() => null))?.close()
    },
  }
}

function openDatabase(name: string, onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1)
    request.addEventListener('upgradeneeded', () => {
      request.result.createObjectStore(ROWS)
      request.result.createObjectStore(MARKS)
    })
    request.addEventListener('error', () => reject(failure(request.error)))
    request.addEventListener('blocked', () =>
      reject(new Error(`${name} is in use by another version of the app`)),
    )
    request.addEventListener('success', () => {
      const { result: database } = request
      database.addEventListener('close', onGone)
      database.addEventListener('versionchange', () => {
        database.close()
        onGone()
      })
      resolve(database)
    })
  })
}

/** Waits for the removals of a cursor, because rows after a reset must stay. */
function applyAll(rows: IDBObjectStore, changes: readonly Change[], onDone: () => void): void {
  for (const [index, change] of changes.entries()) {
    if (change.op === 'put') rows.put(change.row, makeRowKey(change.row))
    else if (change.op === 'delete') rows.delete(change.key)
    else {
      removeEach(rows, change, () => applyAll(rows, changes.slice(index + 1), onDone))
      return
    }
  }
  onDone()
}

function removeEach(
  rows: IDBObjectStore,
  change: Extract<Change, { readonly op: 'reset' | 'sweep' }>,
  onDone: () => void,
): void {
  const request = rows.openCursor(change.op === 'reset' ? rangeOf(change.type) : null)
  request.addEventListener('success', () => {
    const { result: cursor } = request
    if (cursor === null) return onDone()
    if (isRemoved(cursor.value as Row, change)) cursor.delete()
    cursor.continue()
  })
}

/** `!` is the character after the space. */
function rangeOf(type: string): IDBKeyRange {
  return IDBKeyRange.bound(`${type} `, `${type}!`, false, true)
}

/** Rejects without changes on an abort. @throws DOMException such as QuotaExceededError */
function finished(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(failure(transaction.error)))
  })
}

function failure(error: DOMException | null): Error {
  return error ?? new Error('IndexedDB gave up')
}

import { expect } from 'chai'
import type { Answer } from './server.ts'
import type { Json } from './server.ts'

export interface SyncedCopy {
  /** The data of the rows, by type and documentId. */
  readonly rows: ReadonlyMap<string, Json>
  /** `type reason` of each reset so far. */
  readonly resets: readonly string[]
  /** Reads until no more rows are ready. Waits for the next change, if `wait` is true. */
  read(wait?: boolean): Promise<void>
}

/** Follows `_sync` as a device does. */
export function openSyncedCopy(
  get: (path: string) => Promise<Pick<Answer, 'status' | 'body' | 'text'>>,
  scope: string,
  onItem: (item: Json) => void = () => undefined,
): SyncedCopy {
  const rows = new Map<string, Json>()
  const resets: string[] = []
  let token: string | null = null
  const take = (item: Json): void => {
    const { op, type, documentId, data, reason } = item
    const key = `${type} ${documentId}`
    if (op === 'put') rows.set(key, data)
    else if (op === 'delete') rows.delete(key)
    else {
      resets.push(`${type} ${reason}`)
      for (const held of rows.keys()) if (held.startsWith(`${type} `)) rows.delete(held)
    }
    onItem(item)
  }
  const page = async (wait: boolean): Promise<boolean> => {
    const asked = token === null ? scope : `token=${token}${wait ? '&wait=25' : ''}`
    const { status, body, text } = await get(`/api/_sync?${asked}`)
    expect(status, text).to.equal(200)
    for (const item of body.items as readonly Json[]) take(item)
    token = body.next as string
    return body.more === true
  }
  return {
    rows,
    resets,
    read: async (wait = false) => {
      let more = await page(wait)
      while (more) more = await page(false)
    },
  }
}

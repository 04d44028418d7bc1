import { open, rename, rm } from 'node:fs/promises'
import { type SnapshotFile, unfinished } from './snapshot-file.ts'

/** Like `GET /api/_sync` as NDJSON. Changes during the export appear again at the end. */
export async function openNdjsonFile(path: string): Promise<SnapshotFile> {
  const part = unfinished(path)
  const file = await open(part, 'w')
  // Unlike `write`, it also stores the rest after a short write of a nearly full disk.
  const append = (line: string): Promise<void> => file.appendFile(`${line}\n`)
  let rows = 0
  return {
    apply: async (items) => {
      rows += items.length
      for (const item of items) await append(item)
    },
    finish: async (token) => {
      await append(JSON.stringify({ next: token, more: false }))
      await file.sync()
      await file.close()
      await rename(part, path)
      return rows
    },
    abandon: async () => {
      await file.close()
      await rm(part, { force: true })
    },
  }
}

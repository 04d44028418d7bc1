// A process with a store in an SQLite file, which adds a file and sends it. `file-parts-killed.hard.test.ts` kills it.
import { openAsBlob } from 'node:fs'
import { sqliteStorage } from '@quire/client/sync'
import { openFileDevice } from './file-world.ts'
import { openDirectFile, openSqliteFile } from './sqlite-database.ts'

/** The first argument, as JSON. */
export interface FileTask {
  readonly kind: 'direct' | 'async'
  readonly database: string
  /** The file to add. Null sends the pending ones only. */
  readonly source: string | null
  readonly server: { readonly port: number; readonly contentTypesDir: string }
  readonly member: { readonly token: string; readonly documentId: string }
}

const task = JSON.parse(process.argv[2] ?? '') as FileTask
const open = task.kind === 'direct' ? openDirectFile : openSqliteFile
const device = await openFileDevice(task.server, task.member, {
  storage: sqliteStorage(open(task.database)),
})
process.stdout.write('open\n')
if (task.source !== null) {
  const added = await device.$files.add(await openAsBlob(task.source), { name: 'film.bin' })
  process.stdout.write(`${added}\n`)
}
await device.$sync()

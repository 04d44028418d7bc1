// A process with a store in an SQLite file, which adds a file and sends it. `file-parts-killed.hard.test.ts` kills it.
import { openAsBlob, writeSync } from 'node:fs'
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
  /** The step, a call of the database, at which the process writes `now` and goes on. Null for none. */
  readonly announced: number | null
}

const task = JSON.parse(process.argv[2] ?? '') as FileTask
const open = task.kind === 'direct' ? openDirectFile : openSqliteFile
let steps = 0
const database = new Proxy(open(task.database), {
  get: (target, name, receiver) => {
    steps += 1
    if (steps === task.announced) say('now')
    return Reflect.get(target, name, receiver)
  },
})
const device = await openFileDevice(task.server, task.member, { storage: sqliteStorage(database) })
if (task.source !== null) {
  say(`added ${await device.$files.add(await openAsBlob(task.source), { name: 'film.bin' })}`)
}
await device.$sync()
say(`steps ${steps}`)

/** Unlike `stdout`, at once. */
function say(line: string): void {
  writeSync(1, `${line}\n`)
}

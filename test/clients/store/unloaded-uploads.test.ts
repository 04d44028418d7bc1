import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { addMember } from '../../api/people/rules-world.ts'
import type { FileTask } from './file-child.ts'
import { serveFiles } from './file-world.ts'
import { openSqliteFile } from './sqlite-database.ts'

const CHILD = fileURLToPath(new URL('./file-child.js', import.meta.url))

/** As in a browser, where a failed import fails until the page is loaded again. */
const FAILING = `export const resolve = (name, context, next) => {
  if (name.endsWith('/upload-queued-file.js')) throw new TypeError('Failed to fetch')
  return next(name, context)
}`
const HOOK = `import { register } from 'node:module'; register(${JSON.stringify(toUrl(FAILING))})`

function toUrl(script: string): string {
  return `data:text/javascript,${encodeURIComponent(script)}`
}

describe('a store whose module for uploads cannot be loaded', function () {
  this.timeout(60_000)

  it('still loads the changes of others', async () => {
    const server = await serveFiles('unloaded_uploads')
    const folder = mkdtempSync(path.join(tmpdir(), 'quire-unloaded-'))
    try {
      const member = await addMember(server, 'anna')
      await server.post('/api/notes', { title: 'of others' })
      await server.settled()
      const source = path.join(folder, 'page.txt')
      writeFileSync(source, 'a page')
      const { contentTypesDir, port } = server
      const database = path.join(folder, 'store.db')
      const task: FileTask = {
        kind: 'async',
        database,
        source,
        member,
        server: { contentTypesDir, port },
        announced: null,
      }
      const child = spawn(process.execPath, ['--import', toUrl(HOOK), CHILD, JSON.stringify(task)])
      const [errors] = await Promise.all([text(child.stderr), once(child, 'close')])
      expect(errors).to.match(/PushDelayed/)
      const stored = openSqliteFile(database)
      const sql =
        "SELECT json_extract(value, '$.data.title') AS title FROM quire_rows WHERE type = 'note'"
      expect(await stored.getAllAsync(sql, [])).to.deep.equal([{ title: 'of others' }])
      stored.close()
    } finally {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

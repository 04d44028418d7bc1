import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type Answer, declare, serve, type TestServer } from '../support/server.ts'
import { startOwnClock } from '../support/own-clock.ts'
import { type KeepingDatabase, startKeepingDatabase } from './keeping-database.ts'

const CHILD = fileURLToPath(new URL('killed-in-transaction-child.js', import.meta.url))
/**
 * A process counts as lost after ten seconds without a heartbeat. This leaves five seconds to
 * notice that and to write.
 */
const WITHIN_MS = 15_000

describe('a process that is killed inside a transaction', function () {
  this.slow(30_000) // the test waits the promised ten seconds
  this.timeout(120_000)
  let database: KeepingDatabase
  let server: TestServer

  before(async () => {
    database = await startKeepingDatabase()
    server = await serve('killed', {
      uri: database.uri,
      contentTypes: {
        note: declare('note', { title: { type: 'string' } }, { draftAndPublish: true }),
      },
    })
  })
  after(async () => {
    await server.close()
    await database.stop()
  })

  it('blocks writes of the entry for at most fifteen seconds, with a 503 or 504', async () => {
    const { body } = await server.post('/api/notes?status=draft', { title: 'one' })
    const { documentId } = body.data
    const id = `${documentId}::draft`
    const child = spawn(
      process.execPath,
      [CHILD, database.uri, server.database, 'note_versions', id],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const elapsedMs = startOwnClock()
    const killedAt = performance.now()
    const answers: Answer[] = []
    for (;;) {
      const answer = await server.put(`/api/notes/${documentId}?status=draft`, { title: 'two' })
      answers.push(answer)
      if (answer.status === 200 || performance.now() - killedAt > 4 * WITHIN_MS) break
      await wait(250)
    }
    expect(elapsedMs(), 'ms').to.be.below(WITHIN_MS)
    for (const { status, headers, text } of answers.slice(0, -1)) {
      expect(status, text).to.be.oneOf([503, 504])
      expect(headers['retry-after']).to.equal('1')
    }
    const { data } = (await server.get(`/api/notes/${documentId}?status=draft`)).body
    expect(data.title).to.equal('two')
  })
})

import { expect } from 'chai'
import type { Document } from 'mongodb'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { openRelay, type Relay } from '../../../tools/bench/src/wire/relay.ts'
import { createMessageReader } from '../../../tools/bench/src/wire/wire-messages.ts'
import { testUri } from '../../support/test-database.ts'

const WRITES = ['insert', 'update', 'delete', 'findAndModify']

/** Returns the collection that a command outside transactions writes to, or null for other commands. */
function writtenBy(command: Document): string | null {
  const name = Object.keys(command)[0] ?? ''
  return WRITES.includes(name) && command['autocommit'] === undefined ? String(command[name]) : null
}

const isByMajority = (command: Document): boolean => command['writeConcern']?.w === 'majority'

describe('a server with w=1 in MONGODB_URI', () => {
  let relay: Relay
  let server: TestServer
  const commands: Document[] = []

  before(async () => {
    relay = await openRelay(await testUri(), (inbound, outbound) => {
      const note = createMessageReader(({ body }) => {
        if (body !== null) commands.push(body)
      })
      inbound.on('data', note).pipe(outbound).pipe(inbound)
    })
    server = await serve('w1', {
      uri: `mongodb://127.0.0.1:${relay.port}/?directConnection=true&w=1`,
      contentTypes: {
        note: declare('note', { text: { type: 'string' } }, { draftAndPublish: true }),
        thing: declare('thing', { text: { type: 'string' } }),
      },
    })
    const { body } = await server.post('/api/notes', { text: 'one' })
    await server.put(`/api/notes/${body.data.documentId}`, { text: 'two' })
    const headers = { 'idempotency-key': 'once' }
    await server.post('/api/things', { text: 'one' }, { headers })
    await server.settled()
  })
  after(async () => {
    await server.close()
    await relay.close()
  })

  it('writes the log, its head, leases and jobs with majority', () => {
    const system = commands.filter((command) => writtenBy(command)?.startsWith('quire_') === true)
    const collections = [...new Set(system.map(writtenBy))]
    expect(collections).to.include.members(['quire_heads', 'quire_commits', 'quire_leases'])
    const weak = system.filter((command) => !isByMajority(command)).map(writtenBy)
    expect([...new Set(weak)]).to.deep.equal([])
  })

  it('commits transactions with majority', () => {
    const commits = commands.filter((command) => 'commitTransaction' in command)
    expect(commits.length).to.be.above(0)
    expect(commits.every(isByMajority)).to.equal(true)
  })
})

import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { until } from '../../support/until.ts'
import { declare, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'

const LINES = 1_000

describe('POST /api/_bulk with passwords', () => {
  let server: TestServer
  before(async () => {
    server = await serve('bulk_hard', {
      contentTypes: {
        member: declare('member', {
          name: { type: 'string', unique: true },
          secret: { type: 'password' },
        }),
      },
      environment: { RATE_LIMIT: 'off' },
      passwords: openPasswords(), // the real cost of a production server
    })
  })
  after(() => server.close())

  it('responds to the first lines while other passwords are hashed, and stops hashing after a disconnect', async () => {
    const { port } = server
    const headers = {
      'Content-Type': 'application/x-ndjson',
      Authorization: `Bearer ${ROOT_TOKEN}`,
    }
    const sent = request({ port, host: '127.0.0.1', path: '/api/_bulk', method: 'POST', headers })
    sent.on('error', () => undefined)
    const lineOf = (name: string): string =>
      JSON.stringify({ op: 'upsert', type: 'member', key: { name }, data: { secret: name } })
    sent.end(Array.from({ length: LINES }, (_, nth) => `${lineOf(`member ${nth}`)}\n`).join(''))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.on('error', () => undefined)
    const lines = createInterface({ input: answer })[Symbol.asyncIterator]()
    expect(JSON.parse(String((await lines.next()).value))).to.include({ line: 1, status: 201 })
    sent.destroy()
    const count = async (): Promise<number> =>
      (await server.get('/api/members')).body.meta.pagination.total
    let before = -1
    await until(async () => {
      const now = await count()
      const isStill = now === before
      before = now
      if (!isStill) await new Promise((resolve) => setTimeout(resolve, 3_000))
      return isStill
    }, 60_000)
    expect(before).to.be.within(1, LINES - 1)
  })
})

import { expect } from 'chai'
import { examineWebhooks } from '../../../src/cli/doctor/examine-webhooks.ts'
import type { Finding } from '../../../src/cli/doctor/finding.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { compile, typeFile } from '../../schema/define.ts'

const NOTE = 'api::note.note'
const ATTRIBUTES = { title: { type: 'string' } }
const WHERE = { title: 'open' }

describe('quire doctor on webhooks', () => {
  let server: TestServer
  let ann: AdminClient

  const setRole = async (body: object): Promise<void> => {
    const path = '/admin/administrator-roles/hooks'
    const answer = await server.send('PUT', path, { body })
    expect(answer.status, answer.text).to.equal(200)
  }
  const manage = ['read', 'create', 'update'].map((verb) => ({ action: `admin::webhooks.${verb}` }))
  const find = { action: `${NOTE}.find` }

  before(async () => {
    const contentTypes = { note: declare('note', ATTRIBUTES) }
    server = await serve('doctor_webhooks', { contentTypes })
    const body = { type: 'hooks', name: 'Hooks', permissions: [...manage, find] }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Ann', ['hooks'])
    ann = await signIn(server, 'ann@example.org')
    const hook = { url: 'https://example.org/', events: ['entry.create'], types: [NOTE] }
    for (const [name, enabled] of [
      ['site', true],
      ['paused', false],
    ] as const) {
      const created = await ann.send('POST', '/admin/webhooks', { ...hook, name, enabled })
      expect(created.status, created.text).to.equal(201)
    }
  })
  after(() => server.close())

  const examined = async (): Promise<readonly Finding[]> => {
    const { uri, database: name } = server
    const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
    try {
      const schema = compile(typeFile('note', ATTRIBUTES))
      return await examineWebhooks(database, schema)
    } finally {
      await database.close()
    }
  }

  it('names enabled webhooks whose creator has a rule for their content', async () => {
    expect(await examined()).to.deep.equal([])
    await setRole({ permissions: manage, rules: [{ ...find, where: WHERE }] })
    const found = await examined()
    expect(found.map(({ check, level }) => [check, level])).to.deep.equal([['webhooks', 'warning']])
    expect(found[0]?.what).to.include(`site: its creator has ${NOTE}.find under a rule only`)
    await setRole({ permissions: [...manage, find], rules: [] })
    expect(await examined()).to.deep.equal([])
  })
})

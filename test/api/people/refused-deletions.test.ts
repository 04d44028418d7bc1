import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { ValidationError } from '../../../src/base/errors.ts'
import {
  USER_CONTENT,
  type UserContentRow,
} from '../../../src/content/deleted-users/user-content-rows.ts'
import { defineExtension } from '../../../src/extensions/extension.ts'
import type { BeforeWriteEvent } from '../../../src/extensions/write-hook.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const OWNER = {
  type: 'relation',
  relation: 'manyToOne',
  target: 'plugin::users-permissions.user',
  onUserDelete: 'delete',
}

describe('an extension that refuses to delete content of a deleted user', () => {
  let server: TestServer
  let client: MongoClient
  const events: BeforeWriteEvent[] = []
  let isRefusing = true

  const beforeWrite = (event: BeforeWriteEvent): undefined => {
    if (event.operation !== 'delete') return
    events.push(event)
    if (event.previous?.['text'] === 'locked' && isRefusing) {
      throw new ValidationError('The entry is locked')
    }
  }

  before(async () => {
    const locks = defineExtension({
      name: 'locks',
      contentTypes: { 'api::note.note': { beforeWrite } },
    })
    server = await serve('refused_deletions', {
      contentTypes: {
        note: declare(
          'note',
          { text: { type: 'string' }, owner: OWNER },
          { draftAndPublish: true },
        ),
      },
      extensions: [locks],
      environment: { RATE_LIMIT: 'off' },
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const work = () => client.db(server.database).collection<UserContentRow>(USER_CONTENT)
  const create = async (text: string, owner: string): Promise<string> => {
    const { status, body } = await server.post('/api/notes', { text, owner })
    expect(status).to.equal(201)
    return body.data.documentId
  }
  const isStored = async (note: string): Promise<boolean> =>
    (await server.get(`/api/notes/${note}?status=draft`)).status === 200

  it('keeps this entry, which is deleted when the extension permits it', async () => {
    const account = { username: 'ann', email: 'ann@example.org', password: 'secret of ann' }
    const made = await server.send('POST', '/api/users', { body: { ...account, role: 1 } })
    const { id, documentId } = made.body
    const locked = await create('locked', documentId)
    const free = [await create('a', documentId), await create('b', documentId)]
    expect((await server.delete(`/api/users/${id}`)).status).to.equal(200)
    const log: string[] = []
    await until(() => {
      log.push(...server.takeLog().map((line) => JSON.stringify(line)))
      return log.some((line) => line.includes('Extensions refuse to delete 1 documents'))
    }, 20_000)
    expect(log.join('\n')).to.include(locked)
    for (const note of free) expect(await isStored(note)).to.equal(false)
    expect(await isStored(locked)).to.equal(true)
    const principals = events.map(({ principal }) => principal.kind)
    expect(new Set(principals)).to.deep.equal(new Set(['root']))
    isRefusing = false
    await work().updateOne({ _id: documentId }, { $set: { dueAt: new Date(0) } })
    await until(async () => !(await isStored(locked)), 20_000)
    server.takeLog()
  })
})

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

const AUTHOR = { ...OWNER, onUserDelete: 'anonymize' }

describe('an extension that refuses to delete content of a deleted user', () => {
  let server: TestServer
  let client: MongoClient
  const events: BeforeWriteEvent[] = []
  let isRefusing = true
  const written: string[] = []
  const committed: string[] = []

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
      contentTypes: {
        'api::note.note': { beforeWrite },
        'api::letter.letter': {
          beforeWrite: ({ operation }) => void written.push(operation),
          afterCommit: ({ documentId }) => void committed.push(documentId),
        },
      },
    })
    server = await serve('refused_deletions', {
      contentTypes: {
        note: declare(
          'note',
          { text: { type: 'string' }, owner: OWNER },
          { draftAndPublish: true },
        ),
        letter: declare('letter', { author: AUTHOR }, { draftAndPublish: true }),
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
  const createUser = async (username: string): Promise<{ id: number; documentId: string }> => {
    const account = {
      username,
      email: `${username}@example.org`,
      password: `secret of ${username}`,
    }
    const { status, body } = await server.send('POST', '/api/users', {
      body: { ...account, role: 1 },
    })
    expect(status).to.equal(201)
    return body
  }
  const create = async (text: string, owner: string): Promise<string> => {
    const { status, body } = await server.post('/api/notes', { text, owner })
    expect(status).to.equal(201)
    return body.data.documentId
  }
  const isStored = async (note: string): Promise<boolean> =>
    (await server.get(`/api/notes/${note}?status=draft`)).status === 200

  it('keeps this entry, which is deleted when the extension permits it', async () => {
    const { id, documentId } = await createUser('ann')
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

  it('cannot keep the name of the user, and is told of the commit', async () => {
    const { id, documentId: author } = await createUser('bea')
    const { body } = await server.post('/api/letters', { author })
    const { documentId } = body.data
    await until(() => committed.length > 0, 20_000)
    committed.length = 0
    expect((await server.delete(`/api/users/${id}`)).status).to.equal(200)
    await until(() => committed.length > 0, 20_000)
    expect(committed).to.deep.equal([documentId])
    for (const status of ['draft', 'published']) {
      const answer = await server.get(`/api/letters/${documentId}?status=${status}&populate=author`)
      expect([answer.status, answer.body.data.author], status).to.deep.equal([200, null])
    }
    expect(written).to.deep.equal(['create'])
  })
})

import { expect } from 'chai'
import { type Db, MongoClient } from 'mongodb'
import {
  USER_CONTENT,
  type UserContentRow,
} from '../../src/content/deleted-users/user-content-rows.ts'
import { newDocumentId } from '../../src/mongo/versions/document-id.ts'
import { openWorld, type World } from '../faults/world.ts'
import { ROOT_TOKEN, type ServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'
import { ask } from './processes.ts'

const DOCUMENTS = 600
const WAIT_MS = 60_000

const TYPES = {
  note: {
    kind: 'collectionType',
    collectionName: 'notes',
    info: { singularName: 'note', pluralName: 'notes', displayName: 'Note' },
    options: { draftAndPublish: true },
    attributes: {
      text: { type: 'string' },
      owner: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'plugin::users-permissions.user',
        onUserDelete: 'delete',
      },
    },
  },
}

describe('the content of a deleted user', () => {
  let world: World
  let client: MongoClient
  let db: Db

  before(async () => {
    world = await openWorld('deleted_users', { types: TYPES })
    client = await MongoClient.connect(String(world.env['MONGODB_URI']))
    db = client.db(world.env['MONGODB_DATABASE'])
  })
  after(async () => {
    await world.remove()
    await client.close()
  })

  const addUser = async (server: ServerProcess, name: string) => {
    const body = {
      username: name,
      email: `${name}@example.org`,
      password: 'secret of all',
      role: 1,
    }
    const answer = await ask(server, 'POST', '/api/users', { body })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body as { readonly id: number; readonly documentId: string }
  }
  const addNotes = async (server: ServerProcess, owner: string, count: number): Promise<void> => {
    const lines = Array.from({ length: count }, (_, n) =>
      JSON.stringify({
        op: 'upsert',
        type: 'note',
        documentId: newDocumentId(),
        data: { text: String(n), owner },
      }),
    )
    const answer = await fetch(`${server.base}/api/_bulk`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-ndjson',
        authorization: `Bearer ${ROOT_TOKEN}`,
      },
      body: lines.join('\n'),
    })
    expect(answer.status, await answer.text()).to.equal(200)
  }
  const stored = (owner: string): Promise<number> =>
    db.collection('notes').countDocuments({ owner })
  const row = (user: string) => db.collection<UserContentRow>(USER_CONTENT).findOne({ _id: user })

  it('is deleted completely by another process if one is killed in the middle', async () => {
    const first = await world.start()
    const gone = await addUser(first, 'gone')
    const other = await addUser(first, 'other')
    await addNotes(first, gone.documentId, DOCUMENTS)
    await addNotes(first, other.documentId, 20)
    const [all, others] = [await stored(gone.documentId), await stored(other.documentId)]
    expect(all).to.be.at.least(DOCUMENTS)
    const answer = await ask(first, 'DELETE', `/api/users/${gone.id}`)
    expect(answer.status).to.equal(200)
    await until(async () => (await stored(gone.documentId)) < all, WAIT_MS)
    await first.kill()
    expect(await stored(gone.documentId), 'killed in the middle').to.be.within(1, all - 1)
    const second = await world.start()
    await until(async () => {
      const work = await row(gone.documentId)
      return work !== null && work.lease === null && work.dueAt.getTime() > Date.now() + WAIT_MS
    }, WAIT_MS)
    expect(await stored(gone.documentId)).to.equal(0)
    expect(await stored(other.documentId)).to.equal(others)
    expect(await db.collection('quire_trash').countDocuments({})).to.equal(0)
    expect(await db.collection('quire_trash_versions').countDocuments({})).to.equal(0)
    const past = { 'versions.content.owner': gone.documentId }
    expect(await db.collection('quire_commits').countDocuments(past)).to.equal(0)
    expect(second.complaints).to.deep.equal([])
  })
})

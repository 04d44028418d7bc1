import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { NumberedCommit } from '../../../src/mongo/commits/read-commits.ts'
import {
  contentIn,
  historyId,
  type HistoryRow,
} from '../../../src/mongo/connection/history-rows.ts'
import { until } from '../../support/until.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

describe('commits of requests', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('commit_log_api', {
      contentTypes: {
        note: declare(
          'note',
          {
            text: { type: 'string' },
            secret: { type: 'password' },
            keys: { type: 'component', component: 'shared.key', repeatable: true },
          },
          { draftAndPublish: true, history: true },
        ),
        'components/shared/key': {
          attributes: { name: { type: 'string' }, word: { type: 'password' } },
        },
        tag: declare('tag', { name: { type: 'string' } }),
      },
    })
    client = await MongoClient.connect(server.uri)
  })
  after(async () => {
    await client.close()
    await server.close()
  })

  const rows = () => client.db(server.database).collection<NumberedCommit>('quire_commits')

  /** The only commit of a request. */
  async function commitOf(requestId: string): Promise<NumberedCommit> {
    const found = await rows().find({ requestId }).toArray()
    expect(found.length, requestId).to.equal(1)
    return found[0] as NumberedCommit
  }

  const summaryOf = ({ items }: NumberedCommit): readonly string[] =>
    items.map(({ op, type, status, isNew }) => {
      return [op, type.split('.').at(-1), status, ...(isNew ? ['new'] : [])].join(' ')
    })
  const asked = (requestId: string) => ({ headers: { 'x-request-id': requestId } })

  it('records each change of content with its author and request', async () => {
    const { accessKey } = (
      await server.send('POST', '/admin/api-tokens', {
        body: { name: 'app', type: 'full-access' },
        ...asked('token'),
      })
    ).body.data
    const path = `/api/notes/${
      (
        await server.post(
          '/api/notes',
          { text: 'a', secret: 'word-of-the-test', keys: [{ name: 'k', word: 'of-a-key' }] },
          { token: accessKey, ...asked('create') },
        )
      ).body.data.documentId
    }`
    await server.put(`${path}?status=draft`, { text: 'b' }, asked('draft'))
    await server.send('POST', `${path}/actions/publish`, asked('publish'))
    await server.send('POST', `${path}/actions/unpublish`, asked('unpublish'))
    await server.delete(path, asked('delete'))
    await server.delete(path, asked('again'))

    const created = await commitOf('create')
    expect(created.by).to.deep.include({ kind: 'apiToken', name: 'app' })
    expect(summaryOf(created)).to.deep.equal(['put note published new', 'put note draft new'])
    expect((await commitOf('draft')).by).to.deep.equal({ kind: 'root', id: null, name: null })
    expect(summaryOf(await commitOf('draft'))).to.deep.equal(['put note draft'])
    expect(summaryOf(await commitOf('publish'))).to.deep.equal([
      'put note draft',
      'put note published',
    ])
    expect(summaryOf(await commitOf('unpublish'))).to.deep.equal(['delete note published'])
    expect(summaryOf(await commitOf('delete'))).to.deep.equal(['delete note draft'])
    expect(await rows().countDocuments({ requestId: 'again' }), 'nothing has changed').to.equal(0)
    expect(summaryOf(await commitOf('token'))).to.deep.equal(['put admin::api-token published'])
    const kept = client.db(server.database).collection<HistoryRow>('quire_commits')
    const documentId = created.items[0]?.documentId ?? ''
    const row = await kept.findOne({ _id: historyId(documentId, created._id) })
    const contents = [0, 1].map((item) => row && contentIn(row, item))
    expect(contents.map((content) => content?.['text'])).to.deep.equal(['a', 'a'])
    expect(contents.map((content) => content?.['status'])).to.deep.equal(['published', 'draft'])
    for (const content of contents) expect(content?.['keys'][0]).to.have.keys('id', 'name')
    for (const content of contents) {
      expect(content).not.to.have.any.keys(
        'secret',
        '_id',
        '_commit',
        '_revision',
        '_lock',
        '_state',
      )
    }
  })

  it('records changes of types without drafts, files, users, roles and locales', async () => {
    const tag = await server.post('/api/tags', { name: 'a' }, asked('tag'))
    await server.put(`/api/tags/${tag.body.data.documentId}`, { name: 'b' }, asked('tag2'))
    await server.send('POST', '/admin/locales', { body: { code: 'fr' }, ...asked('locale') })
    await server.send('DELETE', '/admin/locales/fr', asked('locale2'))
    await server.send('POST', '/admin/roles', {
      body: { type: 'editor', name: 'Editor' },
      ...asked('role'),
    })
    await server.send('DELETE', '/admin/roles/editor', asked('role2'))
    expect(summaryOf(await commitOf('tag'))).to.deep.equal(['put tag published new'])
    expect(await commitOf('tag')).not.to.have.property('history')
    expect(summaryOf(await commitOf('tag2'))).to.deep.equal(['put tag published'])
    expect(summaryOf(await commitOf('locale'))).to.deep.equal(['put locale published'])
    expect((await commitOf('locale2')).items[0]).to.include({ op: 'delete', locale: 'fr' })
    expect(summaryOf(await commitOf('role'))).to.deep.equal(['put role published'])
    expect(summaryOf(await commitOf('role2'))).to.deep.equal(['delete role published'])

    const uploaded = await server.send('POST', '/api/upload', {
      body: multipart({ files: [{ name: 'a.txt', content: 'a' }] }),
      headers: { ...MULTIPART, 'x-request-id': 'file' },
    })
    expect(uploaded.status, uploaded.text).to.equal(201)
    expect(summaryOf(await commitOf('file'))).to.deep.equal(['put file published new'])
  })

  it('numbers all commits and exposes the metrics of the log', async () => {
    await until(async () => (await rows().countDocuments({ pending: 1 })) === 0, 10_000)
    await server.settled() // the server learns the numbers after the database shows them
    const { text } = await server.send('GET', '/metrics')
    expect(text).to.match(/^quire_log_pending 0$/m)
    expect(text).to.match(/^quire_log_lag_seconds 0$/m)
    expect(Number(/^quire_log_head (\d+)$/m.exec(text)?.[1])).to.equal(
      await rows().countDocuments({ seq: { $gt: 0 } }),
    )
  })
})

describe('purges of an unreachable cache', () => {
  it('exposes the lag, the backlog and the failures as metrics', async () => {
    const server = await serve('purge_lag', {
      contentTypes: { note: declare('note', { text: { type: 'string' } }) },
      environment: {
        CDN_PURGE: 'url',
        CDN_PURGE_URL: 'http://127.0.0.1:9/', // closed port
        CACHE_TAGS: 'surrogate-key',
        CACHE_STALE_MS: '0',
        LOG_LEVEL: 'silent',
      },
    })
    try {
      await server.post('/api/notes', { text: 'a' })
      const measured = async (name: string): Promise<number> => {
        const { text } = await server.get('/metrics')
        return Number(new RegExp(`^quire_purge_${name} (\\S+)$`, 'm').exec(text)?.[1])
      }
      await until(async () => (await measured('failures')) > 0, 20_000)
      expect(await measured('behind')).to.be.at.least(1)
      expect(await measured('lag_seconds')).to.be.above(1) // purges wait for other processes
    } finally {
      await server.close()
    }
  })
})

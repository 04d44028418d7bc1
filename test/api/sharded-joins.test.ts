import { expect } from 'chai'
import { openFaultProxy } from '../faults/fault-proxy.ts'
import { testUri } from '../test-database.ts'
import { declare, serve, type TestServer } from './server.ts'

const relation = (more: object): object => ({
  type: 'relation',
  relation: 'manyToOne',
  target: 'api::note.note',
  ...more,
})

describe('content that is sharded, on MongoDB before 5.1', () => {
  let server: TestServer

  before(async () => {
    server = await serve('sharded_joins', {
      contentTypes: {
        note: declare(
          'note',
          {
            text: { type: 'string', pluginOptions: { i18n: { localized: true } } },
            parent: relation({ inversedBy: 'children' }),
            children: relation({ relation: 'oneToMany', mappedBy: 'parent' }),
          },
          { draftAndPublish: true, localized: true },
        ),
      },
      locales: ['fr'],
    })
    server.unjoinable.add('note_versions')
  })
  after(async () => server.close())

  const REFUSED = [
    'fallbackLocale=en&locale=fr',
    'hasPublishedVersion=true&status=draft',
    'sort=parent.parent.text',
    'sort=children.text',
  ]
  for (const query of REFUSED) {
    it(`is no 500 where ?${query} joins it`, async () => {
      const { status, body, text } = await server.get(`/api/notes?${query}`)
      expect([status, body.error.name], text).to.deep.equal([501, 'NotImplementedError'])
      expect(body.error.message).to.match(/sharded.*5\.1/)
    })
  }

  it('works for everything that joins nothing', async () => {
    const { body } = await server.post('/api/notes', { text: 'one' })
    const { documentId } = body.data
    await server.post('/api/notes', { text: 'two', parent: documentId })
    for (const query of [
      'sort=text&pagination[withCount]=true',
      'sort=parent.text',
      'filters[parent][text]=one&populate=parent',
      'filters[children][text]=two&populate=children',
      'locale=fr',
    ]) {
      const { status, text } = await server.get(`/api/notes?${query}`)
      expect(status, `${query}: ${text}`).to.equal(200)
    }
  })
})

const NOTE = { note: declare('note', { text: { type: 'string' } }) }

describe('a server whose MongoDB is too old', () => {
  it('does not start, and says which it needs', async () => {
    const proxy = await openFaultProxy(await testUri())
    proxy.arm((command) =>
      'buildInfo' in command
        ? { fate: 'carried out', answer: (_, said) => ({ ...said, version: '4.4.29' }) }
        : null,
    )
    try {
      const error = await serve('old_server', { uri: proxy.uri, contentTypes: NOTE }).then(
        async (server) => {
          await server.close()
          return null
        },
        (reason: unknown) => reason,
      )
      expect(String(error)).to.include('MongoDB 4.4.29 is too old: at least 5.0 is needed')
    } finally {
      await proxy.close()
    }
  })
})

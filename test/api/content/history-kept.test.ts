import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const TEXT = { text: { type: 'string' } }

/** A declaration with the `history` option. */
function saying(name: string, history: boolean, draftAndPublish: boolean): object {
  const declared = declare(name, TEXT, { draftAndPublish })
  return { ...declared, options: { draftAndPublish, history } }
}

describe('history by type', () => {
  let server: TestServer

  before(async () => {
    server = await serve('history_kept', {
      contentTypes: {
        page: declare('page', TEXT, { draftAndPublish: true }),
        draft: saying('draft', false, true),
        entry: declare('entry', TEXT),
        record: saying('record', true, false),
      },
    })
  })
  after(() => server.close())

  const kinds = [
    ['page', 'pages', 2, 'with draft & publish'],
    ['draft', 'drafts', 0, 'with draft & publish and without history'],
    ['entry', 'entrys', 0, 'without draft & publish'],
    ['record', 'records', 1, 'without draft & publish and with history'],
  ] as const
  for (const [name, path, writes, which] of kinds) {
    it(`keeps the history of a type ${which}: ${writes > 0 ? 'yes' : 'no'}`, async () => {
      const { body, status, text } = await server.post(`/api/${path}`, { text: 'a' })
      expect(status, text).to.equal(201)
      const { documentId } = body.data
      const history = await server.get(`/admin/history/api::${name}.${name}/${documentId}`)
      expect(history.status, history.text).to.equal(200)
      expect(history.body.data).to.have.lengthOf(writes)
    })
  }
})

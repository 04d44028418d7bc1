import { expect } from 'chai'
import type { Document } from 'mongodb'
import { type FaultProxy, openFaultProxy, type WireFault } from '../../faults/fault-proxy.ts'
import { testUri } from '../../support/test-database.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const contentTypes = {
  note: declare(
    'note',
    { text: { type: 'string', pluginOptions: { i18n: { localized: true } } } },
    { draftAndPublish: true, localized: true },
  ),
}

const saying = (more: Document): WireFault => ({
  fate: 'carried out',
  answer: (_, said) => ({ ...said, ...more }),
})

/** The error of MongoDB before 5.1, which cannot join sharded collections. */
const CANNOT_JOIN: WireFault = {
  fate: 'refused',
  answer: () => ({
    ok: 0,
    code: 28769,
    codeName: 'Location28769',
    errmsg: 'note_versions cannot be sharded',
  }),
}

describe('a server on an outdated MongoDB', () => {
  let proxy: FaultProxy
  let server: TestServer

  before(async () => {
    proxy = await openFaultProxy(await testUri())
    server = await serve('old_server', { uri: proxy.uri, contentTypes, locales: ['fr'] })
  })
  after(async () => {
    await server.close()
    await proxy.close()
  })
  afterEach(() => void proxy.disarm())

  const startsWith = async (answers: Readonly<Record<string, Document>>): Promise<string> => {
    proxy.arm((command) => {
      const name = Object.keys(answers).find((each) => each in command)
      return name === undefined ? null : saying(answers[name] ?? {})
    })
    const environment = { MONGODB_DATABASE: server.database }
    try {
      const second = await serve('old_server', { uri: proxy.uri, contentTypes, environment })
      await second.close()
      return 'started'
    } catch (error) {
      return String(error)
    }
  }

  it('does not start, and names the required version', async () => {
    expect(await startsWith({ buildInfo: { version: '4.4.29' } })).to.include(
      'MongoDB 4.4.29 is too old: at least 5.0 is needed',
    )
  })

  it('does not start with sharded content before 6.0, and names the collections', async () => {
    const collStats = { sharded: true }
    expect(await startsWith({ buildInfo: { version: '5.0.31' }, collStats })).to.match(
      /MongoDB 5\.0\.31 is too old: sharded content \(.*\bnote_versions\b.*\) needs 6\.0 at least/,
    )
    expect(await startsWith({ buildInfo: { version: '6.0.1' }, collStats })).to.equal('started')
  })

  for (const query of ['fallbackLocale=en&locale=fr', 'hasPublishedVersion=true&status=draft']) {
    it(`responds with 503 to ?${query} when content was sharded after the start`, async () => {
      const joins = (command: Document): boolean =>
        (command['pipeline'] as readonly Document[] | undefined)?.some(
          (stage) => '$lookup' in stage,
        ) ?? false
      proxy.arm((command) => (joins(command) ? CANNOT_JOIN : null))
      const { status, body, text } = await server.get(`/api/notes?${query}`)
      expect([status, body.error.name], text).to.deep.equal([503, 'ServiceUnavailableError'])
      expect(body.error.message).to.match(/sharded content.*6\.0/)
    })
  }
})

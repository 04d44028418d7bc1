import { expect } from 'chai'
import { pino } from 'pino'
import { nightlyDigest } from '../../../examples/extensions/nightly-digest.ts'
import type { ExtensionJob } from '../../../src/extensions/extension-job.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { BLOG_TYPES } from './content-types.ts'

const DAY_MS = 86_400_000

describe('examples/extensions/nightly-digest', () => {
  let server: TestServer
  let job: ExtensionJob

  before(async () => {
    const extension = nightlyDigest()
    const [only] = extension.jobs ?? []
    if (only === undefined) throw new Error('there is no job')
    job = only
    server = await serve('nightly_digest', { contentTypes: BLOG_TYPES, extensions: [extension] })
  })
  after(() => server.close())

  const run = async (at: Date): Promise<void> => {
    const { signal } = new AbortController()
    const log = pino({ level: 'silent' })
    await job.run({ content: server.contentFor('nightly-digest'), log, at, signal })
  }
  const digests = async (): Promise<readonly Json[]> =>
    (await server.get('/api/digests?populate=articles&sort=day')).body.data

  it('creates one digest for the articles of the last day', async () => {
    for (const title of ['One', 'Two']) {
      await server.post('/api/articles', { title, slug: title.toLowerCase() })
    }
    await server.post('/api/articles?status=draft', { title: 'Draft' })
    const soon = new Date(Date.now() + 60_000)
    await run(soon)
    await run(soon)
    const [digest, ...others] = await digests()
    expect(others).to.deep.equal([])
    expect(digest.day).to.equal(soon.toISOString().slice(0, 10))
    expect(digest.articles.map(({ title }: Json) => title)).to.deep.equal(['One', 'Two'])
  })

  it('creates no digest for a day without articles', async () => {
    await run(new Date(Date.now() + 3 * DAY_MS))
    expect(await digests()).to.have.length(1)
  })

  it('is planned for each morning, and catches up', () => {
    expect(job).to.include({ cron: '0 6 * * *', timeZone: 'UTC', catchUp: true })
    expect(server.takeLog()).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { newsletter } from '../../../examples/extensions/newsletter.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { BLOG_TYPES } from './content-types.ts'

const WAIT_MS = 30_000

describe('examples/extensions/newsletter', () => {
  let mailServer: MailServer
  let server: TestServer

  before(async () => {
    mailServer = await startMailServer()
    server = await serve('newsletter', {
      contentTypes: BLOG_TYPES,
      extensions: [
        newsletter({
          smtpUrl: mailServer.url,
          from: 'Blog <blog@example.org>',
          addressOf: (slug) => `https://example.org/articles/${slug}`,
        }),
      ],
    })
    for (const email of ['ann@example.org', 'ben@example.org']) {
      await server.post('/api/subscribers', { email })
    }
  })
  after(async () => {
    await server.close()
    await mailServer.close()
  })

  const mailed = async (documentId: string): Promise<boolean> => {
    const { body } = await server.get(`/api/mailings?filters[article]=${documentId}`)
    return body.data.length === 1
  }
  const publish = async (title: string): Promise<Json> => {
    const { body } = await server.post('/api/articles?status=draft', {
      title,
      slug: title.toLowerCase(),
    })
    const { documentId } = body.data
    await server.send('POST', `/api/articles/${documentId}/actions/publish`)
    return body.data
  }
  const mailsAbout = (title: string) =>
    mailServer.mails.filter(({ headers }) => headers.get('subject') === title)

  it('sends a published article to each subscriber, once', async () => {
    const { documentId } = await publish('Maps')
    await until(() => mailed(documentId), WAIT_MS)
    expect(mailsAbout('Maps').flatMap(({ to }) => to)).to.have.members([
      'ann@example.org',
      'ben@example.org',
    ])
    expect(mailsAbout('Maps')[0]?.text).to.include('https://example.org/articles/maps')
    await server.put(`/api/articles/${documentId}`, { body: 'changed' })
    const { documentId: next } = await publish('Globes')
    await until(() => mailed(next), WAIT_MS)
    expect(mailsAbout('Maps')).to.have.length(2)
  })

  it('repeats a failed call until every subscriber has the mail', async () => {
    mailServer.refuse(1)
    const { documentId } = await publish('Atlas')
    await until(() => mailed(documentId), WAIT_MS)
    const mails = mailsAbout('Atlas')
    expect(new Set(mails.flatMap(({ to }) => to))).to.deep.equal(
      new Set(['ann@example.org', 'ben@example.org']),
    )
    expect(new Set(mails.map(({ headers }) => headers.get('message-id'))).size).to.equal(2)
  })
})

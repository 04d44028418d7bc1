import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

/** The documented bound, and extra time for a loaded machine. */
const WITHIN_MS = 1_000
const SLACK_MS = 1_500

describe('access in two servers on one database', () => {
  let here: TestServer
  let there: TestServer

  before(async () => {
    const contentTypes = { note: declare('note', { text: { type: 'string' } }) }
    here = await serve('processes_a', { contentTypes })
    const environment = { MONGODB_DATABASE: here.database }
    there = await serve('processes_b', { contentTypes, environment })
  })
  after(async () => {
    await there.close()
    await here.close()
  })

  const untilStatus = (status: number, ask: () => Promise<Answer>): Promise<void> =>
    until(
      async () => (await ask()).status === status,
      WITHIN_MS + SLACK_MS,
      () => `waiting for ${status}`,
    )
  const list = (token: string | null) => () => there.get('/api/notes', { token })
  const permit = async (permissions: readonly string[]): Promise<void> => {
    const answer = await here.send('PUT', '/admin/roles/public', { body: { permissions } })
    expect(answer.status, answer.text).to.equal(200)
  }

  it('applies a changed role within a second', async () => {
    expect((await list(null)()).status).to.equal(403)
    await permit(['api::note.note.find'])
    await untilStatus(200, list(null))
    await permit([])
    await untilStatus(403, list(null))
  })

  it('accepts a token of another server at once', async () => {
    const fill = (): Promise<Answer> => list('0'.repeat(256))()
    expect((await fill()).status).to.equal(401)
    const body = { name: 'new', type: 'read-only' }
    const made = (await here.send('POST', '/admin/api-tokens', { body })).body.data
    expect((await list(made.accessKey)()).status).to.equal(200)
    expect((await fill()).status).to.equal(401)
    const renewed = await here.send('POST', `/admin/api-tokens/${made.id}/regenerate`)
    expect((await list(renewed.body.data.accessKey)()).status).to.equal(200)
  })

  it('applies a created, regenerated and deleted token within a second', async () => {
    const body = { name: 'app', type: 'read-only' }
    const made = (await here.send('POST', '/admin/api-tokens', { body })).body.data
    await untilStatus(200, list(made.accessKey))
    const path = `/admin/api-tokens/${made.id}`
    const renewed = (await here.send('POST', `${path}/regenerate`)).body.data
    await untilStatus(401, list(made.accessKey))
    await untilStatus(200, list(renewed.accessKey))
    expect((await here.send('DELETE', path)).status).to.equal(200)
    await untilStatus(401, list(renewed.accessKey))
  })
})

import { expect } from 'chai'
import { until } from '../support/until.ts'
import { type Answer, declare, serve, type TestServer } from './server.ts'

/** As documented, and what a request on a loaded machine may take. */
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

  /** On a slow machine the bound is a number of requests. */
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

  it('holds within a second for a role', async () => {
    expect((await list(null)()).status).to.equal(403)
    await permit(['api::note.note.find'])
    await untilStatus(200, list(null))
    await permit([])
    await untilStatus(403, list(null))
  })

  it('holds within a second for a token, made, regenerated and removed', async () => {
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

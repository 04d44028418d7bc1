import { expect } from 'chai'
import type { ServerProcess } from '../support/server-process.ts'
import { declare, type Json } from '../support/server.ts'
import { type Answer, ask, PROCESSES, type Processes, startProcesses } from './processes.ts'

const TYPES = { note: declare('note', { text: { type: 'string' } }) }

describe('sign-ins at four processes', () => {
  let processes: Processes
  let addresses = 0

  before(async () => {
    processes = await startProcesses('signing_in', TYPES, { UP_JWT_MANAGEMENT: 'refresh' })
  })
  after(async () => {
    await processes.close()
  })

  const serverAt = (index: number): ServerProcess =>
    processes.servers[index % PROCESSES] ?? expect.fail('no process')
  /** Sends from a new address, unless one is given, because attempts are counted by address. */
  const send = (
    index: number,
    target: string,
    body: object,
    address = `10.0.0.${(addresses += 1)}`,
  ): Promise<Answer> =>
    ask(serverAt(index), 'POST', target, {
      body,
      token: null,
      headers: { 'x-forwarded-for': address },
    })
  const register = async (name: string): Promise<Json> => {
    const body = { username: name, email: `${name}@example.org`, password: `secret of ${name}` }
    const answer = await send(0, '/api/auth/local/register', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body
  }
  const statusOfMe = async (jwt: string): Promise<readonly number[]> => {
    const answers = await Promise.all(
      processes.servers.map((server) => ask(server, 'GET', '/api/users/me', { token: jwt })),
    )
    return answers.map(({ status }) => status)
  }
  const onAll = (status: number): readonly number[] => processes.servers.map(() => status)

  it('keeps a session across processes, and ends it in all of them', async () => {
    let { jwt, refreshToken } = await register('ann')
    for (let index = 1; index <= PROCESSES; index += 1) {
      expect(await statusOfMe(jwt)).to.deep.equal(onAll(200))
      const answer = await send(index, '/api/auth/refresh', { refreshToken })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
      ;({ jwt, refreshToken } = answer.body)
    }
    const out = await ask(serverAt(2), 'POST', '/api/auth/logout', { token: jwt })
    expect(out.status, JSON.stringify(out.body)).to.be.oneOf([200, 204])
    expect(await statusOfMe(jwt)).to.deep.equal(onAll(401))
    expect((await send(3, '/api/auth/refresh', { refreshToken })).status).to.equal(401)
  })

  it('counts the attempts of all processes together, by address and by account', async () => {
    const attempt = (identifier: string, address?: string) => async (_: unknown, index: number) =>
      (await send(index, '/api/auth/local', { identifier, password: 'wrong' }, address)).status
    const count = (statuses: readonly number[]) => ({
      refused: statuses.filter((status) => status === 400).length,
      limited: statuses.filter((status) => status === 429).length,
    })
    await intoOneMinute()
    const fromOne = Array.from({ length: 24 }, (_, index) => `nobody${index}`).map((name, index) =>
      attempt(name, '10.1.0.1')(null, index),
    )
    expect(count(await Promise.all(fromOne))).to.deep.equal({ refused: 10, limited: 14 })
    await intoOneMinute()
    const atOne = Array.from({ length: 40 }, () => null).map(attempt('nobody'))
    expect(count(await Promise.all(atOne))).to.deep.equal({ refused: 30, limited: 10 })
  })
})

/** Attempts are counted per minute, so those of a test must not span two minutes. */
async function intoOneMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 8_000) await new Promise((resolve) => setTimeout(resolve, left))
}

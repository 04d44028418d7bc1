import { expect } from 'chai'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { addAdministrator } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

/** Attempts of each kind. */
const TRIES = Number(process.env['SIGN_IN_TRIES'] ?? 60)
/**
 * The bound of `rankTest`. False alarms have a probability of 1 in 16,000. If only one of the two
 * kinds hashes, z is 9.
 */
const MAX_Z = 4
const PASSWORD = 'correct horse battery'

interface Kind {
  readonly path: string
  readonly bodyOf: (n: number) => object
}

const user = (identifierOf: (n: number) => string): Kind => ({
  path: '/api/auth/local',
  bodyOf: (n) => ({ identifier: identifierOf(n), password: `wrong ${n}` }),
})
const administrator = (emailOf: (n: number) => string): Kind => ({
  path: '/admin/session',
  bodyOf: (n) => ({ email: emailOf(n), password: `wrong ${n}` }),
})

/** The two kinds of a pair must take the same time: a known account and an unknown one. */
const PAIRS: Readonly<Record<string, readonly [Kind, Kind]>> = {
  'end users by name': [user(() => 'known'), user((n) => `nobody${n}`)],
  'end users by address': [user(() => 'known@example.org'), user((n) => `nobody${n}@example.org`)],
  'blocked end users': [user(() => 'blocked'), user((n) => `nobody${n}`)],
  administrators: [
    administrator(() => 'ada@example.org'),
    administrator((n) => `nobody${n}@example.org`),
  ],
}

describe(`the time of ${TRIES} failed sign-ins of known and unknown accounts`, () => {
  let server: TestServer

  before(async () => {
    server = await serve('sign_in_times', {
      contentTypes: { note: declare('note', { text: { type: 'string' } }) },
      environment: { RATE_LIMIT: 'off' },
      passwords: openPasswords(),
    })
    await addAdministrator(server, 'Ada', ['administrator'])
    for (const name of ['known', 'blocked']) {
      const email = `${name}@example.org`
      const body = { username: name, email, password: PASSWORD }
      const made = await server.send('POST', '/api/auth/local/register', { body, token: null })
      expect(made.status, made.text).to.equal(200)
      if (name !== 'blocked') continue
      const { id } = made.body.user
      await server.send('PUT', `/api/users/${id}`, { body: { blocked: true } })
    }
  })
  after(() => server.close())

  async function timeOf({ path, bodyOf }: Kind, n: number): Promise<number> {
    const headers = { 'sec-fetch-site': 'same-origin' }
    const started = performance.now()
    const answer = await server.send('POST', path, { token: null, headers, body: bodyOf(n) })
    const ms = performance.now() - started
    expect(answer.status, answer.text).to.equal(400)
    return ms
  }

  for (const [caller, pair] of Object.entries(PAIRS)) {
    it(`reveals no account: ${caller}`, async function () {
      this.timeout(30_000 + 2_000 * TRIES)
      const times: readonly [number[], number[]] = [[], []]
      for (let n = 0; n < TRIES; n += 1) {
        // Alternate the order, so that a busy machine slows both kinds.
        for (const at of n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
          times[at].push(await timeOf(pair[at], n))
        }
      }
      const [known, unknown] = times.map(median) as [number, number]
      const z = rankTest(...times)
      const told = `${known.toFixed(2)} and ${unknown.toFixed(2)} ms, z ${z.toFixed(2)}`
      if (this.test !== undefined) this.test.title += `: ${told}`
      expect(Math.abs(z), told).to.be.below(MAX_Z)
    })
  }
})

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

/** The rank test of Mann and Whitney. Samples of one distribution usually differ by at most 2. */
function rankTest(one: readonly number[], other: readonly number[]): number {
  const all = [
    ...one.map((ms) => ({ ms, isOne: true })),
    ...other.map((ms) => ({ ms, isOne: false })),
  ]
  const sorted = all.toSorted((a, b) => a.ms - b.ms)
  const ranks = sorted.reduce((sum, { isOne }, at) => sum + (isOne ? at + 1 : 0), 0)
  const [n, m] = [one.length, other.length]
  const u = ranks - (n * (n + 1)) / 2
  return (u - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12)
}

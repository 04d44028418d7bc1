import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const KEYS = Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [`k${index}`, 1]))
const PARTS = Array.from({ length: 5_000 }, () => ({ a: 1, b: 1 }))

describe('a body with very many faults', () => {
  let server: TestServer
  before(async () => {
    server = await serve('faults', {
      contentTypes: {
        note: declare('note', {
          text: { type: 'blocks' },
          data: { type: 'json' },
          parts: { type: 'component', component: 'shared.part', repeatable: true },
        }),
        'components/shared/part': {
          info: { displayName: 'Part' },
          attributes: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } },
        },
      },
      environment: { RATE_LIMIT: 'off' },
    })
  })
  after(() => server.close())

  for (const [method, path, body] of [
    ['POST', '/api/notes', { data: { text: Array.from({ length: 250_000 }, () => ({})) } }],
    [
      'POST',
      '/api/notes',
      { data: { text: [{ type: 'quote', children: Array(200_000).fill(1) }] } },
    ],
    ['POST', '/api/notes', { data: { parts: PARTS } }],
    ['POST', '/api/notes', { data: KEYS }],
    ['PUT', '/admin/roles/public', KEYS],
    ['PUT', '/admin/roles/public', { permissions: Array(250_000).fill(1) }],
    [
      'POST',
      '/admin/api-tokens',
      { name: 'x', type: 'custom', permissions: Array(9_000).fill('a') },
    ],
    ['POST', '/api/auth/local/register', KEYS],
    ['POST', '/api/users', KEYS],
  ] as const) {
    it(`is refused with at most a hundred faults: ${method} ${path} ${start(body)}`, async () => {
      const sent = JSON.stringify(body)
      const answer = await server.send(method, path, { body: sent })
      expect(answer.status, answer.text.slice(0, 500)).to.equal(400)
      const { errors = [] } = answer.body.error.details as { errors?: readonly object[] }
      expect(errors.length).to.be.at.most(100)
      // A fault may contain the sent value.
      expect(answer.text.length).to.be.below(sent.length + 50_000)
    })
  }
})

function start(body: object): string {
  return JSON.stringify(body).slice(0, 40)
}

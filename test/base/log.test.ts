import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { createLog } from '../../src/base/log.ts'
import type { Log } from '../../src/base/log.ts'

function recorded(level: 'info' | 'debug' = 'info'): {
  log: Log
  lines: Record<string, unknown>[]
} {
  const lines: Record<string, unknown>[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  return { log: createLog({ logLevel: level, production: true }, destination), lines }
}

describe('createLog', () => {
  it('writes one JSON object per line with level name and ISO 8601 time', () => {
    const { log, lines } = recorded()
    log.info({ method: 'GET' }, 'request')
    expect(lines).to.have.length(1)
    expect(lines[0]).to.include({ level: 'info', method: 'GET', msg: 'request' })
    expect(String(lines[0]?.['time'])).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  for (const end of ['exit', 'throw']) {
    it(`writes every line in order when the process ends by ${end}`, async () => {
      const child = fileURLToPath(new URL('../support/log-child.js', import.meta.url))
      const text = await new Promise<string>((resolve) => {
        execFile(process.execPath, [child, end], (_, stdout) => resolve(stdout))
      })
      const messages = text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { readonly msg: string }).msg)
      const before = Array.from({ length: 100 }, () => 'before')
      expect(messages).to.deep.equal([...before, 'between', 'after'])
    })
  }

  it('omits lines below its level', () => {
    const { log, lines } = recorded()
    log.debug('no')
    expect(lines).to.deep.equal([])
  })

  it('writes an error with its stack and cause', () => {
    const { log, lines } = recorded()
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
    const err = lines[0]?.['err'] as Record<string, string>
    expect(err['message']).to.include('outer')
    expect(err['stack']).to.include('outer').and.include('inner')
  })

  const secrets: readonly [string, unknown][] = [
    ['a header', { headers: { authorization: 'Bearer hunter2', host: 'h' } }],
    ['a header in another case', { headers: { Authorization: 'hunter2' } }],
    ['cookies', { headers: { cookie: 'hunter2', 'set-cookie': ['hunter2'] } }],
    ['a password', { body: { identifier: 'a', password: 'hunter2' } }],
    [
      'passwords of a password change',
      { currentPassword: 'hunter2', passwordConfirmation: 'hunter2' },
    ],
    ['a token in a list', { tokens: [{ token: 'hunter2' }, { access_token: 'hunter2' }] }],
    ['a JWT', { jwt: 'hunter2', nested: { refreshToken: 'hunter2' } }],
    ['keys of a storage', { s3: { secretAccessKey: 'hunter2', accessKeyId: 'hunter2' } }],
    ['an object without a prototype', Object.assign(Object.create(null), { password: 'hunter2' })],
    ['a connection string', { uri: 'mongodb://root:hunter2@h.example/x' }],
    [
      'a connection string with an @ in its password',
      { uri: 'mongodb+srv://root:hun@hunter2@h.example' },
    ],
    ['a mail server', { smtp: 'smtps://user:hunter2@mail.example' }],
    ['a credential inside a text', { text: 'header was "Bearer hunter2.x-y_z"' }],
    ['a token in an address', { url: '/reset?code=hunter2&x=1' }],
    ['a message of an error', { err: new Error('cannot reach mongodb://u:hunter2@h') }],
  ]
  for (const [label, fields] of secrets) {
    it(`redacts ${label}`, () => {
      const { log, lines } = recorded()
      log.info(fields, 'x')
      expect(JSON.stringify(lines)).not.to.include('hunter2')
      expect(JSON.stringify(lines)).to.include('[redacted]')
    })
  }

  it('redacts secrets in the message and in child loggers', () => {
    const { log, lines } = recorded()
    log
      .child({ password: 'hunter2', uri: 'mongodb://a:hunter2@h' })
      .info('at mongodb://a:hunter2@h')
    expect(JSON.stringify(lines)).not.to.include('hunter2')
    expect(lines[0]?.['msg']).to.equal('at mongodb://[redacted]@h')
  })

  it('leaves other values unchanged', () => {
    const { log, lines } = recorded()
    const fields = {
      url: '/api/articles?sort=title',
      mail: 'a@b.example',
      at: new Date(0),
      n: null,
    }
    log.info(fields)
    expect(lines[0]).to.deep.include({ ...fields, at: '1970-01-01T00:00:00.000Z' })
  })

  it('does not modify its input and supports circular objects', () => {
    const { log, lines } = recorded()
    const ring: Record<string, unknown> = { password: 'hunter2' }
    ring['self'] = ring
    log.info(ring)
    expect(lines).to.have.length(1)
    expect(ring['password']).to.equal('hunter2')
  })
})

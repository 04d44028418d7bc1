import { expect } from 'chai'
import { examineSettings } from '../../../src/cli/doctor/examine-settings.ts'
import { readConfig } from '../../../src/base/config/config.ts'

const STRONG = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://h',
  JWT_SECRET: 'j'.repeat(32),
  ROOT_API_TOKEN: 'r'.repeat(32),
  CORS_ORIGIN: 'https://app.example.org',
  PUBLIC_URL: 'https://cms.example.org',
  SMTP_URL: 'smtp://mail.example.org',
  IMAGE_SIGNING_KEY: 'k'.repeat(32),
}

describe('examineSettings', () => {
  it('reports no weak setting for a strong configuration', () => {
    expect(examineSettings(readConfig(STRONG))).to.deep.equal([
      { check: 'settings', level: 'ok', what: 'no weak settings' },
    ])
  })

  const weak: readonly (readonly [RegExp, Record<string, string>])[] = [
    [/^RATE_LIMIT is off/, { RATE_LIMIT: 'off' }],
    [/^CORS_ORIGIN is \*/, { CORS_ORIGIN: '*' }],
    [/^JWT_SECRET has fewer than 32/, { JWT_SECRET: 'j'.repeat(31) }],
    [/^ROOT_API_TOKEN has fewer than 32/, { ROOT_API_TOKEN: 'r'.repeat(31) }],
    [/^IMAGE_SIGNING_KEY is missing/, { IMAGE_SIGNING_KEY: '' }],
    [/^SMTP_URL is missing/, { SMTP_URL: '' }],
    [/^QUIRE_ALLOW_STANDALONE is on/, { QUIRE_ALLOW_STANDALONE: 'on' }],
    [
      /^PUBLIC_URL is not https/,
      {
        UP_JWT_MANAGEMENT: 'refresh',
        UP_SESSIONS_HTTPONLY: 'on',
        PUBLIC_URL: 'http://cms.example.org',
      },
    ],
  ]
  for (const [label, settings] of weak) {
    it(`warns in production and leaves a note elsewhere: ${label.source}`, () => {
      const [warned, ...others] = examineSettings(readConfig({ ...STRONG, ...settings }))
      expect(warned?.what).to.match(label)
      expect([warned?.level, others]).to.deep.equal(['warning', []])
      const noted = examineSettings(readConfig({ ...STRONG, ...settings, NODE_ENV: '' }))
      expect(noted.map(({ level }) => level)).to.deep.equal(['note', 'note'])
    })
  }

  it('never prints a secret', () => {
    const short = { JWT_SECRET: 'hunter2', ROOT_API_TOKEN: 'hunter2' }
    const found = examineSettings(readConfig({ ...STRONG, ...short }))
    expect(found).to.have.length(2)
    expect(JSON.stringify(found)).to.not.include('hunter2')
  })
})

import { expect } from 'chai'
import * as fc from 'fast-check'
import { type FileSettings, readConfig } from '../../../src/base/config/config.ts'
import { memberOf, readMembers, type SettingsInCode } from '../../../src/base/config/members.ts'
import { findNearMisses } from '../../../src/base/config/near-misses.ts'
import { readSignInProviders } from '../../../src/base/config/sign-in-providers.ts'
import { ConfigError } from '../../../src/base/errors.ts'

function faultsOf(env: Readonly<Record<string, string>>, file?: FileSettings): readonly string[] {
  try {
    readConfig(env, file)
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

describe('variables of sign-in providers', () => {
  it('describe one provider per name', () => {
    const { providers, faults } = readSignInProviders({
      SIGN_IN_GOOGLE_CLIENT_IDS: ' ios , web ',
      SIGN_IN_ACME_CLIENT_IDS: 'app',
      SIGN_IN_ACME_ISSUER: 'https://login.example.org/realms/app',
      SIGN_IN_ACME_CLIENT_SECRET: 'secret',
      SIGN_IN_ACME_REDIRECTS: 'https://app.example.org/a,myapp://b',
      SIGN_IN_APPLE_CLIENT_IDS: '',
    })
    expect(faults).to.deep.equal([])
    expect([...providers.values()]).to.deep.equal([
      {
        name: 'google',
        issuer: 'https://accounts.google.com',
        clientIds: ['ios', 'web'],
        clientSecret: null,
        scope: 'openid email profile',
        redirects: [],
      },
      {
        name: 'acme',
        issuer: 'https://login.example.org/realms/app',
        clientIds: ['app'],
        clientSecret: 'secret',
        scope: 'openid email profile',
        redirects: ['https://app.example.org/a', 'myapp://b'],
      },
    ])
  })

  it('are refused with the name of the variable', () => {
    const wrong: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ['SIGN_IN_ACME_ISSUER', { SIGN_IN_ACME_CLIENT_IDS: 'app' }],
      ['SIGN_IN_GOOGLE_CLIENT_IDS', { SIGN_IN_GOOGLE_SCOPE: 'openid' }],
      ['SIGN_IN_GOOGLE_CLIENT_IDS', { SIGN_IN_GOOGLE_CLIENT_IDS: ' , ' }],
      ['SIGN_IN_A_ISSUER', { SIGN_IN_A_CLIENT_IDS: 'app', SIGN_IN_A_ISSUER: 'http://a.example' }],
      ['SIGN_IN_A_ISSUER', { SIGN_IN_A_CLIENT_IDS: 'app', SIGN_IN_A_ISSUER: 'http://127.0.0.1:1' }],
      ['SIGN_IN_APPLE_SCOPE', { SIGN_IN_APPLE_CLIENT_IDS: 'app', SIGN_IN_APPLE_SCOPE: 'email' }],
      [
        'SIGN_IN_LOCAL_CLIENT_IDS',
        { SIGN_IN_LOCAL_CLIENT_IDS: 'a', SIGN_IN_LOCAL_ISSUER: 'https://a.b' },
      ],
      [
        'SIGN_IN_APPLE_REDIRECTS',
        { SIGN_IN_APPLE_CLIENT_IDS: 'app', SIGN_IN_APPLE_REDIRECTS: 'javascript:alert(1)' },
      ],
    ]
    for (const [variable, env] of wrong) {
      const [fault = '', ...others] = faultsOf(env)
      expect(fault.startsWith(`${variable}: `), `${variable} ${fault}`).to.equal(true)
      expect(others).to.deep.equal([])
    }
  })

  it('have members in the configuration file, and win over them', () => {
    const given: SettingsInCode = {
      signIn: {
        google: { clientIds: ['ios', 'web'] },
        acme: { issuer: 'https://login.example.org', clientIds: 'app', scope: 'openid' },
      },
    }
    const { values, faults } = readMembers(given)
    expect(faults).to.deep.equal([])
    const file = { values, label: memberOf }
    const env = { SIGN_IN_ACME_CLIENT_IDS: 'other', SIGN_IN_GOOGLE_CLIENT_IDS: ' ' }
    const { signInProviders } = readConfig(env, file).endUsers
    expect(signInProviders.get('google')?.clientIds).to.deep.equal(['ios', 'web'])
    expect(signInProviders.get('acme')).to.deep.include({
      issuer: 'https://login.example.org',
      clientIds: ['other'],
      scope: 'openid',
    })
  })

  it('have the effect of their members for every text', () => {
    const texts = fc.oneof(
      fc.constantFrom('a', 'a,b', ' ', '', 'https://a.example', 'http://a.example', 'openid email'),
      fc.string(),
    )
    const member = fc.constantFrom('issuer', 'clientIds', 'clientSecret', 'scope', 'redirects')
    fc.assert(
      fc.property(fc.dictionary(member, texts), (acme) => {
        const { values } = readMembers({ signIn: { acme } })
        const file = { values, label: (name: string) => name }
        const read = (run: () => unknown): unknown => {
          try {
            return run()
          } catch (error) {
            return String(error)
          }
        }
        expect(read(() => readConfig({}, file))).to.deep.equal(read(() => readConfig(values)))
      }),
    )
  })

  it('are named by their members in faults of the file', () => {
    const wrong: readonly [SettingsInCode['signIn'], string][] = [
      [{ acme: { clientIds: ['app'] } }, 'signIn.acme.issuer: must be given'],
      [{ google: { scope: 'openid' } }, 'signIn.google.clientIds: must be given'],
      [
        { acme: { clientIds: ['app'], issuer: 'http://127.0.0.1:1' } },
        'signIn.acme.issuer: must be an https:// address; OIDC_ALLOW_HTTP=on allows http:// in development',
      ],
    ]
    for (const [signIn, fault] of wrong) {
      const { values } = readMembers({ signIn })
      expect(faultsOf({}, { values, label: memberOf })).to.deep.equal([fault])
    }
  })

  it('allow a plain issuer on this machine in development', () => {
    const env = { SIGN_IN_A_CLIENT_IDS: 'app', SIGN_IN_A_ISSUER: 'http://127.0.0.1:1' }
    expect(faultsOf({ ...env, OIDC_ALLOW_HTTP: 'on' })).to.deep.equal([])
  })

  it('link accounts by address only if addresses are confirmed', () => {
    const [fault = ''] = faultsOf({ SIGN_IN_LINK_BY_EMAIL: 'on' })
    expect(fault).to.match(/^SIGN_IN_LINK_BY_EMAIL: needs EMAIL_CONFIRMATION=on/)
    const both = { SIGN_IN_LINK_BY_EMAIL: 'on', EMAIL_CONFIRMATION: 'on' }
    expect(faultsOf(both)).to.deep.equal([])
  })

  it('are suggested for misspelled ones', () => {
    const [hint = '', ...others] = findNearMisses({ SIGN_IN_GOOGLE_CLIENT_ID: 'app' })
    expect(hint).to.include('SIGN_IN_GOOGLE_CLIENT_ID is not a variable of Quire')
    expect(others).to.deep.equal([])
  })
})

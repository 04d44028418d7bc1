import { expect } from 'chai'
import { mergeClaims } from '../../../src/people/sign-in/oidc-client.ts'

describe('mergeClaims', () => {
  const email = 'ada@example.org'

  it('accepts email_verified only from the source of the email', () => {
    expect(mergeClaims({ email_verified: true }, { email })).to.include({
      email,
      email_verified: undefined,
    })
    expect(mergeClaims({ email_verified: true }, { email, email_verified: false })).to.include({
      email,
      email_verified: false,
    })
    expect(mergeClaims({ email }, { email: 'eve@example.org', email_verified: true })).to.include({
      email,
      email_verified: undefined,
    })
    expect(mergeClaims({}, { email, email_verified: true })).to.include({
      email,
      email_verified: true,
    })
  })

  it('prefers claims of the token and fills gaps from the provider', () => {
    const merged = mergeClaims(
      { sub: 'a', groups: ['x'] },
      { sub: 'b', name: 'Ada', groups: ['y'] },
    )
    expect(merged).to.deep.include({ sub: 'a', name: 'Ada', groups: ['x'] })
  })
})

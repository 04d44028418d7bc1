import { expect } from 'chai'
import { claimedAddress } from '../../../src/people/sign-in/claimed-address.ts'

describe('claimedAddress', () => {
  it('returns a plain address in lower case', () => {
    expect(claimedAddress('Ann.B+news@Example.ORG')).to.equal('ann.b+news@example.org')
    expect(claimedAddress('ÉLISE@example.org')).to.equal('élise@example.org')
  })

  it('returns null for other claims', () => {
    const others = [
      undefined,
      null,
      '',
      5,
      ['ann@example.org'],
      { $gt: '' },
      ' ann@example.org',
      'ann@example.org,eve@example.org',
      'ann@example.org\r\nBcc: eve@example.org',
      'Ann <ann@example.org>',
      `${'a'.repeat(300)}@example.org`,
    ]
    for (const claim of others) expect(claimedAddress(claim), JSON.stringify(claim)).to.equal(null)
  })

  it('returns null if the lower case is the address of somebody else', () => {
    expect('\u212Aim@example.org'.toLowerCase()).to.equal('kim@example.org')
    expect(claimedAddress('\u212Aim@example.org')).to.equal(null)
  })
})

import { expect } from 'chai'
import { UnauthorizedError } from '../../../src/base/errors.ts'
import { openUserTokens } from '../../../src/people/accounts/user-tokens.ts'

describe('openUserTokens', () => {
  const seconds = 1_800_000_000
  const at = (second: number) => openUserTokens('secret', () => new Date(second * 1_000 + 999))

  it('issues tokens for the current second or the second from which tokens are valid', async () => {
    const tokens = at(seconds)
    const issued = async (tokensFrom: number) =>
      tokens.verify(await tokens.sign({ id: 7, tokensFrom }))
    expect(await issued(0)).to.deep.equal({
      id: 7,
      issuedAt: seconds,
      session: null,
      anonymous: null,
    })
    expect(await issued(seconds + 1)).to.deep.equal({
      id: 7,
      issuedAt: seconds + 1,
      session: null,
      anonymous: null,
    })
  })

  it('includes the session and expires after the configured lifetime', async () => {
    const tokens = openUserTokens('secret', () => new Date(seconds * 1_000), 60)
    const token = await tokens.sign({ id: 7, tokensFrom: 0 }, 'phone')
    expect(await tokens.verify(token)).to.deep.include({ session: 'phone' })
    const later = await at(seconds + 60)
      .verify(token)
      .catch((error: unknown) => error)
    expect(later).to.be.instanceOf(UnauthorizedError)
  })
})

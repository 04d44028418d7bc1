import { expect } from 'chai'
import type { Context } from 'koa'
import { ROOT } from '../../../src/people/access/principal.ts'
import { UnauthorizedError } from '../../../src/base/errors.ts'
import { authenticate } from '../../../src/http/middleware/authenticate.ts'

describe('authenticate', () => {
  const contextWith = (authorization: string) =>
    ({
      state: {},
      get: () => authorization,
      vary: () => undefined,
      set: () => undefined,
    }) as unknown as Context

  it('sets the principal before the next middleware runs', async () => {
    const asked: (string | undefined)[] = []
    const middleware = authenticate({
      principalOf: (header) => {
        asked.push(header)
        return Promise.resolve(ROOT)
      },
    })
    const ctx = contextWith('Bearer x')
    let seen: unknown
    await middleware(ctx, () => {
      seen = ctx.state['principal']
      return Promise.resolve()
    })
    expect([asked, seen]).to.deep.equal([['Bearer x'], ROOT])
  })

  it('stops at an unknown bearer token', async () => {
    const middleware = authenticate({
      principalOf: () => Promise.reject(new UnauthorizedError('Missing or invalid credentials')),
    })
    try {
      await middleware(contextWith('Bearer x'), () => expect.fail('went on'))
    } catch (error) {
      expect(error).to.be.instanceOf(UnauthorizedError)
      return
    }
    expect.fail('was let through')
  })
})

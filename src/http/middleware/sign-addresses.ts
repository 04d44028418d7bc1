import type { SignedAddresses } from '../../query/query.ts'
import { TAG_HEADERS } from '../../changes/answers/cache-tags.ts'
import type { Middleware, RequestAddresses } from '../router/state.ts'

/** Every response of a request that has signed an address is private, whichever route sends it. */
export function signAddresses(addresses: SignedAddresses): Middleware {
  return async (ctx, next) => {
    const own = addressesOfRequest(addresses)
    ctx.state.addresses = own
    await next()
    if (!own.isUsed) return
    ctx.set('Cache-Control', 'private, no-store')
    for (const { name } of Object.values(TAG_HEADERS)) ctx.remove(name)
  }
}

function addressesOfRequest(addresses: SignedAddresses): RequestAddresses {
  let isUsed = false
  return {
    get isUsed() {
      return isUsed
    },
    sign: (url) => {
      const signed = addresses.sign(url)
      if (signed !== null) isUsed = true
      return signed
    },
  }
}

import { openSigner } from '../sign-in/signer.ts'

/** `generation` counts the refreshes of the session. */
export interface RefreshClaim {
  readonly id: string
  readonly generation: number
}

export interface RefreshTokens {
  sign(claim: RefreshClaim): string
  verify(token: string): RefreshClaim | null
}

const TOKEN = /^([0-9a-f]{32})-(\d{1,9})-([0-9a-f]{64})$/

/** Format: `<session>-<generation>-<signature>`. An invalid signature is rejected without a database read. */
export function openRefreshTokens(secret: string): RefreshTokens {
  const signer = openSigner(secret, 'quire refresh tokens')
  return {
    sign: ({ id, generation }) => {
      const signed = `${id}-${generation}`
      return `${signed}-${signer.sign(signed).toString('hex')}`
    },
    verify: (token) => {
      const [, id, generation, signature] = TOKEN.exec(token) ?? []
      if (id === undefined || generation === undefined || signature === undefined) return null
      if (!signer.isSigned(Buffer.from(signature, 'hex'), `${id}-${generation}`)) return null
      return { id, generation: Number(generation) }
    },
  }
}

import { errors, jwtVerify, SignJWT } from 'jose'
import { UnauthorizedError } from '../errors.ts'

/** What a token says once its signature holds. */
export interface UserClaims {
  readonly id: number
  /** In seconds since 1970. */
  readonly issuedAt: number
}

export interface UserTokens {
  /** A token for 30 days; `from` is the second from which tokens of the user are good. */
  sign(user: { readonly id: number; readonly tokensFrom: number }): Promise<string>
  /** @throws UnauthorizedError for whatever was not signed here, or has expired. */
  verify(token: string): Promise<UserClaims>
}

const ALGORITHM = 'HS256'
const LIFESPAN_SECONDS = 30 * 24 * 60 * 60
const MAX_CHARACTERS = 2_048

/** Tokens of end users: `{ id, iat, exp }`, signed with HS256 and no other algorithm. */
export function openUserTokens(secret: string, now: () => Date): UserTokens {
  const key = new TextEncoder().encode(secret)
  return {
    sign: ({ id, tokensFrom }) => {
      // After a change of password within this second the old tokens carry it as well.
      const issuedAt = Math.max(toSeconds(now()), tokensFrom)
      return new SignJWT({ id, iat: issuedAt, exp: issuedAt + LIFESPAN_SECONDS })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .sign(key)
    },
    verify: async (token) => {
      if (token.length > MAX_CHARACTERS) throw invalid()
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          requiredClaims: ['id', 'iat', 'exp'],
          currentDate: now(),
        })
        const { id, iat } = payload
        if (!Number.isSafeInteger(id) || iat === undefined) throw invalid()
        return { id: id as number, issuedAt: iat }
      } catch (error) {
        if (error instanceof errors.JOSEError) throw invalid()
        throw error
      }
    },
  }
}

export function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

/** Whether a bearer has the form of one: API tokens have no full stops. */
export function isUserToken(credential: string): boolean {
  return credential.split('.', 4).length === 3
}

function invalid(): UnauthorizedError {
  return new UnauthorizedError('Missing or invalid credentials')
}

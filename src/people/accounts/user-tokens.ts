import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { UnauthorizedError } from '../../base/errors.ts'

/** What a token says once its signature holds. */
export interface UserClaims {
  readonly id: number
  /** In seconds since 1970. */
  readonly issuedAt: number
  /** The session that it belongs to; null for one that stands by itself. */
  readonly session: string | null
}

export interface UserTokens {
  /** `tokensFrom` is the second from which tokens of the user are good. */
  sign(
    user: { readonly id: number; readonly tokensFrom: number },
    session?: string,
  ): Promise<string>
  /** @throws UnauthorizedError for whatever was not signed here, or has expired. */
  verify(token: string): Promise<UserClaims>
}

const ALGORITHM = 'HS256'
const THIRTY_DAYS_SECONDS = 30 * 24 * 60 * 60
const MAX_CHARACTERS = 2_048

/**
 * Tokens of end users: `{ id, iat, exp }`, and `sid` in a session; signed with HS256 and no other algorithm.
 */
export function openUserTokens(
  secret: string,
  now: () => Date,
  lifespanSeconds = THIRTY_DAYS_SECONDS,
): UserTokens {
  const key = new TextEncoder().encode(secret)
  return {
    sign: ({ id, tokensFrom }, session) => {
      // After a change of password within this second the old tokens carry it as well.
      const issuedAt = Math.max(toSeconds(now()), tokensFrom)
      const sid = session === undefined ? {} : { sid: session }
      return new SignJWT({ id, iat: issuedAt, exp: issuedAt + lifespanSeconds, ...sid })
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
        return claimsOf(payload)
      } catch (error) {
        if (error instanceof errors.JOSEError) throw invalid()
        throw error
      }
    },
  }
}

/** Ours name no issuer and no audience: what does is another server's, which happens to share the secret. */
function claimsOf({ id, iat, iss, aud, sid = null }: JWTPayload): UserClaims {
  if (!Number.isSafeInteger(id) || iat === undefined) throw invalid()
  if (iss !== undefined || aud !== undefined) throw invalid()
  if (sid !== null && typeof sid !== 'string') throw invalid()
  return { id: id as number, issuedAt: iat, session: sid }
}

export function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

function invalid(): UnauthorizedError {
  return new UnauthorizedError('Missing or invalid credentials')
}

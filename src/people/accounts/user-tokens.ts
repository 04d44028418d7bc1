import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { UnauthorizedError } from '../../base/errors.ts'

export interface UserClaims {
  readonly id: number
  /** In seconds since 1970. */
  readonly issuedAt: number
  /** Session id. Null without sessions. */
  readonly session: string | null
}

export interface UserTokens {
  /** `tokensFrom` is the first second in which tokens of the user are valid. */
  sign(
    user: { readonly id: number; readonly tokensFrom: number },
    session?: string,
  ): Promise<string>
  /** @throws UnauthorizedError for an invalid or expired token. */
  verify(token: string): Promise<UserClaims>
}

const ALGORITHM = 'HS256'
const THIRTY_DAYS_SECONDS = 30 * 24 * 60 * 60
const MAX_CHARACTERS = 2_048

/** `{ id, iat, exp }`, with `sid` if sessions are enabled. Only HS256 is accepted. */
export function openUserTokens(
  secret: string,
  now: () => Date,
  lifespanSeconds = THIRTY_DAYS_SECONDS,
): UserTokens {
  const key = new TextEncoder().encode(secret)
  return {
    sign: ({ id, tokensFrom }, session) => {
      // Tokens issued in the second of a password change must be newer than the revoked ones.
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

/**
 * Tokens of this server have no issuer and no audience. Others come from a server with the same
 * secret.
 */
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

import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { UnauthorizedError } from '../../base/errors.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'

export interface UserClaims {
  readonly id: number
  /** In seconds since 1970. */
  readonly issuedAt: number
  readonly session: string | null
  /** The documentId of an anonymous user, which may not be stored yet. */
  readonly anonymous: string | null
}

export interface UserTokens {
  /** `tokensFrom` is the first second in which tokens of the user are valid. */
  sign(
    user: { readonly id: number; readonly tokensFrom: number },
    session?: string,
    anonymous?: string,
  ): Promise<string>
  /** @throws UnauthorizedError for an invalid or expired token. */
  verify(token: string): Promise<UserClaims>
}

const ALGORITHM = 'HS256'
const THIRTY_DAYS_SECONDS = 30 * 24 * 60 * 60
const MAX_CHARACTERS = 2_048

/** `{ id, iat, exp }`, with `sid` if sessions are enabled and `anon` for anonymous users. Only HS256 is accepted. */
export function openUserTokens(
  secret: string,
  now: () => Date,
  lifespanSeconds = THIRTY_DAYS_SECONDS,
): UserTokens {
  const key = new TextEncoder().encode(secret)
  return {
    sign: ({ id, tokensFrom }, session, anonymous) => {
      // Tokens issued in the second of a password change must be newer than the revoked ones.
      const issuedAt = Math.max(toSeconds(now()), tokensFrom)
      const optional = {
        ...(session !== undefined && { sid: session }),
        ...(anonymous !== undefined && { anon: anonymous }),
      }
      return new SignJWT({ id, iat: issuedAt, exp: issuedAt + lifespanSeconds, ...optional })
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

/** Tokens of this server have no issuer and no audience. Others come from a server with the same secret. */
function claimsOf({ id, iat, iss, aud, sid = null, anon = null }: JWTPayload): UserClaims {
  if (!Number.isSafeInteger(id) || iat === undefined) throw invalid()
  if (iss !== undefined || aud !== undefined) throw invalid()
  const session = textOrNull(sid)
  const anonymous = textOrNull(anon)
  if (anonymous !== null && !isDocumentId(anonymous)) throw invalid()
  return { id: id as number, issuedAt: iat, session, anonymous }
}

function textOrNull(claim: unknown): string | null {
  if (claim === null || typeof claim === 'string') return claim
  throw invalid()
}

export function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

function invalid(): UnauthorizedError {
  return new UnauthorizedError('Missing or invalid credentials')
}

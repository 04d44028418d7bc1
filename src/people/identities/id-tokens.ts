import { createHash } from 'node:crypto'
import {
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { ServiceUnavailableError, UnauthorizedError } from '../../base/errors.ts'
import type { SignInProvider } from '../../base/config/sign-in-providers.ts'
import { claimedAddress } from '../sign-in/claimed-address.ts'
import { type Claims, openOidcClient } from '../sign-in/oidc-client.ts'
import type { UsedTokens } from '../sign-in/used-tokens.ts'

export interface ProvenIdentity {
  readonly provider: string
  readonly issuer: string
  readonly subject: string
  /** In lower case. */
  readonly email: string | null
  readonly isEmailVerified: boolean
  readonly name: string | null
}

export interface IdTokenProof {
  readonly idToken: string
  readonly nonce: string | null
  readonly isWeb: boolean
}

export interface IdTokens {
  /** @throws UnauthorizedError `invalid_id_token`, ServiceUnavailableError if the keys cannot be read */
  verify(proof: IdTokenProof): Promise<ProvenIdentity>
}

export interface IdTokensOptions {
  readonly provider: SignInProvider
  readonly usedNonces: UsedTokens
  readonly now: () => Date
  /** Minimum time between two requests for the keys. Default: 10 seconds. */
  readonly keysEveryMs?: number
}

/** Excludes signatures with a shared secret, because the secret would be a public key of the provider. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']

const MAX_SUBJECT_LENGTH = 255
const CLOCK_SKEW_SECONDS = 60
const KEYS_TIMEOUT_MS = 10_000
const KEYS_EVERY_MS = 10_000
/** Keys are read again after this time, so that a provider can withdraw one. */
const KEYS_MAX_AGE_MS = 60 * 60 * 1_000

/** A placeholder in the issuer of Microsoft's endpoints for several tenants. */
const TENANT = '{tenantid}'
const TENANT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function openIdTokens(options: IdTokensOptions): IdTokens {
  const { provider, now } = options
  const client = openOidcClient({
    ...provider,
    clientId: provider.clientIds[0],
    clientSecret: null,
    redirectUri: '',
  })
  let known: Keys | null = null
  const keysOf = async (): Promise<Keys> =>
    (known ??= await readKeys(options, () => client.metadata()))
  return {
    verify: async ({ idToken, nonce, isWeb }) => {
      assertSigned(idToken)
      const { keys, issuer } = await keysOf()
      const payload = await verifyToken(options, keys, idToken)
      assertIssuer(provider, issuer, payload)
      assertParty(provider, payload)
      await assertNonce(options, payload, { nonce, isWeb })
      return toProvenIdentity(provider, payload, now())
    },
  }
}

interface Keys {
  readonly keys: JWTVerifyGetKey
  readonly issuer: string
}

async function readKeys(
  { keysEveryMs = KEYS_EVERY_MS }: IdTokensOptions,
  metadata: () => Promise<{ readonly issuer: string; readonly jwks_uri?: string }>,
): Promise<Keys> {
  const { issuer, jwks_uri: address } = await metadata().catch((error: unknown) => {
    throw unreachable(error)
  })
  if (address === undefined) throw unreachable(new Error('The provider publishes no keys'))
  const keys = createRemoteJWKSet(new URL(address), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    cooldownDuration: keysEveryMs,
    cacheMaxAge: KEYS_MAX_AGE_MS,
  })
  return { keys, issuer }
}

function assertSigned(idToken: string): void {
  try {
    const { alg = '' } = decodeProtectedHeader(idToken)
    if (!ALGORITHMS.includes(alg)) throw invalid('its algorithm is not accepted')
  } catch (error) {
    throw error instanceof UnauthorizedError ? error : invalid('it is not a signed token')
  }
}

async function verifyToken(
  { provider, now }: IdTokensOptions,
  keys: JWTVerifyGetKey,
  idToken: string,
): Promise<JWTPayload> {
  try {
    const { payload } = await jwtVerify(idToken, keys, {
      algorithms: ALGORITHMS,
      audience: [...provider.clientIds],
      clockTolerance: CLOCK_SKEW_SECONDS,
      currentDate: now(),
      requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp'],
    })
    return payload
  } catch (error) {
    throw asRefusal(error)
  }
}

function asRefusal(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return invalid('it has expired')
  if (error instanceof errors.JWTClaimValidationFailed) {
    return invalid(
      error.claim === 'aud' ? 'it was issued to another app' : 'a claim is missing or wrong',
    )
  }
  const isOfProvider =
    error instanceof errors.JWKSTimeout ||
    error instanceof errors.JWKSInvalid ||
    // https://github.com/panva/jose throws this if the request for the keys has another status than 200.
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  if (isOfProvider || !(error instanceof errors.JOSEError)) return unreachable(error)
  return invalid('its signature is wrong')
}

/** Google also issues tokens without the scheme: https://developers.google.com/identity/openid-connect/openid-connect */
function assertIssuer(
  provider: SignInProvider,
  issuer: string,
  { iss = '', tid }: JWTPayload,
): void {
  const isTenant = issuer.includes(TENANT) && typeof tid === 'string' && TENANT_ID.test(tid)
  const expected = isTenant ? issuer.replace(TENANT, tid) : issuer
  const isGoogle = provider.name === 'google' && `https://${iss}` === expected
  if (iss !== expected && !isGoogle) throw invalid('its issuer is another one')
}

/** A token for several audiences names the app that it was issued to. */
function assertParty({ clientIds }: SignInProvider, { aud, azp }: JWTPayload): void {
  const isShared = Array.isArray(aud) && aud.length > 1
  const isOurs = typeof azp === 'string' && clientIds.includes(azp)
  if (isShared && !isOurs) throw invalid('it was issued to another app')
}

/** The nonce is valid once. Apps for iOS and Android give the provider its SHA-256. */
async function assertNonce(
  { provider, usedNonces }: IdTokensOptions,
  { nonce: claimed, exp = 0 }: JWTPayload,
  { nonce, isWeb }: Pick<IdTokenProof, 'nonce' | 'isWeb'>,
): Promise<void> {
  if (nonce === null && claimed === undefined && !isWeb) return
  if (nonce === null) throw invalid('the nonce is missing')
  if (typeof claimed !== 'string' || !nonceForms(nonce).includes(claimed)) {
    throw invalid('the nonce is another one')
  }
  const expiresAt = new Date((exp + CLOCK_SKEW_SECONDS) * 1_000)
  const isFirst = await usedNonces.use(`${provider.issuer} ${claimed}`, expiresAt)
  if (!isFirst) throw invalid('the nonce was used before')
}

function nonceForms(nonce: string): readonly string[] {
  const digest = createHash('sha256').update(nonce).digest()
  return [nonce, digest.toString('hex'), digest.toString('base64url')]
}

function toProvenIdentity(provider: SignInProvider, payload: JWTPayload, at: Date): ProvenIdentity {
  const { iss = '', iat = 0 } = payload
  const sub: unknown = payload.sub // `jose` does not check its type
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH) {
    throw invalid('its subject is not accepted')
  }
  if (iat - CLOCK_SKEW_SECONDS > at.getTime() / 1_000) throw invalid('it is from the future')
  return provenIdentityOf(provider.name, { ...payload, iss, sub })
}

/** Apple sends `email_verified` as text. */
export function provenIdentityOf(
  provider: string,
  claims: Claims & { readonly iss: string; readonly sub: string },
): ProvenIdentity {
  const { iss: issuer, sub: subject, email, email_verified: isVerified, name } = claims
  return {
    provider,
    issuer,
    subject,
    email: claimedAddress(email),
    isEmailVerified: isVerified === true || isVerified === 'true',
    name: typeof name === 'string' ? name : null,
  }
}

function invalid(reason: string): UnauthorizedError {
  return new UnauthorizedError(
    `The ID token is not accepted: ${reason}`,
    {},
    { code: 'invalid_id_token' },
  )
}

function unreachable(cause: unknown): ServiceUnavailableError {
  return new ServiceUnavailableError('The sign-in provider does not respond', { cause })
}

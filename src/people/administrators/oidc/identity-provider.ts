import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client'
import { type Claims, type RoleRule, rolesOfClaims } from './roles-of-claims.ts'

export interface IdentityProviderOptions {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null
  readonly scope: string
  /** Text of the sign-in button. */
  readonly label: string
  readonly rolesClaim: string
  readonly roles: readonly RoleRule[]
  readonly redirectUri: string
}

/** The browser stores it until the provider redirects back. */
export interface Attempt {
  readonly nonce: string
  readonly verifier: string
}

export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** In lower case. Null without a verified address. */
  readonly email: string | null
  readonly name: string | null
  readonly roles: readonly string[]
}

/** OpenID Connect: authorization code flow with state, nonce and PKCE. */
export interface IdentityProvider {
  readonly label: string
  /** @throws Error if the provider does not respond */
  begin(state: string): Promise<Attempt & { readonly url: URL }>
  /**
   * `query` is the query string of the redirect.
   * @throws Error if it is invalid or the provider fails
   */
  finish(query: string, state: string, attempt: Attempt): Promise<Identity>
}

/** Timeout of a request to the provider, in seconds. */
const PATIENCE = 10

/** Discovers the provider at the first sign-in, so that the start does not wait for it. */
export function openIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { scope, redirectUri, label } = options
  let known: Configuration | null = null
  const configuration = async (): Promise<Configuration> => (known ??= await discover(options))
  return {
    label,
    begin: async (state) => {
      const verifier = randomPKCECodeVerifier()
      const nonce = randomNonce()
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { nonce, verifier, url }
    },
    finish: async (query, state, { nonce, verifier }) => {
      const current = await configuration()
      const tokens = await authorizationCodeGrant(current, new URL(`${redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) throw new Error('The provider sent no ID token')
      const more = await userInfo(current, tokens.access_token, claims)
      const { iss, sub } = claims
      return toIdentity(options, { ...mergeClaims(claims, more), iss, sub })
    },
  }
}

async function discover({
  issuer,
  clientId,
  clientSecret,
}: IdentityProviderOptions): Promise<Configuration> {
  const url = new URL(issuer)
  // Verifies signatures by the keys of the provider, even for tokens received directly from it.
  const execute = [
    enableNonRepudiationChecks,
    ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
  ]
  const authentication = clientSecret === null ? None() : ClientSecretBasic(clientSecret)
  return discovery(url, clientId, undefined, authentication, { timeout: PATIENCE, execute })
}

/**
 * `email_verified` is taken from the same source as `email`, because each source verifies only its
 * own address.
 */
export function mergeClaims(idToken: Claims, userInfo: Claims): Claims {
  const { email, email_verified: isVerified } = idToken['email'] === undefined ? userInfo : idToken
  return { ...userInfo, ...idToken, email, email_verified: isVerified }
}

/** The ID token of many providers contains only the subject. */
async function userInfo(
  current: Configuration,
  accessToken: string,
  { sub, email }: Claims & { readonly sub: string },
): Promise<Claims> {
  const hasUserInfo = current.serverMetadata().userinfo_endpoint !== undefined
  return email === undefined && hasUserInfo ? fetchUserInfo(current, accessToken, sub) : {}
}

type IdTokenClaims = Claims & { readonly iss: string; readonly sub: string }

function toIdentity(
  { roles, rolesClaim }: Pick<IdentityProviderOptions, 'roles' | 'rolesClaim'>,
  claims: IdTokenClaims,
): Identity {
  const { email, email_verified: isVerified, name, preferred_username: username } = claims
  const isTheirs = isVerified === true && typeof email === 'string'
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: isTheirs ? email.toLowerCase() : null,
    name: [name, username].find((one) => typeof one === 'string') ?? null,
    roles: rolesOfClaims(claims, rolesClaim, roles),
  }
}

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
  /** Null: a public client, which PKCE alone protects. */
  readonly clientSecret: string | null
  readonly scope: string
  /** What the button of the sign-in says. */
  readonly label: string
  readonly rolesClaim: string
  readonly roles: readonly RoleRule[]
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string
}

/** What of an attempt stays in the browser until it comes back. */
export interface Attempt {
  readonly nonce: string
  readonly verifier: string
}

/** The identity that the provider asserts. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** In lower case; null where the provider says none, or does not say that it is theirs. */
  readonly email: string | null
  readonly name: string | null
  /** What the claims make of them. */
  readonly roles: readonly string[]
}

/** Signs administrators in by OpenID Connect: authorization code, state, nonce and PKCE. */
export interface IdentityProvider {
  readonly label: string
  /** @throws Error where the provider does not answer */
  begin(state: string): Promise<Attempt & { readonly url: URL }>
  /** `query` is what came back. @throws Error for whatever is wrong with it, or with the provider */
  finish(query: string, state: string, attempt: Attempt): Promise<Identity>
}

/** For each request to the provider, in seconds. */
const PATIENCE = 10

/** The provider is asked who it is when the first one signs in: a start does not wait for it. */
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
  // The checks verify signatures by the keys of the provider, also of tokens that it sends over its own connection.
  const execute = [
    enableNonRepudiationChecks,
    ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
  ]
  const authentication = clientSecret === null ? None() : ClientSecretBasic(clientSecret)
  return discovery(url, clientId, undefined, authentication, { timeout: PATIENCE, execute })
}

/**
 * The claims of the ID token, completed by those of the userinfo endpoint. `email_verified` comes from the same source as
 * `email`: neither source verifies the address of the other.
 */
export function mergeClaims(idToken: Claims, userInfo: Claims): Claims {
  const { email, email_verified: isVerified } = idToken['email'] === undefined ? userInfo : idToken
  return { ...userInfo, ...idToken, email, email_verified: isVerified }
}

/** Many providers say no more than the subject in their ID token. */
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

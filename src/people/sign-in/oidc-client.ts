import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  type ServerMetadata,
} from 'openid-client'

export type Claims = Readonly<Record<string, unknown>>

export interface OidcClientOptions {
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client, which only PKCE protects. */
  readonly clientSecret: string | null
  readonly scope: string
  readonly redirectUri: string
  /** Some providers accept the secret in the body only. Default: the `Authorization` header. */
  readonly isSecretInBody?: boolean
}

export interface Attempt {
  readonly nonce: string
  readonly verifier: string
}

export interface OidcClient {
  /** @throws Error if the provider does not respond */
  metadata(): Promise<ServerMetadata>
  /** @throws Error if the provider does not respond */
  begin(
    state: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<Attempt & { readonly url: URL }>
  /** Returns the claims of the ID token and the userinfo endpoint. @throws Error if the provider fails */
  finish(query: string, state: string, attempt: Attempt): Promise<IdTokenClaims>
}

export type IdTokenClaims = Claims & { readonly iss: string; readonly sub: string }

const TIMEOUT_SECONDS = 10

/** Discovers the provider at the first use, so that the start does not wait for it. */
export function openOidcClient(options: OidcClientOptions): OidcClient {
  const { scope, redirectUri } = options
  let known: Configuration | null = null
  const configuration = async (): Promise<Configuration> => (known ??= await discover(options))
  return {
    metadata: async () => (await configuration()).serverMetadata(),
    begin: async (state, parameters = {}) => {
      const verifier = randomPKCECodeVerifier()
      const nonce = randomNonce()
      const url = buildAuthorizationUrl(await configuration(), {
        ...parameters,
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
      return { ...mergeClaims(claims, more), iss, sub }
    },
  }
}

async function discover(options: OidcClientOptions): Promise<Configuration> {
  const url = new URL(options.issuer)
  // Verifies signatures by the keys of the provider, even for tokens received directly from it.
  const execute = [
    enableNonRepudiationChecks,
    ...(url.protocol === 'http:' ? [allowInsecureRequests] : []),
  ]
  const authentication = authenticationOf(options)
  return discovery(url, options.clientId, undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    execute,
  })
}

function authenticationOf({ clientSecret, isSecretInBody = false }: OidcClientOptions) {
  if (clientSecret === null) return None()
  return isSecretInBody ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
}

/** `email_verified` is taken from the same source as `email`, because each source verifies only its own address. */
export function mergeClaims(idToken: Claims, userInfo: Claims): Claims {
  const { email, email_verified: isVerified } = idToken['email'] === undefined ? userInfo : idToken
  return { ...userInfo, ...idToken, email, email_verified: isVerified }
}

/** The ID token of many providers contains only the subject. */
async function userInfo(
  current: Configuration,
  accessToken: string,
  { sub, email }: IDToken,
): Promise<Claims> {
  const hasUserInfo = current.serverMetadata().userinfo_endpoint !== undefined
  return email === undefined && hasUserInfo ? fetchUserInfo(current, accessToken, sub) : {}
}

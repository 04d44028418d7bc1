import { claimedAddress } from '../../sign-in/claimed-address.ts'
import {
  type Attempt,
  type IdTokenClaims,
  openOidcClient,
  type OidcClientOptions,
} from '../../sign-in/oidc-client.ts'
import { type RoleRule, rolesOfClaims } from './roles-of-claims.ts'

export interface IdentityProviderOptions extends OidcClientOptions {
  readonly label: string
  readonly rolesClaim: string
  readonly roles: readonly RoleRule[]
}

export interface Identity {
  readonly issuer: string
  readonly subject: string
  /** Null without a verified address. */
  readonly email: string | null
  readonly name: string | null
  readonly roles: readonly string[]
}

export interface IdentityProvider {
  readonly label: string
  /** @throws Error if the provider does not respond */
  begin(state: string): Promise<Attempt & { readonly url: URL }>
  /** @throws Error if the query string of the redirect is invalid or the provider fails */
  finish(query: string, state: string, attempt: Attempt): Promise<Identity>
}

export function openIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const client = openOidcClient(options)
  return {
    label: options.label,
    begin: (state) => client.begin(state),
    finish: async (query, state, attempt) =>
      toIdentity(options, await client.finish(query, state, attempt)),
  }
}

function toIdentity(
  { roles, rolesClaim }: Pick<IdentityProviderOptions, 'roles' | 'rolesClaim'>,
  claims: IdTokenClaims,
): Identity {
  const { email, email_verified: isVerified, name, preferred_username: username } = claims
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: isVerified === true ? claimedAddress(email) : null,
    name: [name, username].find((one): one is string => typeof one === 'string') ?? null,
    roles: rolesOfClaims(claims, rolesClaim, roles),
  }
}

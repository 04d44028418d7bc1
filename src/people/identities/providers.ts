import type { SignInProvider, SignInProviders } from '../../base/config/sign-in-providers.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { type OidcClient, openOidcClient } from '../sign-in/oidc-client.ts'
import { openUsedTokens } from '../sign-in/used-tokens.ts'
import { type IdTokens, openIdTokens } from './id-tokens.ts'

export interface Provider extends SignInProvider {
  readonly idTokens: IdTokens
  readonly redirect: OidcClient | null
}

export interface ProvidersOptions {
  readonly db: Database
  readonly configured: SignInProviders
  readonly publicUrl: string
  readonly now: () => Date
  readonly keysEveryMs?: number
}

export async function openProviders({
  db,
  configured,
  publicUrl,
  now,
  keysEveryMs,
}: ProvidersOptions): Promise<ReadonlyMap<string, Provider>> {
  if (configured.size === 0) return new Map()
  const usedNonces = await openUsedTokens({ db, collection: 'quire_used_nonces', now })
  return new Map(
    [...configured].map(([name, provider]) => [
      name,
      {
        ...provider,
        idTokens: openIdTokens({
          provider,
          usedNonces,
          now,
          ...(keysEveryMs !== undefined && { keysEveryMs }),
        }),
        redirect: openRedirect(provider, publicUrl),
      },
    ]),
  )
}

function openRedirect(provider: SignInProvider, publicUrl: string): OidcClient | null {
  if (provider.redirects.length === 0) return null
  return openOidcClient({
    ...provider,
    clientId: provider.clientIds[0],
    redirectUri: redirectUriOf(publicUrl, provider),
    // https://developer.apple.com/documentation/sign_in_with_apple/generate_and_validate_tokens
    isSecretInBody: provider.name === 'apple',
  })
}

export function redirectUriOf(publicUrl: string, { name }: Pick<SignInProvider, 'name'>): string {
  return `${publicUrl}/api/connect/${name}/callback`
}

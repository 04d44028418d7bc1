import { isIssuer } from './oidc-rules.ts'
import type { Accepted } from './variable.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Names a variable in a fault. */
type Label = (variable: string) => string

export interface SignInProvider {
  /** The name in the path, such as `google`. */
  readonly name: string
  readonly issuer: string
  /** The identifiers of the project's apps at the provider. The first one is used for redirects. */
  readonly clientIds: readonly [string, ...string[]]
  readonly clientSecret: string | null
  readonly scope: string
  /** Pages that may receive the code of a sign-in by redirect. The first one is the default. */
  readonly redirects: readonly string[]
}

export type SignInProviders = ReadonlyMap<string, SignInProvider>

const KNOWN_ISSUERS: Readonly<Record<string, string>> = {
  apple: 'https://appleid.apple.com',
  google: 'https://accounts.google.com',
  microsoft: 'https://login.microsoftonline.com/common/v2.0',
}

/** A member of `signIn` in `quire.config.ts`, such as `signIn.google`. */
export interface SignInSettings {
  readonly issuer?: string | undefined
  readonly clientIds?: readonly string[] | string | undefined
  readonly clientSecret?: string | undefined
  readonly scope?: string | undefined
  readonly redirects?: readonly string[] | string | undefined
}

const SUFFIXES = ['ISSUER', 'CLIENT_IDS', 'CLIENT_SECRET', 'SCOPE', 'REDIRECTS'] as const
type Suffix = (typeof SUFFIXES)[number]

/** The suffix of the variable, and the type, of each member of a provider. */
export const SIGN_IN_MEMBERS: Readonly<
  Record<keyof SignInSettings, { readonly suffix: Suffix; readonly accepts: Accepted }>
> = {
  issuer: { suffix: 'ISSUER', accepts: 'text' },
  clientIds: { suffix: 'CLIENT_IDS', accepts: 'list' },
  clientSecret: { suffix: 'CLIENT_SECRET', accepts: 'text' },
  scope: { suffix: 'SCOPE', accepts: 'text' },
  redirects: { suffix: 'REDIRECTS', accepts: 'list' },
}

/** Returns `signIn.google.clientIds` for SIGN_IN_GOOGLE_CLIENT_IDS, and null for other variables. */
export function signInMemberOf(variable: string): string | null {
  const [, name, suffix] = VARIABLE.exec(variable) ?? []
  if (name === undefined) return null
  const [member = ''] =
    Object.entries(SIGN_IN_MEMBERS).find(([, row]) => row.suffix === suffix) ?? []
  return `signIn.${name.toLowerCase()}.${member}`
}
type Given = { readonly [Name in Suffix]?: string }

const VARIABLE = new RegExp(`^SIGN_IN_([A-Z][A-Z0-9]{0,30})_(${SUFFIXES.join('|')})$`)
const LINK_BY_EMAIL = 'SIGN_IN_LINK_BY_EMAIL'
const DEFAULT_SCOPE = 'openid email profile'
const SCOPES = /^(?=.*\bopenid\b)[\x21\x23-\x5b\x5d-\x7e ]+$/

/** `local` is the sign-in by password. The others are names of routes below `/api/auth`. */
const RESERVED = new Set(['local', 'anonymous', 'code', 'identities', 'sessions'])

/** Reads the variables `SIGN_IN_<NAME>_…`, which have one set per provider. */
export function readSignInProviders(
  env: Variables,
  label: Label = (variable) => variable,
): {
  readonly providers: SignInProviders
  readonly faults: readonly string[]
} {
  const named = new Map<string, Record<string, string>>()
  for (const [variable, value = ''] of Object.entries(env)) {
    const [, name, suffix] = VARIABLE.exec(variable) ?? []
    if (name === undefined || suffix === undefined || value.trim() === '') continue
    named.set(name, { ...named.get(name), [suffix]: value.trim() })
  }
  const providers = new Map<string, SignInProvider>()
  const faults: string[] = []
  for (const [name, given] of named) {
    const read = readProvider(name, given, label)
    if (Array.isArray(read)) faults.push(...read)
    else providers.set(read.name, Object.freeze(read))
  }
  return { providers, faults }
}

function readProvider(upperName: string, given: Given, label: Label): SignInProvider | string[] {
  const name = upperName.toLowerCase()
  const issuer = given.ISSUER ?? KNOWN_ISSUERS[name]
  const [first, ...others] = listOf(given.CLIENT_IDS)
  const scope = given.SCOPE ?? DEFAULT_SCOPE
  const redirects = listOf(given.REDIRECTS)
  const rules: readonly (readonly [Suffix, boolean, string])[] = [
    ['CLIENT_IDS', !RESERVED.has(name), `the name ${name} is reserved`],
    ['CLIENT_IDS', first !== undefined, 'must be given'],
    ['ISSUER', issuer !== undefined, 'must be given'],
    ['ISSUER', issuer === undefined || isIssuer(issuer), 'must be an https:// address'],
    ['SCOPE', SCOPES.test(scope), 'scopes are separated by spaces, openid among them'],
    ['REDIRECTS', redirects.every(isPage), 'must be addresses of pages, with commas between them'],
  ]
  const faults = rules
    .filter(([, isKept]) => !isKept)
    .map(([suffix, , right]) => `${label(`SIGN_IN_${upperName}_${suffix}`)}: ${right}`)
  if (faults.length > 0 || issuer === undefined || first === undefined) return faults
  const clientSecret = given.CLIENT_SECRET ?? null
  return { name, issuer, clientIds: [first, ...others], clientSecret, scope, redirects }
}

/** Returns a fault for each issuer without TLS. */
export function plainIssuers(providers: SignInProviders, label: Label): readonly string[] {
  return [...providers.values()]
    .filter(({ issuer }) => issuer.startsWith('http:'))
    .map(
      ({ name }) =>
        `${label(`SIGN_IN_${name.toUpperCase()}_ISSUER`)}: must be an https:// address; OIDC_ALLOW_HTTP=on allows http:// in development`,
    )
}

/** Returns the variables that resemble those of a provider but are not read. */
export function unknownSignInVariables(env: Variables): readonly string[] {
  return Object.keys(env).filter(
    (name) => name.startsWith('SIGN_IN_') && !VARIABLE.test(name) && name !== LINK_BY_EMAIL,
  )
}

function listOf(given: string | undefined): readonly string[] {
  return (given ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** Apps on devices have schemes of their own, such as `myapp://signed-in`. */
function isPage(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hash } = new URL(address)
  return hash === '' && !['javascript:', 'data:', 'file:', 'blob:', 'vbscript:'].includes(protocol)
}

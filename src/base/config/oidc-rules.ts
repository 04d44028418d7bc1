import Joi from 'joi'

/** Maps a value of the claim to a role. `*` matches every user. */
export interface OidcRoleRule {
  readonly value: string
  readonly role: string
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Plain HTTP would allow forged identities, so it is limited to this machine and OIDC_ALLOW_HTTP. */
export function issuer(): Joi.StringSchema {
  return Joi.string().custom((given: string, helpers) =>
    isIssuer(given) ? given : helpers.error('any.invalid'),
  )
}

export function isIssuer(given: string): boolean {
  if (!URL.canParse(given)) return false
  const { protocol, hostname } = new URL(given)
  const isLocal = protocol === 'http:' && LOCAL_HOSTS.has(hostname)
  return protocol === 'https:' || isLocal
}

/** Parses `cms-admins=administrator,staff=editor`. Values may contain `=`. */
export function toRoleRules(given: string, helpers: Joi.CustomHelpers): unknown {
  const rules = given.split(',').map((pair) => {
    const [, value = '', role = ''] = /^(.+)=([\w-]{1,64})$/.exec(pair.trim()) ?? []
    return Object.freeze({ value: value.trim(), role })
  })
  return rules.every(({ value }) => value !== '')
    ? Object.freeze(rules)
    : helpers.error('any.invalid')
}

import { createHmac, randomBytes } from 'node:crypto'

/** What a receiver is given to check signatures with. */
const PREFIX = 'whsec_'

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

export interface Signed {
  readonly id: string
  /** In whole seconds: receivers refuse what is old, so that nobody sends again what they have overheard. */
  readonly seconds: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com): a signature by each secret, so that a receiver may
 * know the old one or the new one while they are changed.
 */
export function signedHeaders(
  { id, seconds, body }: Signed,
  secrets: readonly string[],
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    const digest = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
    return `v1,${digest}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

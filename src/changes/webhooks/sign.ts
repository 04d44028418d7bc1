import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64')
}

export interface Signed {
  readonly id: string
  /** In whole seconds. Receivers reject old timestamps to prevent replay attacks. */
  readonly seconds: number
  readonly body: string
}

/** Standard Webhooks (https://www.standardwebhooks.com). During a rotation each secret signs. */
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

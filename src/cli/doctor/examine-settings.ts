import type { Config } from '../../base/config/config.ts'
import type { Finding } from './finding.ts'

/** Shorter secrets can be guessed: 32 hex characters are 128 bits. */
const MIN_SECRET_LENGTH = 32

interface Rule {
  readonly isWeak: (config: Config) => boolean
  readonly what: string
}

function isShort(secret: string | null): boolean {
  return secret !== null && secret.length < MIN_SECRET_LENGTH
}

const RULES: readonly Rule[] = [
  {
    isWeak: ({ http }) => !http.rateLimit,
    what: 'RATE_LIMIT is off: attempts to guess passwords are not limited',
  },
  {
    isWeak: ({ http }) => http.corsOrigin === '*',
    what: 'CORS_ORIGIN is *: pages of any origin may read answers; name the origins that are yours',
  },
  {
    isWeak: ({ secrets }) => isShort(secrets.jwtSecret),
    what: `JWT_SECRET has fewer than ${MIN_SECRET_LENGTH} characters; use the output of \`openssl rand -hex 32\``,
  },
  {
    isWeak: ({ secrets }) => isShort(secrets.rootApiToken),
    what: `ROOT_API_TOKEN has fewer than ${MIN_SECRET_LENGTH} characters; use the output of \`openssl rand -hex 32\``,
  },
  {
    isWeak: ({ endUsers, http }) =>
      endUsers.sessions?.inCookie === true && !http.publicUrl.startsWith('https:'),
    what: 'PUBLIC_URL is not https: cookies with refresh tokens are sent unencrypted',
  },
  {
    isWeak: ({ mail }) => mail.smtpUrl === null,
    what: 'SMTP_URL is missing: mails are logged, with their codes, and not sent',
  },
  {
    isWeak: ({ upload }) => upload.images.signingKey === null,
    what: 'IMAGE_SIGNING_KEY is missing: any client may request each of IMAGE_SIZES, which takes CPU time; sign the addresses of images',
  },
  {
    isWeak: ({ database }) => database.allowStandalone,
    what: 'QUIRE_ALLOW_STANDALONE is on: on a standalone mongod writes are not atomic',
  },
]

export function examineSettings(config: Config): readonly Finding[] {
  const level = config.production ? 'warning' : 'note'
  const weak = RULES.filter(({ isWeak }) => isWeak(config)).map(({ what }) => what)
  const found = weak.map((what) => ({ check: 'settings', level, what }) as const)
  if (!config.production) {
    const what = 'NODE_ENV is not production: weak settings are notes, not warnings'
    return [{ check: 'settings', level: 'note', what }, ...found]
  }
  return found.length > 0 ? found : [{ check: 'settings', level: 'ok', what: 'no weak settings' }]
}

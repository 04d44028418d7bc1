import { editDistance } from '../near-miss.ts'
import type { Environment } from './config.ts'
import { unknownSignInVariables } from './sign-in-providers.ts'
import { VARIABLES } from './variables.ts'

/** Names that other products use for these variables. */
const ALIASES: Readonly<Record<string, keyof typeof VARIABLES>> = {
  MONGO_URI: 'MONGODB_URI',
  MONGO_URL: 'MONGODB_URI',
  MONGODB_URL: 'MONGODB_URI',
  MONGO_DATABASE: 'MONGODB_DATABASE',
  MONGODB_DB: 'MONGODB_DATABASE',
  QUIRE_DB: 'QUIRE_DATABASE',
  QUIRE_DIR: 'QUIRE_DATA_DIR',
  QUIRE_DATA: 'QUIRE_DATA_DIR',
  CONTENT_TYPE_DIR: 'CONTENT_TYPES_DIR',
  API_LIMIT: 'API_DEFAULT_LIMIT',
  ROOT_TOKEN: 'ROOT_API_TOKEN',
  JWT_KEY: 'JWT_SECRET',
  MAX_BODY_SIZE: 'MAX_BODY_BYTES',
  MAX_UPLOAD_SIZE: 'MAX_UPLOAD_BYTES',
  RATE_LIMITS: 'RATE_LIMIT',
}

/** Returns one suggestion per unknown variable that resembles an unset variable of Quire. Ignores all others. */
export function findNearMisses(env: Environment): readonly string[] {
  const signIn = unknownSignInVariables(env).map(
    (name) => `${name} is not a variable of Quire; see docs/sign-in.md for those of a provider`,
  )
  const others = Object.keys(env).flatMap((name) => {
    if (signIn.length > 0 && name.startsWith('SIGN_IN_')) return []
    const meant = name in VARIABLES ? undefined : meantBy(name)
    if (meant === undefined || env[meant] !== undefined) return []
    return [`${name} is not a variable of Quire; did you mean ${meant}?`]
  })
  return [...signIn, ...others]
}

function meantBy(name: string): string | undefined {
  if (Object.hasOwn(ALIASES, name)) return ALIASES[name]
  return Object.keys(VARIABLES).find((ours) => bare(ours) === bare(name) || isOneSlip(name, ours))
}

function bare(name: string): string {
  return name.replaceAll('_', '').toUpperCase()
}

// Excludes short names, because HOST, PORT and HOME are too similar.
function isOneSlip(name: string, ours: string): boolean {
  const isNear = ours.length >= 8 && Math.abs(name.length - ours.length) <= 1
  return isNear && editDistance(name, ours) <= 1
}

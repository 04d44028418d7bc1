import { editDistance } from '../near-miss.ts'
import { once } from '../once.ts'
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
  const letters = lettersOf(name)
  return Object.keys(VARIABLES).find(
    (ours) => variableLetters().get(ours) === letters || isOneSlip(name, ours),
  )
}

const variableLetters = once(
  () => new Map(Object.keys(VARIABLES).map((name) => [name, lettersOf(name)])),
)

function lettersOf(name: string): string {
  return name.replaceAll('_', '').toUpperCase()
}

// Excludes short names, because HOST, PORT and HOME are too similar.
function isOneSlip(name: string, ours: string): boolean {
  if (ours.length < 8 || Math.abs(name.length - ours.length) > 1) return false
  return sharesHalf(name, ours) && editDistance(name, ours) <= 1
}

/** One slip changes at most two neighbours, and a start compares all variables of the environment. */
function sharesHalf(name: string, ours: string): boolean {
  const half = Math.floor(ours.length / 2) - 1
  return name.startsWith(ours.slice(0, half)) || name.endsWith(ours.slice(-half))
}

import { createRequire } from 'node:module'
import { pino } from 'pino'
import type { DestinationStream, Logger, LoggerOptions } from 'pino'
import type * as Pretty from 'pino-pretty'
import type { Config } from './config/config.ts'

export type Log = Logger

const REDACTED = '[redacted]'
const DEEPEST = 8

/** Keys to redact at any depth. Case, `-` and `_` are ignored. */
const SECRET_KEYS = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'newpassword',
  'currentpassword',
  'passwordconfirmation',
  'passwordhash',
  'token',
  'accesstoken',
  'refreshtoken',
  'rootapitoken',
  'metricstoken',
  'resetpasswordtoken',
  'confirmationtoken',
  'jwt',
  'jwtsecret',
  'secret',
  'apikey',
  'accesskey',
  'accesskeyid',
  'secretaccesskey',
])

/** Credentials in texts. The first element occurs in every match, so most lines are skipped quickly. */
const SECRET_TEXTS: readonly (readonly [string, RegExp, string])[] = [
  ['://', /\b([a-z][a-z\d+.-]*:\/\/)[^\s/"']+@/gi, `$1${REDACTED}@`],
  [' ', /\b(Bearer|Basic) +[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [
    '=',
    /([?&](?:access_token|token|code|code_verifier|password|confirmation)=)[^&\s"']+/gi,
    `$1${REDACTED}`,
  ],
]

const MEMBER = /"([\w-]+)":"(?:[^"\\]|\\.)*"/g

/** Also redacts by key, because pino 10 does not format the fields of a child logger. */
function redactLine(line: string): string {
  let text = hasSecretKey(line) ? line.replaceAll(MEMBER, redactMember) : line
  for (const [hint, secret, instead] of SECRET_TEXTS) {
    if (text.includes(hint)) text = text.replace(secret, instead)
  }
  return text
}

function redactMember(member: string, key: string): string {
  return isSecret(key) ? `"${key}":"${REDACTED}"` : member
}

/** Finds every key, and is faster than the regular expression. */
function hasSecretKey(line: string): boolean {
  for (let end = line.indexOf('":'); end !== -1; end = line.indexOf('":', end + 2)) {
    if (isSecret(line.slice(line.lastIndexOf('"', end - 1) + 1, end))) return true
  }
  return false
}

/** Errors are not changed. */
function redactKeys(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error) return value
  if (depth === DEEPEST) return '[deeper]'
  if (Array.isArray(value)) return value.map((one) => redactKeys(one, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype && !isBare(value)) return value
  return isFlat(value) ? value : redactMembers(value, depth)
}

function isFlat(value: object): boolean {
  for (const key in value) {
    const one = (value as Readonly<Record<string, unknown>>)[key]
    if ((typeof one === 'object' && one !== null) || isSecret(key)) return false
  }
  return true
}

function redactMembers(value: object, depth: number): unknown {
  const entries = Object.entries(value).map(([key, one]) => [
    key,
    isSecret(key) ? REDACTED : redactKeys(one, depth + 1),
  ])
  return Object.fromEntries(entries)
}

function isBare(value: object): boolean {
  return Object.getPrototypeOf(value) === null
}

const knownKeys = new Map<string, boolean>()
const MAX_CACHED_KEYS = 1_000

function isSecret(key: string): boolean {
  let secret = knownKeys.get(key)
  if (secret === undefined) {
    secret = SECRET_KEYS.has(key.replaceAll(/[-_]/g, '').toLowerCase())
    if (knownKeys.size < MAX_CACHED_KEYS) knownKeys.set(key, secret)
  }
  return secret
}

/** Others may contain bytes of a request (`rawPacket`). */
const ERROR_FIELDS = ['type', 'message', 'code', 'status', 'syscall', 'stack'] as const

/** Message and stack contain the causes. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const all: Readonly<Record<string, unknown>> = { ...pino.stdSerializers.err(error) }
  const known = ERROR_FIELDS.filter((name) => isPlain(all[name]))
  return Object.fromEntries(known.map((name) => [name, all[name]]))
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

const lastSecond = { number: NaN, member: '' }

function timeMember(): string {
  const ms = Date.now()
  const second = Math.floor(ms / 1_000)
  if (second !== lastSecond.number) {
    lastSecond.number = second
    lastSecond.member = `,"time":"${new Date(second * 1_000).toISOString().slice(0, -'000Z'.length)}`
  }
  return `${lastSecond.member}${String(ms % 1_000).padStart(3, '0')}Z"`
}

/** Readable lines on a terminal, otherwise or in production JSON lines. */
export function createLog(
  { logLevel, production }: Pick<Config, 'logLevel' | 'production'>,
  destination?: DestinationStream,
): Log {
  const options: LoggerOptions = {
    level: logLevel,
    base: null,
    timestamp: timeMember,
    serializers: { err: errorFields },
    formatters: {
      level: (label) => ({ level: label }),
      log: (fields) => redactKeys(fields) as Record<string, unknown>,
    },
    hooks: { streamWrite: redactLine },
  }
  const readable = destination === undefined && process.stdout.isTTY && !production
  return pino(options, destination ?? (readable ? formatLines() : bufferLines()))
}

function formatLines(): DestinationStream {
  const { PinoPretty } = createRequire(import.meta.url)('pino-pretty') as typeof Pretty
  return PinoPretty({
    ignore: 'pid,hostname',
    translateTime: 'HH:MM:ss.l',
    singleLine: true,
    sync: true,
  })
}

const FLUSH_MS = 20
const FLUSH_BYTES = 4_096

/**
 * One system call per line cost a tenth of the CPU of a short request. Writes are synchronous, to keep their order
 * when the process exits. A killed process loses the lines of the last 20 ms.
 */
function bufferLines(): DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: true,
    minLength: FLUSH_BYTES,
    periodicFlush: FLUSH_MS,
  })
  process.once('exit', () => output.flushSync())
  return output
}

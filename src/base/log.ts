import { pino } from 'pino'
import type { DestinationStream, Logger, LoggerOptions } from 'pino'
import { PinoPretty } from 'pino-pretty'
import type { Config } from './config/config.ts'

export type Log = Logger

const REDACTED = '[redacted]'
const DEEPEST = 8

/** Keys whose value is never logged, wherever they are, compared without case, `-` and `_`. */
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

/**
 * What gives a secret away inside of a text: credentials of an address, of a header, of a query. Each with what is in
 * every such text, in front: most lines need no more than a look for that.
 */
const SECRET_TEXTS: readonly (readonly [string, RegExp, string])[] = [
  ['://', /\b([a-z][a-z\d+.-]*:\/\/)[^\s/"']+@/gi, `$1${REDACTED}@`],
  [' ', /\b(Bearer|Basic) +[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  ['=', /([?&](?:access_token|token|code|password|confirmation)=)[^&\s"']+/gi, `$1${REDACTED}`],
]

const MEMBER = /"([\w-]+)":"(?:[^"\\]|\\.)*"/g

/**
 * A line of JSON without the secrets that its text reveals. Members are looked at once
 * more, because pino 10 does not pass the fields of a child logger through a formatter.
 */
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

/** Looks at whatever stands between two quotes and a colon: no key is missed, and most lines have none that is secret. */
function hasSecretKey(line: string): boolean {
  for (let end = line.indexOf('":'); end !== -1; end = line.indexOf('":', end + 2)) {
    if (isSecret(line.slice(line.lastIndexOf('"', end - 1) + 1, end))) return true
  }
  return false
}

/** The same without the values of secret keys, at any depth; errors stay what they are. */
function redactKeys(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Error) return value
  if (depth === DEEPEST) return '[deeper]'
  if (Array.isArray(value)) return value.map((one) => redactKeys(one, depth + 1))
  if (Object.getPrototypeOf(value) !== Object.prototype && !isBare(value)) return value
  return isFlat(value) ? value : redactMembers(value, depth)
}

/** Nothing of it is secret, or could hold what is: nearly each line. */
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

/** By the key, as the same few come with each line. */
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

/** Members of errors that say what went wrong; others may hold bytes of a request (`rawPacket`). */
const ERROR_FIELDS = ['type', 'message', 'code', 'status', 'syscall', 'stack'] as const

/** An error with its causes in message and stack, and nothing else that it carries. */
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

/** The time in ISO 8601, all but its milliseconds made once for the lines of a second. */
function timeMember(): string {
  const ms = Date.now()
  const second = Math.floor(ms / 1_000)
  if (second !== lastSecond.number) {
    lastSecond.number = second
    lastSecond.member = `,"time":"${new Date(second * 1_000).toISOString().slice(0, -'000Z'.length)}`
  }
  return `${lastSecond.member}${String(ms % 1_000).padStart(3, '0')}Z"`
}

/**
 * The log of a process: readable lines on a terminal, JSON lines in production and into anything
 * else; without secrets in both.
 */
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
  return pino(
    options,
    destination ??
      (readable
        ? PinoPretty({
            ignore: 'pid,hostname',
            translateTime: 'HH:MM:ss.l',
            singleLine: true,
            sync: true,
          })
        : bufferLines()),
  )
}

const FLUSH_MS = 20
const FLUSH_BYTES = 4_096

/**
 * Buffers lines for standard output. One system call per line cost a tenth of the CPU of a short request. Writes are
 * synchronous, because asynchronous writes mix up the last lines when the process exits. A process that is killed
 * loses the lines of the last 20 ms.
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

import Joi from 'joi'
import { type Fault, fault, validationError } from '../../base/errors.ts'

export interface WebhookHeader {
  readonly name: string
  readonly value: string
}

/** By name. Null keeps the stored value, because responses never contain it. */
export type HeadersInput = Readonly<Record<string, string | null>>

interface Target {
  readonly url: string
}

interface Headed {
  readonly headers?: readonly WebhookHeader[]
}

const MAX_HEADERS = 20
const NAME = Joi.string()
  .max(100)
  .pattern(/^[A-Za-z][A-Za-z0-9-]*$/)
const VALUE = Joi.string()
  .max(2_000)
  .pattern(/^[!-~](?:[ -~]*[!-~])?$/)
  .allow(null)

export const HEADERS = Joi.object<HeadersInput>().pattern(NAME, VALUE).max(MAX_HEADERS)

/** Set by the server, or part of the framing of a request. */
const RESERVED: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-strapi-event',
])

/**
 * The headers to store. Stored values stay with their origin: without this, a caller could send them to an address of
 * its own. @throws ValidationError
 */
export function readHeaders(
  given: HeadersInput | undefined,
  { url }: Target,
  before: (Target & Headed) | null,
): readonly WebhookHeader[] {
  const stored = before?.headers ?? []
  const isSameOrigin = before !== null && new URL(before.url).origin === new URL(url).origin
  const kept = new Map(isSameOrigin ? stored.map(({ name, value }) => [name, value]) : [])
  const wanted = Object.entries(given ?? Object.fromEntries(stored.map(({ name }) => [name, null])))
  const faults: Fault[] = []
  const seen = new Set<string>()
  const headers = wanted.flatMap(([name, one]): readonly WebhookHeader[] => {
    const small = name.toLowerCase()
    const value = one ?? kept.get(name)
    if (RESERVED.has(small) || small.startsWith('webhook-')) {
      faults.push(faultOf(name, `${name} is set by the server`, 'any.invalid'))
    } else if (seen.has(small)) {
      faults.push(faultOf(name, `${name} is given twice`, 'any.unique'))
    } else if (value === undefined) {
      faults.push(faultOf(name, `headers.${name} is required`, 'any.required'))
    } else {
      seen.add(small)
      return [{ name, value }]
    }
    return []
  })
  const [first, ...rest] = faults
  if (first !== undefined) throw validationError([first, ...rest])
  return headers
}

function faultOf(
  name: string,
  message: string,
  code: 'any.invalid' | 'any.required' | 'any.unique',
): Fault {
  return fault(['headers', name], message, name, { code })
}

export function customHeaders({ headers = [] }: Headed): Record<string, string> {
  return Object.fromEntries(headers.map(({ name, value }) => [name, value]))
}

/** The names, with null in place of each value. */
export function hiddenHeaders({ headers = [] }: Headed): HeadersInput {
  return Object.fromEntries(headers.map(({ name }) => [name, null]))
}

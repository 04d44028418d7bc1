import Joi from 'joi'
import { readInput, shortText } from '../../people/access/input.ts'
import { fault, validationError } from '../../base/errors.ts'
import { isInnerHost } from '../../base/inner-address.ts'
import type { Schema } from '../../schema/plan.ts'
import { EVENTS } from './events.ts'
import { isAllowedHost } from './send-request.ts'
import type { WebhookRow } from './webhook.ts'
import { HEADERS, type HeadersInput, readHeaders } from './webhook-headers.ts'

export interface WebhookInput extends Pick<
  WebhookRow,
  'name' | 'url' | 'events' | 'types' | 'locales' | 'body' | 'ordered' | 'headers'
> {
  readonly enabled: boolean
}

type GivenWebhook = Omit<WebhookInput, 'headers'> & { readonly headers?: HeadersInput }

export interface ReplayInput {
  readonly from: number
  readonly to?: number
}

const FIELDS = {
  name: shortText(),
  url: Joi.string().max(2_000).custom(toTarget).messages({
    'string.uri':
      '{{#label}} must be an http:// or https:// address without a user, a password and a fragment',
  }),
  events: Joi.array()
    .items(Joi.valid(...EVENTS))
    .unique()
    .min(1),
  types: Joi.array().items(Joi.string().max(255)).unique().min(1).max(500).allow(null),
  locales: Joi.array().items(Joi.string().max(35)).unique().min(1).max(500).allow(null),
  body: Joi.valid('strapi', 'thin'),
  ordered: Joi.boolean(),
  headers: HEADERS,
  enabled: Joi.boolean(),
}

const NEW = Joi.object<Partial<GivenWebhook>>(FIELDS).fork(['name', 'url', 'events'], (rule) =>
  rule.required(),
)
const CHANGE = Joi.object<Partial<GivenWebhook>>(FIELDS)

const REPLAY = Joi.object<ReplayInput>({
  from: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER).required(),
  to: Joi.number().integer().min(Joi.ref('from')).max(Number.MAX_SAFE_INTEGER),
})

const PRESETS = {
  types: null,
  locales: null,
  body: 'strapi',
  ordered: false,
  enabled: true,
} as const

type Types = Pick<Schema, 'contentTypes'>

export interface InputContext {
  readonly schema: Types
  readonly allowHosts: readonly string[]
}

export function readNewWebhook(input: unknown, { schema, allowHosts }: InputContext): WebhookInput {
  const read = readInput(NEW, input)
  assertOuter(read.url, allowHosts)
  assertTypes(read.types ?? [], [], schema)
  const wanted = { ...PRESETS, ...read } as GivenWebhook
  return { ...wanted, headers: readHeaders(wanted.headers, wanted, null) }
}

/** Keeps types that are no longer declared. @throws ValidationError */
export function readWebhookChange(
  input: unknown,
  before: WebhookRow,
  { schema, allowHosts }: InputContext,
): Partial<WebhookInput> {
  const { headers, ...read } = readInput(CHANGE, input)
  assertOuter(read.url, allowHosts)
  assertTypes(read.types ?? [], before.types ?? [], schema)
  const isUnchanged = headers === undefined && (read.url ?? before.url) === before.url
  if (isUnchanged) return read
  return { ...read, headers: readHeaders(headers, { url: read.url ?? before.url }, before) }
}

export function readReplay(input: unknown): ReplayInput {
  return readInput(REPLAY, input)
}

function assertOuter(given: string | undefined, allowHosts: readonly string[]): void {
  if (given === undefined) return
  const url = new URL(given)
  if (!isInnerHost(url) || isAllowedHost(url, allowHosts)) return
  const message = `${url.hostname} is no public address; WEBHOOK_ALLOW_HOSTS lists those that are allowed`
  throw validationError([fault(['url'], message, given, { code: 'url.inner' })])
}

function assertTypes(
  types: readonly string[],
  kept: readonly string[],
  { contentTypes }: Types,
): void {
  const [first, ...rest] = types.flatMap((uid, index) => {
    const isThere = uid.startsWith('api::') && contentTypes.has(uid)
    if (isThere || kept.includes(uid)) return []
    const message = `there is no content-type ${uid}`
    return [fault(['types', String(index)], message, uid, { code: 'any.unknown' })]
  })
  if (first !== undefined) throw validationError([first, ...rest])
}

function toTarget(given: string, helpers: Joi.CustomHelpers): unknown {
  if (!URL.canParse(given)) return helpers.error('string.uri')
  const { protocol, username, password, hash } = new URL(given)
  const isPlain = username === '' && password === '' && hash === ''
  const isHttp = protocol === 'http:' || protocol === 'https:'
  return isPlain && isHttp ? given : helpers.error('string.uri')
}

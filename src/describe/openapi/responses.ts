import { type JsonSchema, objectOf, TEXT } from './json-schema.ts'
import type { Vocabulary } from './vocabulary.ts'

export type Responses = Readonly<Record<string, object>>

const FAILURES = {
  400: ['BadRequest', 'The request is invalid; see `details`'],
  401: ['Unauthorized', 'Credentials are missing, wrong or expired'],
  403: ['Forbidden', 'The caller lacks the permission'],
  404: ['NotFound', 'There is no such document, version or file'],
  409: [
    'Conflict',
    'The request conflicts with stored content, or the same request is still running',
  ],
  410: ['Gone', 'The token is too old or the commit log was replaced; start a new sync'],
  412: ['PreconditionFailed', 'The stored version does not match `If-Match` or `If-None-Match`'],
  413: ['PayloadTooLarge', 'The body exceeds the limit'],
  422: ['UnprocessableContent', 'The `Idempotency-Key` was used with a different request'],
  423: ['Locked', 'Another request receives bytes of the same upload; retry later'],
  429: [
    'TooManyRequests',
    'Too many attempts per minute or incomplete uploads; retry after `Retry-After` seconds',
  ],
  500: [
    'InternalServerError',
    'Internal error; find its cause in the server log by `X-Request-Id`',
  ],
  501: ['NotImplemented', 'The database does not support the request'],
  503: ['ServiceUnavailable', 'Temporarily unavailable; retry after `Retry-After` seconds'],
  504: ['GatewayTimeout', 'The query timed out'],
} as const

/** The body names the target. */
export function redirects(description: string): object {
  const named = { schema: TEXT }
  return { description, content: { 'text/html': named, 'text/plain': named } }
}

export type FailureStatus = keyof typeof FAILURES

const USUAL: readonly FailureStatus[] = [400, 401, 403, 500, 503, 504]

export function failures(...statuses: readonly FailureStatus[]): Responses {
  const all = [...USUAL, ...statuses].toSorted((one, other) => one - other)
  return Object.fromEntries(
    all.map((status) => [String(status), { $ref: pathOf(FAILURES[status][0]) }]),
  )
}

function pathOf(name: string): string {
  return `#/components/responses/${name}`
}

/** The failures that the operations refer to. */
export function failureComponents(
  vocabulary: Vocabulary,
  operations: readonly object[],
): Responses {
  const text = JSON.stringify(operations)
  const used = Object.values(FAILURES).filter(([name]) => text.includes(`"${pathOf(name)}"`))
  if (used.length === 0) return {}
  const schema = errorSchema(vocabulary)
  return Object.fromEntries(
    used.map(([name, description]) => [
      name,
      {
        description,
        headers: {
          'Error-Code': { description: 'A stable error code', schema: TEXT },
          ...(WAITING.has(name) && {
            'Retry-After': { description: 'Seconds to wait', schema: TEXT },
          }),
        },
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

const WAITING: ReadonlySet<string> = new Set([
  'Conflict',
  'TooManyRequests',
  'ServiceUnavailable',
  'GatewayTimeout',
])

function errorSchema({ refer }: Vocabulary): JsonSchema {
  return refer('Error', () =>
    objectOf(
      {
        data: { type: 'null' },
        error: objectOf(
          {
            status: { type: 'integer' },
            name: { ...TEXT, description: 'The kind of error, such as `ValidationError`' },
            message: TEXT,
            details: {
              type: 'object',
              description:
                'Details of the error; for an invalid payload, `errors` lists all faults. Other members depend on the `Error-Code`',
              properties: { errors: { type: 'array', items: FAULT }, path: {}, key: {} },
              additionalProperties: true,
            },
          },
          ['status', 'name', 'message'],
        ),
      },
      ['data', 'error'],
    ),
  )
}

const FAULT: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'array', items: TEXT },
    message: TEXT,
    name: TEXT,
    value: { description: 'The rejected value' },
  },
  required: ['path', 'message', 'name'],
}

export function answer(description: string, schema: JsonSchema, headers: object = {}): object {
  return {
    description,
    ...(Object.keys(headers).length > 0 && { headers }),
    content: { 'application/json': { schema } },
  }
}

export const IDEMPOTENCY_REPLAYED = {
  'Idempotency-Replayed': {
    description: '`true` if an earlier request with this key has done the work',
    schema: TEXT,
  },
} as const

export const ENTITY_TAG = {
  ETag: { description: 'For `If-Match` and `If-None-Match`', schema: TEXT },
}

const WRITTEN_TIME = {
  'Quire-After': {
    description:
      'For `Quire-After` of later reads, which see this write; absent on some databases, and if results are streamed',
    schema: TEXT,
  },
}

/** Adds the header of successful writes. */
export function withWrittenTime(responses: Responses): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const headers = 'headers' in response ? (response.headers as object) : {}
      const isSuccess = status.startsWith('2')
      return [
        status,
        isSuccess ? { ...response, headers: { ...headers, ...WRITTEN_TIME } } : response,
      ]
    }),
  )
}

export const NOT_MODIFIED = { description: 'The version of `If-None-Match` is current' }

export function jsonBody(schema: JsonSchema, example?: unknown): object {
  return {
    required: true,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  }
}

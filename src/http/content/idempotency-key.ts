import { createHash } from 'node:crypto'
import type { Principal } from '../../people/access/principal.ts'
import { ValidationError } from '../../base/errors.ts'
import { bodyOf } from '../body/read-request.ts'
import type { Context } from '../router/state.ts'

const HEADER = 'Idempotency-Key'
const MAX_LENGTH = 255
/** A string of RFC 8941, as in draft-ietf-httpapi-idempotency-key-header-07. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"$/
const BARE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x7e]+$/

export interface IdempotentRequest {
  readonly key: string
  readonly fingerprint: string
}

/** A key is scoped to the principal and the endpoint. `path` must be normalized. @throws ValidationError */
export function readIdempotentRequest(
  ctx: Context,
  path: string,
  { isRuled }: { readonly isRuled: boolean },
): IdempotentRequest | null {
  const key = readIdempotencyKey(ctx)
  if (key === null) return null
  if (isRuled && ctx.state.principal.kind === 'anonymous') {
    // All anonymous callers share their keys, so that a replay could show the entry of another caller.
    throw invalidKey('anonymous requests under rules have no keys')
  }
  return {
    key: digestOf([principalKey(ctx.state.principal), ctx.method, path, key]),
    fingerprint: digestOf([ctx.querystring, ctx.get('Strapi-Response-Format'), bodyOf(ctx)]),
  }
}

/** Null without the header. @throws ValidationError */
export function readIdempotencyKey(ctx: Context): string | null {
  const header = ctx.headers[HEADER.toLowerCase()]
  if (header === undefined) return null
  const text = String(header).trim()
  const key = QUOTED.exec(text)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(text)?.[0]
  if (key !== undefined && key.length <= MAX_LENGTH) return key
  throw invalidKey(`expected one key of up to ${MAX_LENGTH} visible ASCII characters`)
}

export function invalidKey(reason: string): ValidationError {
  return new ValidationError(`${HEADER}: ${reason}`, { header: HEADER }, { code: 'invalid_header' })
}

/** All requests without credentials share one principal. */
function principalKey(principal: Principal): string {
  switch (principal.kind) {
    case 'user':
    case 'apiToken':
    case 'administrator':
      return `${principal.kind}:${principal.id}`
    case 'preview':
    case 'root':
    case 'anonymous':
      return principal.kind
  }
}

function digestOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

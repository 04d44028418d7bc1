import { hash } from 'node:crypto'
import type { Revisions, WriteCondition } from '../../content/write-target.ts'
import { ValidationError } from '../../base/errors.ts'
import type { Context, Middleware } from '../router/state.ts'

type Conditional = 'If-Match' | 'If-None-Match'

const CODING = /-(?:gzip|br|deflate|zstd)$/
/** https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3 */
const TAG = /[ \t]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/y

export interface TaggedBody {
  readonly body: string
  readonly revision: string | null
}

/** Conditional writes compare only the revision in the tag, so that a partial read works for them. */
export function sendTagged(ctx: Context, { body, revision }: TaggedBody): void {
  if (revision !== null) {
    sendWithTag(ctx, body, tagOf(body, revision))
    return
  }
  ctx.type = 'json'
  ctx.body = body
}

export function sendDigested(ctx: Context, body: string): void {
  sendWithTag(ctx, body, tagOf(body, null))
}

export function tagOf(body: string, revision: string | null): string {
  const digest = hash('sha256', body, 'hex').slice(0, 16)
  return revision === null ? digest : `${revision}-${digest}`
}

export function sendWithTag(ctx: Context, body: string | Buffer, tag: string): void {
  ctx.type = 'json'
  ctx.body = body
  ctx.set('ETag', `"${tag}"`)
  if (isRead(ctx) && isKnown(ctx, tag)) ctx.status = 304
}

export function readCondition(ctx: Context): WriteCondition | undefined {
  const match = readTags(ctx, 'If-Match')
  const noneMatch = readTags(ctx, 'If-None-Match')
  if (match === null && noneMatch === null) return undefined
  return { match: revisionsOf(match), noneMatch: revisionsOf(noneMatch) }
}

export function readMatch(ctx: Context): Revisions | null {
  return revisionsOf(readTags(ctx, 'If-Match'))
}

export function bareTag(revision: string): string {
  return `"${revision}"`
}

/** Different bytes need different tags. Must run outside of the compression middleware. */
export function tagCodings(): Middleware {
  return async (ctx, next) => {
    await next()
    const coding = ctx.res.getHeader('Content-Encoding')
    const tag = ctx.res.getHeader('ETag')
    if (typeof tag !== 'string' || typeof coding !== 'string') return
    ctx.set('ETag', tag.replace(/"$/, `-${coding}"`))
  }
}

function isRead({ method }: Context): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function isKnown(ctx: Context, tag: string): boolean {
  const known = readTags(ctx, 'If-None-Match')
  if (known === null) return false
  if (known === '*') return true
  return known.some((one) => one.replace(CODING, '') === tag)
}

function readTags(ctx: Context, header: Conditional): readonly string[] | '*' | null {
  const value = ctx.headers[header.toLowerCase()]
  if (value === undefined) return null
  const text = String(value).trim()
  if (text === '*') return '*'
  const tags: string[] = []
  TAG.lastIndex = 0
  while (TAG.lastIndex < text.length) {
    const [, tag] = TAG.exec(text) ?? []
    if (tag === undefined) throw malformed(header)
    tags.push(tag)
  }
  if (tags.length === 0 || text.endsWith(',')) throw malformed(header)
  return tags
}

function malformed(header: Conditional): ValidationError {
  const message = `${header}: expected * or entity tags in double quotes, such as "5d2f-0a1b"`
  return new ValidationError(message, { header }, { code: 'invalid_header' })
}

/** Weak tags count like strong tags: an intermediary that weakens a tag changes bytes, but not the revision. */
function revisionsOf(tags: readonly string[] | '*' | null): Revisions | null {
  if (tags === null || tags === '*') return tags
  return new Set(tags.map((tag) => tag.split('-', 1)[0] ?? ''))
}

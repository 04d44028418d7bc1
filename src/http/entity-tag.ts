import { hash } from 'node:crypto'
import type { Revisions, WriteCondition } from '../documents/write-target.ts'
import { ValidationError } from '../errors.ts'
import type { Context, Middleware } from './state.ts'

type Conditional = 'If-Match' | 'If-None-Match'

/** What an intermediary or we add to the tag of a representation that is sent packed. */
const CODING = /-(?:gzip|br|deflate|zstd)$/
/** https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3 */
const TAG = /[ \t]*(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(?:,|$)/y

/** JSON text, and the revision of the version that it shows; null where it shows none. */
export interface TaggedBody {
  readonly body: string
  readonly revision: string | null
}

/**
 * Sends an entry with its tag, if it shows a version: conditions of writes compare the revision, so that it does not
 * matter what of an entry was read; caches compare the whole.
 * @throws ValidationError for an `If-None-Match` that cannot be read
 */
export function sendTagged(ctx: Context, { body, revision }: TaggedBody): void {
  if (revision !== null) {
    sendWithTag(ctx, body, tagOf(body, revision))
    return
  }
  ctx.type = 'json'
  ctx.body = body
}

/**
 * Sends JSON text that is no entry's, with its digest as its tag.
 * @throws ValidationError for an `If-None-Match` that cannot be read
 */
export function sendDigested(ctx: Context, body: string): void {
  sendWithTag(ctx, body, tagOf(body, null))
}

/** `<revision>-<digest of what is sent>`; of what shows no single version the digest alone. */
export function tagOf(body: string, revision: string | null): string {
  const digest = hash('sha256', body, 'hex').slice(0, 16)
  return revision === null ? digest : `${revision}-${digest}`
}

/** Sends JSON under its tag, or that it is known already. @throws ValidationError as `sendTagged` */
export function sendWithTag(ctx: Context, body: string | Buffer, tag: string): void {
  ctx.type = 'json'
  ctx.body = body
  ctx.set('ETag', `"${tag}"`)
  if (isRead(ctx) && isKnown(ctx, tag)) ctx.status = 304
}

/** What a write asks of the version that it changes; undefined when it asks for nothing. */
export function readCondition(ctx: Context): WriteCondition | undefined {
  const match = readTags(ctx, 'If-Match')
  const noneMatch = readTags(ctx, 'If-None-Match')
  if (match === null && noneMatch === null) return undefined
  return { match: revisionsOf(match), noneMatch: revisionsOf(noneMatch) }
}

/** The revisions that `If-Match` names; null where there is none. @throws ValidationError for one that cannot be read */
export function readMatch(ctx: Context): Revisions | null {
  return revisionsOf(readTags(ctx, 'If-Match'))
}

/** The tag of a version as it is stored now, whatever would be shown of it. */
export function bareTag(revision: string): string {
  return `"${revision}"`
}

/**
 * Gives what is sent packed a tag of its own, as other bytes must have: for outside of the middleware
 * that packs.
 */
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

/** Whether `If-None-Match` names this tag. @throws ValidationError for one that cannot be read */
export function isKnown(ctx: Context, tag: string): boolean {
  const known = readTags(ctx, 'If-None-Match')
  if (known === null) return false
  if (known === '*') return true
  return known.some((one) => one.replace(CODING, '') === tag)
}

/** @throws ValidationError for what is neither `*` nor a list of entity tags */
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

/** A weak tag counts like a strong one: what weakens it on its way changes bytes, never the revision. */
function revisionsOf(tags: readonly string[] | '*' | null): Revisions | null {
  if (tags === null || tags === '*') return tags
  return new Set(tags.map((tag) => tag.split('-', 1)[0] ?? ''))
}

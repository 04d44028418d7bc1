import type { AnswerCache, FoundAnswer } from '../../changes/answers/answer-cache.ts'
import type { ReadToCache } from '../../changes/answers/answer-key.ts'
import { type CacheTagsKind, cacheTagsOf, TAG_HEADERS } from '../../changes/answers/cache-tags.ts'
import { type Coding, CODINGS, type CachedAnswer } from '../../changes/answers/cached-answer.ts'
import type { Grants } from '../../people/access/principal.ts'
import { isPersonalRead } from '../../people/access/reader-key.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import { sendWithTag, tagOf } from '../answer/entity-tag.ts'
import { readAfter } from './causal-reads.ts'
import { formatOf } from './query-rules.ts'
import type { Context } from '../router/state.ts'

export interface PreparedRead {
  readonly types: ReadonlySet<Uid>
  readonly isPublished: boolean
  /** Whether a rule with operands decides about the entries. */
  readonly isPersonal: boolean
  readonly isCurrent: boolean
  load(): Promise<LoadedRead>
}

export interface LoadedRead {
  readonly body: string
  readonly revision: string | null
  shown(): unknown
  readonly isExact: boolean
}

export interface ReadTarget {
  readonly uid: string
  readonly documentId: string | null
  readonly locales: LocaleRules
}

export interface CachedReads {
  answer(ctx: Context, target: ReadTarget, prepare: () => PreparedRead): Promise<void>
}

export interface CachedReadsOptions {
  readonly database: Pick<DocumentContext['database'], 'judgeTime'>
  readonly cache: AnswerCache | null
  readonly keyOf: (asked: ReadToCache) => string
  /** Principals with write permissions bypass the cache, so that they see their writes from any process. */
  readonly mayWrite: (grants: Grants) => boolean
  readonly maxAgeSeconds: number
  readonly cacheTags: CacheTagsKind | null
}

type AnswerRead = CachedReads['answer']
type ReadAside = (ctx: Context, prepared: PreparedRead) => Promise<void>

export function openCachedReads(options: CachedReadsOptions): CachedReads {
  const readAside: ReadAside = async (ctx, prepared) => {
    const { answer } = await run(ctx, prepared, options.cacheTags)
    sendAnswer(ctx, options, answer, prepared.isPublished)
  }
  const { cache, database } = options
  const answerCached = cache === null ? null : answerWith(cache, options, readAside)
  return {
    answer: async (ctx, target, prepare) => {
      await readAfter(ctx, database)
      const isAside = answerCached === null || ctx.state.after !== undefined
      await (isAside ? readAside(ctx, prepare()) : answerCached(ctx, target, prepare))
    },
  }
}

function answerWith(
  cache: AnswerCache,
  options: CachedReadsOptions,
  readAside: ReadAside,
): AnswerRead {
  const { mayWrite, keyOf } = options
  const { anew, shared } = openReading(cache, options.cacheTags)
  return async (ctx, { uid, documentId, locales }, prepare) => {
    const { grants } = ctx.state.principal
    const said = directiveOf(ctx)
    if (said === 'no-store' || mayWrite(grants)) {
      await readAside(ctx, prepare())
      return
    }
    const { querystring } = ctx
    const format = formatOf(ctx)
    const key = keyOf({ uid, documentId, querystring, format, locales, grants })
    const found = said === 'no-cache' ? null : await findIn(cache, key)
    if (found !== null) {
      await sendFound(ctx, options, found)
      return
    }
    const prepared = prepare()
    if (!isCacheable(prepared)) await readAside(ctx, prepared)
    else if (said === 'no-cache') sendAnswer(ctx, options, await anew(ctx, key, prepared))
    else await sendFound(ctx, options, await shared(ctx, key, prepared))
  }
}

interface Reading {
  anew(this: void, ctx: Context, key: string, prepared: PreparedRead): Promise<CachedAnswer>
  shared(this: void, ctx: Context, key: string, prepared: PreparedRead): Promise<SentAnswer>
}

type SentAnswer = Pick<FoundAnswer, 'answer'> & Partial<FoundAnswer>

function openReading(cache: AnswerCache, cacheTags: CacheTagsKind | null): Reading {
  const underWay = new Map<string, Promise<CachedAnswer>>()
  const anew: Reading['anew'] = async (ctx, key, prepared) => {
    const since = cache.now() // taken before the read, which may miss concurrent commits
    const { answer, isExact, types } = await run(ctx, prepared, cacheTags)
    if (isExact) cache.put(key, answer, types, since)
    return answer
  }
  return {
    anew,
    shared: async (ctx, key, prepared) => {
      const other = underWay.get(key)
      if (other !== undefined) {
        await other.catch(() => undefined) // the other request reports its error
        const found = await findIn(cache, key)
        if (found !== null) return found
      }
      const reading = anew(ctx, key, prepared)
      underWay.set(key, reading)
      try {
        return { answer: await reading }
      } finally {
        if (underWay.get(key) === reading) underWay.delete(key)
      }
    },
  }
}

/** If the commit log is unavailable, no cached response is considered valid. */
function findIn(cache: AnswerCache, key: string): Promise<FoundAnswer | null> {
  return cache.find(key).catch(() => null)
}

interface Run {
  readonly answer: CachedAnswer
  readonly isExact: boolean
  readonly types: ReadonlySet<Uid>
}

/** A response with a signed address expires and is never cached. The types of links are known after the read. */
async function run(
  { state }: Context,
  prepared: PreparedRead,
  kind: CacheTagsKind | null,
): Promise<Run> {
  const loaded = await prepared.load()
  const linked = state.answer?.linkedTypes ?? new Set()
  const types = linked.size === 0 ? prepared.types : new Set([...prepared.types, ...linked])
  const isPersonal = prepared.isPersonal || isPersonalRead(state.principal, linked)
  const { body, revision } = loaded
  const isExact = loaded.isExact && state.addresses?.isUsed !== true
  const isTagged = prepared.isPublished && !isPersonal
  const cacheTags = kind === null || !isTagged ? null : cacheTagsOf(kind, types, loaded.shown())
  const answer = { body: Buffer.from(body), tag: tagOf(body, revision), cacheTags, isPersonal }
  return { answer, isExact, types }
}

type Sending = Pick<CachedReadsOptions, 'maxAgeSeconds' | 'cacheTags'>

function sendAnswer(
  ctx: Context,
  sending: Sending,
  answer: CachedAnswer,
  isPublished = true,
): void {
  ctx.vary('Strapi-Response-Format')
  if (answer.isPersonal || ctx.state.after !== undefined) {
    ctx.set('Cache-Control', 'private, no-cache')
  } else if (ctx.get('authorization') === '') {
    ctx.set('Cache-Control', isPublished ? publicFor(sending.maxAgeSeconds) : 'private, no-cache')
  }
  if (answer.cacheTags !== null && sending.cacheTags !== null) {
    ctx.set(TAG_HEADERS[sending.cacheTags].name, answer.cacheTags)
  }
  sendWithTag(ctx, answer.body, answer.tag)
}

async function sendFound(
  ctx: Context,
  sending: Sending,
  { answer, packed }: SentAnswer,
): Promise<void> {
  sendAnswer(ctx, sending, answer)
  const coding = packed === undefined ? null : codingFor(ctx, answer)
  if (coding === null || packed === undefined) return
  ctx.body = await packed(coding)
  ctx.set('Content-Encoding', coding)
}

/** Only content and files are cached, because users can be changed without a permission to write content. */
function isCacheable({ isPublished, isCurrent, types }: PreparedRead): boolean {
  if (!isPublished || !isCurrent) return false
  return [...types].every((uid) => uid.startsWith('api::') || uid === 'plugin::upload.file')
}

/** `fetch` adds `no-cache` to conditional requests, so it is ignored there (fetch.spec.whatwg.org). */
function directiveOf(ctx: Context): 'no-store' | 'no-cache' | null {
  const directives = ctx
    .get('cache-control')
    .toLowerCase()
    .split(/[\s,]+/)
  if (directives.includes('no-store')) return 'no-store'
  const isMeant = directives.includes('no-cache') && ctx.get('if-none-match') === ''
  return isMeant ? 'no-cache' : null
}

function publicFor(seconds: number): string {
  return seconds === 0
    ? 'public, max-age=0, must-revalidate'
    : `public, max-age=${seconds}, stale-while-revalidate=${seconds}`
}

const PACKED_FROM_BYTES = 1_024

function codingFor(ctx: Context, { body }: CachedAnswer): Coding | null {
  if (body.length < PACKED_FROM_BYTES || ctx.status !== 200 || ctx.method === 'HEAD') return null
  const accepted = ctx.acceptsEncodings([...CODINGS, 'identity'])
  return CODINGS.find((coding) => coding === accepted) ?? null
}

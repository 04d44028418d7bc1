import type { AnswerCache, FoundAnswer } from '../../answers/answer-cache.ts'
import type { AskedRead } from '../../answers/answer-key.ts'
import { type CacheTagsKind, cacheTagsOf, TAG_HEADERS } from '../../answers/cache-tags.ts'
import { type Coding, CODINGS, type KeptAnswer } from '../../answers/kept-answer.ts'
import type { Grants } from '../../access/principal.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { Uid } from '../../schema/definition.ts'
import { sendWithTag, tagOf } from '../entity-tag.ts'
import { formatOf } from './query-rules.ts'
import type { Context } from '../state.ts'

/** A read that was understood and is permitted, before it is run. */
export interface PreparedRead {
  /** The content-types that its answer is made of. */
  readonly types: ReadonlySet<Uid>
  readonly isPublished: boolean
  /** Read from the primary, which has seen all that was acknowledged. */
  readonly isCurrent: boolean
  load(): Promise<LoadedRead>
}

export interface LoadedRead {
  readonly body: string
  /** Of the version that it shows; null for a list. */
  readonly revision: string | null
  /** The entries, for what names them. */
  shown(): unknown
  /** False of a count that may come out otherwise although nothing has changed. */
  readonly isExact: boolean
}

/** What a read is about, as far as its path says. */
export interface ReadTarget {
  /** Of the content-type; of a named query the name of its action. */
  readonly uid: string
  readonly documentId: string | null
  readonly locales: LocaleRules
}

/** Answers reads of content: from memory where the same was asked, and nothing has changed since. */
export interface KeptReads {
  answer(ctx: Context, target: ReadTarget, prepare: () => PreparedRead): Promise<void>
}

export interface KeptReadsOptions {
  /** Null keeps nothing. */
  readonly cache: AnswerCache | null
  readonly keyOf: (asked: AskedRead) => string
  /** Who may write reads the database, to see what was written wherever that was. */
  readonly mayWrite: (grants: Grants) => boolean
  readonly maxAgeSeconds: number
  /** Null sends no tags. */
  readonly cacheTags: CacheTagsKind | null
}

export function openKeptReads(options: KeptReadsOptions): KeptReads {
  const { cache, mayWrite, keyOf } = options
  const readAside = async (ctx: Context, prepared: PreparedRead): Promise<void> => {
    const { answer } = await run(prepared, options.cacheTags)
    sendAnswer(ctx, options, answer, prepared.isPublished)
  }
  if (cache === null) return { answer: (ctx, _target, prepare) => readAside(ctx, prepare()) }
  const { anew, shared } = openReading(cache, options.cacheTags)
  return {
    answer: async (ctx, { uid, documentId, locales }, prepare) => {
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
      if (!mayBeKept(prepared)) await readAside(ctx, prepared)
      else if (said === 'no-cache') sendAnswer(ctx, options, await anew(key, prepared))
      else await sendFound(ctx, options, await shared(key, prepared))
    },
  }
}

/** Reads that are kept. */
interface Reading {
  anew(this: void, key: string, prepared: PreparedRead): Promise<KeptAnswer>
  /** Or what another request for the same has read meanwhile, if that holds for this one too. */
  shared(this: void, key: string, prepared: PreparedRead): Promise<SentAnswer>
}

/** An answer is packed by us where it is kept, else on its way. */
type SentAnswer = Pick<FoundAnswer, 'answer'> & Partial<FoundAnswer>

function openReading(cache: AnswerCache, cacheTags: CacheTagsKind | null): Reading {
  const underWay = new Map<string, Promise<KeptAnswer>>()
  const anew: Reading['anew'] = async (key, prepared) => {
    const since = cache.now() // before: whether it sees what is committed meanwhile nobody knows
    const { answer, isExact } = await run(prepared, cacheTags)
    if (isExact) cache.put(key, answer, prepared.types, since)
    return answer
  }
  return {
    anew,
    shared: async (key, prepared) => {
      const other = underWay.get(key)
      if (other !== undefined) {
        await other.catch(() => undefined) // its own request reports it
        const found = await findIn(cache, key)
        if (found !== null) return found
      }
      const reading = anew(key, prepared)
      underWay.set(key, reading)
      try {
        return { answer: await reading }
      } finally {
        if (underWay.get(key) === reading) underWay.delete(key)
      }
    },
  }
}

/** Where the log cannot be asked, nothing is known to hold. */
function findIn(cache: AnswerCache, key: string): Promise<FoundAnswer | null> {
  return cache.find(key).catch(() => null)
}

async function run(
  prepared: PreparedRead,
  kind: CacheTagsKind | null,
): Promise<{ readonly answer: KeptAnswer; readonly isExact: boolean }> {
  const { types, isPublished } = prepared
  const loaded = await prepared.load()
  const { body, revision, isExact } = loaded
  const cacheTags = kind === null || !isPublished ? null : cacheTagsOf(kind, types, loaded.shown())
  return { answer: { body: Buffer.from(body), tag: tagOf(body, revision), cacheTags }, isExact }
}

type Sending = Pick<KeptReadsOptions, 'maxAgeSeconds' | 'cacheTags'>

function sendAnswer(ctx: Context, sending: Sending, answer: KeptAnswer, isPublished = true): void {
  ctx.vary('Strapi-Response-Format')
  if (ctx.get('authorization') === '') {
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

/** Of content and files alone: users are written by doors that ask for no permission to write content. */
function mayBeKept({ isPublished, isCurrent, types }: PreparedRead): boolean {
  if (!isPublished || !isCurrent) return false
  return [...types].every((uid) => uid.startsWith('api::') || uid === 'plugin::upload.file')
}

/**
 * The directives of a request to caches: they apply to this one too. `fetch` adds `no-cache` to every request that has a
 * condition of its own, which nobody has asked for: https://fetch.spec.whatwg.org/#http-network-or-cache-fetch
 */
function directiveOf(ctx: Context): 'no-store' | 'no-cache' | null {
  const directives = ctx
    .get('cache-control')
    .toLowerCase()
    .split(/[\s,]+/)
  if (directives.includes('no-store')) return 'no-store'
  const isMeant = directives.includes('no-cache') && ctx.get('if-none-match') === ''
  return isMeant ? 'no-cache' : null
}

/** While it is revalidated, an answer of up to twice that age may be served. */
function publicFor(seconds: number): string {
  return seconds === 0
    ? 'public, max-age=0, must-revalidate'
    : `public, max-age=${seconds}, stale-while-revalidate=${seconds}`
}

/** Smaller bodies are sent as they are. */
const PACKED_FROM_BYTES = 1_024

/** Null leaves the body as it is, and to the middleware that packs. */
function codingFor(ctx: Context, { body }: KeptAnswer): Coding | null {
  if (body.length < PACKED_FROM_BYTES || ctx.status !== 200 || ctx.method === 'HEAD') return null
  const accepted = ctx.acceptsEncodings([...CODINGS, 'identity'])
  return CODINGS.find((coding) => coding === accepted) ?? null
}

import {
  type CacheTagsKind,
  cacheTagsOf,
  TAG_HEADERS,
  UPLOADS_TAG,
} from '../../changes/answers/cache-tags.ts'
import { ForbiddenError } from '../../base/errors.ts'
import type { Asker, ImageVariants } from '../../media/images/image-variants.ts'
import type { FileAddresses } from '../../media/file-addresses.ts'
import { isInlineType, typeOfExtension } from '../../media/media-types.ts'
import { isPrivateName } from '../../media/private-names.ts'
import type { NamedFile, ServedFiles } from '../../media/served-files.ts'
import type { ByteRange, StoredFile } from '../../media/storage/storage.ts'
import { parseVariant, type VariantRules } from '../../media/images/variant-request.ts'
import { everyone, type GuardedRouter, guardedRouter } from '../router/guarded-router.ts'
import type { LimitInFlight } from '../middleware/limit-in-flight.ts'
import type { Data } from '../../schema/definition.ts'
import { parameterOf, readQuery } from '../body/read-request.ts'
import { leavingSignal } from '../answer/hang-ups.ts'
import type { Context } from '../router/state.ts'

/** The bytes of an address can be replaced, so caches must revalidate. */
const ASKED_AFTER = 'public, no-cache'
/** Browsers may store private bytes, but ask again with the signature. */
const PRIVATE = 'private, no-cache'
/** An address with `v` changes whenever the bytes are replaced. */
const FOR_GOOD = 'public, max-age=31536000, immutable'

const UNKNOWN = 'application/octet-stream'

/** Opens documents with possible scripts in a separate origin, with scripts disabled. */
const SANDBOX = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

export interface ServedUploads {
  readonly files: ServedFiles
  readonly variants: ImageVariants
  readonly rules: VariantRules
  readonly addresses: Pick<FileAddresses, 'isSigned'>
  /** Null without tags for shared caches. */
  readonly cacheTags: CacheTagsKind | null
}

export function serveUploads(served: ServedUploads, limited: LimitInFlight): GuardedRouter {
  const router = guardedRouter('/uploads', { sensitive: true })
  const get = everyone(async (ctx) => {
    assertNoProgram(ctx)
    const name = parameterOf(ctx, 'name')
    const query = readQuery(ctx.querystring)
    const isPrivate = isPrivateName(name)
    if (isPrivate && !served.addresses.isSigned(name, query)) return
    // On private files, `signature` signs the address and not the variant.
    const rules = isPrivate ? { ...served.rules, signingKey: null } : served.rules
    const tagged = isPrivate ? null : served.cacheTags
    // Before the bytes are read, because the file may be deleted meanwhile. The storage alone has most files.
    const documentId =
      tagged === null ? null : await served.files.documentIdOf(name).catch(() => null)
    const found = await find(ctx, name, query, { ...served, rules, limited })
    if (found === null) return
    ctx.set('Cache-Control', isPrivate ? PRIVATE : cachingOf(query))
    if (tagged !== null) tag(ctx, tagged, documentId)
    answer(ctx, found.name, found.file)
  })
  router.get(
    '/:name',
    limited((_, next) => next()),
    get,
  )
  return router
}

/** Variants have the address of their file, and so its tag. */
function tag(ctx: Context, kind: CacheTagsKind, documentId: string | null): void {
  ctx.set(TAG_HEADERS[kind].name, cacheTagsOf(kind, [UPLOADS_TAG], documentId))
  if (documentId === null) ctx.set('Cache-Control', ASKED_AFTER) // no purge would find it
}

function cachingOf({ v }: Data): string {
  return v === undefined ? ASKED_AFTER : FOR_GOOD
}

/** Otherwise injected HTML could run an uploaded file as a script. @throws ForbiddenError */
function assertNoProgram(ctx: Context): void {
  const isOurs = ctx.get('Sec-Fetch-Site') === 'same-origin'
  if (isOurs && PROGRAMS.has(ctx.get('Sec-Fetch-Dest'))) throw new ForbiddenError('Forbidden')
}

const PROGRAMS: ReadonlySet<string> = new Set([
  'script',
  'style',
  'worker',
  'sharedworker',
  'serviceworker',
  'audioworklet',
  'paintworklet',
  'object',
  'embed',
  'xslt',
])

async function find(
  ctx: Context,
  name: string,
  query: Data,
  { files, variants, rules, limited }: ServedUploads & { readonly limited: LimitInFlight },
): Promise<NamedFile | null> {
  const asked = parseVariant(name, query, ctx.get('Accept'), rules)
  if (asked !== null) {
    if (asked.negotiated) ctx.vary('Accept')
    return variants.get(name, asked.variant, askerOf(ctx, limited))
  }
  return files.get(name)
}

/** Stops when the client disconnects. Does not occupy a request slot while it waits. */
function askerOf({ req, res }: Context, limited: LimitInFlight): Asker {
  return { gone: leavingSignal(res), waitFor: (wait) => limited.withoutSlot(req, wait) }
}

function answer(ctx: Context, name: string, file: StoredFile): void {
  setType(ctx, typeOfExtension(/\.\w+$/.exec(name)?.[0] ?? '') ?? UNKNOWN)
  ctx.set('Accept-Ranges', 'bytes')
  ctx.set('ETag', file.etag)
  ctx.lastModified = file.modifiedAt
  ctx.compress = false // compression would shift the byte offsets of ranges
  ctx.status = 200
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  const range = rangeOf(ctx, file)
  if (range === 'unsatisfiable') {
    ctx.set('Content-Range', `bytes */${file.size}`)
    ctx.status = 416
    ctx.body = ''
    return
  }
  if (range !== null) {
    ctx.status = 206
    ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.size}`)
  }
  if (ctx.method !== 'HEAD') ctx.body = range === null ? file.read() : file.read(range)
  ctx.length = range === null ? file.size : range.end - range.start + 1
}

function setType(ctx: Context, type: string): void {
  ctx.set('Content-Type', type.startsWith('text/') ? `${type}; charset=utf-8` : type)
  if (!isInlineType(type)) ctx.set('Content-Disposition', 'attachment')
  if (!isInlineType(type) || type === 'image/svg+xml') ctx.set('Content-Security-Policy', SANDBOX)
}

/** Null for the whole file. GET only: https://www.rfc-editor.org/rfc/rfc9110#section-14.2 */
function rangeOf(ctx: Context, { size, etag }: StoredFile): ByteRange | null | 'unsatisfiable' {
  if (ctx.method !== 'GET') return null
  const condition = ctx.get('If-Range')
  return condition === '' || condition === etag ? parseRange(ctx.get('Range'), size) : null
}

function parseRange(header: string, size: number): ByteRange | null | 'unsatisfiable' {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header.trim()) ?? []
  if (from === '') return to === '' ? null : lastBytes(Math.min(Number(to), size), size)
  const start = Number(from)
  const end = to === '' ? Infinity : Number(to)
  if (end < start) return null
  return start >= size ? 'unsatisfiable' : { start, end: Math.min(end, size - 1) }
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  return count === 0 ? 'unsatisfiable' : { start: size - count, end: size - 1 }
}

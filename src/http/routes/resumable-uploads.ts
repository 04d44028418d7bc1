import {
  ConflictError,
  NotFoundError,
  PayloadTooLargeError,
  ValidationError,
} from '../../base/errors.ts'
import type { MediaFile, MediaLibrary } from '../../media/media-library.ts'
import type { ReceiveOptions, Upload } from '../../media/receive-upload.ts'
import {
  isReceived,
  leastBytesOf,
  type ResumableUploads,
  shownOffset,
  type UploadLock,
} from '../../media/resumable/resumable-uploads.ts'
import type { UploadRow } from '../../media/resumable/upload-rows.ts'
import { uploaderOf } from '../../people/access/private-files.ts'
import { parameterOf } from '../body/read-request.ts'
import type { StrictOptions } from '../reads/strict-request.ts'
import type { Guarded, GuardedRouter } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'
import {
  assertVersion,
  readLength,
  readMetadata,
  readOffset,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from './upload-headers.ts'
import { readUploadId, storeOnce } from './upload-once.ts'

export interface ResumableDependencies {
  readonly authenticate: Middleware
  readonly api: StrictOptions
  readonly media: {
    readonly library: Pick<MediaLibrary, 'get' | 'assertNotInTrash'>
    readonly receive: Pick<ReceiveOptions, 'maxBytes'>
    readonly resumable: ResumableUploads
  }
}

export interface ResumableHandlers {
  /** `route` is relative to the prefix of the router. */
  readonly place: { readonly prefix: string; readonly route: string }
  readonly handle: (handler: (ctx: Context) => Promise<void>) => Guarded
  /** @throws ValidationError for an invalid `fileInfo` */
  readonly assertInfo: (fileInfo: string) => Promise<unknown>
  /** Takes a `folder` in `Upload-Metadata`. @throws ValidationError for an unknown one */
  readonly assertFolder?: (folder: string) => Promise<void>
  /** Stores the file under the documentId. */
  readonly store: (
    ctx: Context,
    upload: Upload,
    documentId: string,
  ) => Promise<readonly MediaFile[]>
  readonly respond: (ctx: Context, records: readonly MediaFile[]) => Promise<void>
}

/** Their bodies are no forms, so they are not read before the handler. */
export function addResumableRoutes(
  router: GuardedRouter,
  dependencies: ResumableDependencies,
  handlers: ResumableHandlers,
): GuardedRouter {
  const { authenticate } = dependencies
  const add = (run: (ctx: Context) => Promise<void>): readonly [Middleware, Guarded] => [
    authenticate,
    handlers.handle(run),
  ]
  const { prefix, route } = handlers.place
  const one = `${route}/:id`
  router.post(route, ...add((ctx) => createUpload(ctx, dependencies, handlers)))
  router.get(one, ...add((ctx) => showUpload(ctx, dependencies)))
  router.patch(one, ...add((ctx) => receivePart(ctx, dependencies, handlers)))
  router.delete(one, ...add((ctx) => removeUpload(ctx, dependencies)))
  const allowedMethods = (): Middleware =>
    describeProtocol(prefix + route, router.allowedMethods(), dependencies)
  return { ...router, allowedMethods }
}

async function createUpload(
  ctx: Context,
  { api, media: { library, receive, resumable } }: ResumableDependencies,
  { place, assertInfo, assertFolder }: ResumableHandlers,
): Promise<void> {
  assertVersion(ctx)
  const owner = ownerOf(ctx)
  const length = readLength(ctx, receive.maxBytes)
  const described = readMetadata(ctx, api, assertFolder !== undefined)
  const _id = readUploadId(ctx)
  const isStored = _id !== null && (await isFile(library, _id))
  if (_id !== null && !isStored) await resumable.forget(_id, owner)
  const row = await resumable.create({ _id, owner, length, isStored, ...described }, async () => {
    const { fileInfo, folder } = described
    if (fileInfo !== null) await assertInfo(fileInfo)
    if (folder !== null) await assertFolder?.(folder)
  })
  ctx.set('Location', `${place.prefix}${place.route}/${row._id}`)
  show(ctx, row)
  ctx.status = 201
}

async function showUpload(
  ctx: Context,
  { media: { library, resumable } }: ResumableDependencies,
): Promise<void> {
  if (ctx.method === 'HEAD') assertVersion(ctx)
  const row = await resumable.find(parameterOf(ctx, 'id'), ownerOf(ctx))
  if (row.isStored) await getStored(library, row)
  ctx.set('Upload-Length', String(row.length))
  if (row.metadata !== '') ctx.set('Upload-Metadata', row.metadata)
  show(ctx, row)
}

/** The request with the last byte stores the file, and so does each one that finds all bytes received. */
async function receivePart(
  ctx: Context,
  { media: { library, resumable } }: ResumableDependencies,
  { store, respond }: Pick<ResumableHandlers, 'store' | 'respond'>,
): Promise<void> {
  assertVersion(ctx)
  const offset = readOffset(ctx)
  ctx.status = 204 // also in the log of a cut request
  const records = await resumable.holding(parameterOf(ctx, 'id'), ownerOf(ctx), async (lock) => {
    const { row } = lock
    assertOffset(ctx, row, offset)
    const received = isReceived(row) ? row : await lock.receive(ctx.req)
    show(ctx, received)
    if (!isReceived(received)) return null
    const files = row.isStored
      ? await replay(ctx, library, row)
      : await completeOnce(ctx, library, lock, store)
    show(ctx, { ...received, isStored: true })
    return files
  })
  if (records === null) return
  ctx.status = 200
  await respond(ctx, records)
}

async function removeUpload(
  ctx: Context,
  { media: { resumable } }: ResumableDependencies,
): Promise<void> {
  assertVersion(ctx)
  await resumable.remove(parameterOf(ctx, 'id'), ownerOf(ctx))
  ctx.status = 204
}

/** Tells clients the version and the limits of the server. */
function describeProtocol(
  path: string,
  allowed: Middleware,
  { media }: Pick<ResumableDependencies, 'media'>,
): Middleware {
  return async (ctx, next) => {
    if (ctx.method === 'OPTIONS' && ctx.path.toLowerCase().startsWith(path)) {
      ctx.set('Tus-Resumable', TUS_VERSION)
      ctx.set('Tus-Version', TUS_VERSION)
      ctx.set('Tus-Extension', TUS_EXTENSIONS)
      ctx.set('Tus-Max-Size', String(media.receive.maxBytes))
    }
    await allowed(ctx, next)
  }
}

function completeOnce(
  ctx: Context,
  library: ResumableDependencies['media']['library'],
  lock: UploadLock,
  store: ResumableHandlers['store'],
): Promise<readonly MediaFile[]> {
  const { _id } = lock.row
  return lock.complete(async (received) => {
    await ctx.state.authorizeAgain?.() // a slow upload may outlast the token
    return storeOnce(ctx, library, _id, { received, store: () => store(ctx, received, _id) })
  })
}

async function replay(
  ctx: Context,
  library: ResumableDependencies['media']['library'],
  row: UploadRow,
): Promise<readonly MediaFile[]> {
  const file = await getStored(library, row)
  ctx.set('Idempotency-Replayed', 'true')
  return [file]
}

/** @throws ConflictError for a file in the trash, NotFoundError for one that is deleted for good */
async function getStored(
  library: ResumableDependencies['media']['library'],
  { _id }: UploadRow,
): Promise<MediaFile> {
  const file = await library.get(_id)
  if (file !== null) return file
  await library.assertNotInTrash(_id)
  throw new NotFoundError('The file of this upload was deleted')
}

/** @throws ConflictError for a file in the trash */
async function isFile(
  library: ResumableDependencies['media']['library'],
  documentId: string,
): Promise<boolean> {
  if ((await library.get(documentId)) !== null) return true
  await library.assertNotInTrash(documentId)
  return false
}

function assertOffset(ctx: Context, row: UploadRow, offset: number): void {
  const expected = shownOffset(row)
  if (offset !== expected) {
    throw new ConflictError(
      `Upload-Offset: expected ${expected}`,
      { offset: expected },
      { code: 'upload_offset' },
    )
  }
  assertLength(ctx, row, row.length - expected)
}

/** Bodies without a `Content-Length` are bounded by the number of parts only. */
function assertLength(ctx: Context, row: UploadRow, left: number): void {
  const sent = Number(ctx.get('Content-Length'))
  if (sent > left) throw new PayloadTooLargeError('The body exceeds the Upload-Length')
  const least = leastBytesOf(row)
  if (sent === 0 || sent >= Math.min(least, left)) return
  throw new ValidationError(
    `Content-Length: expected at least ${least} bytes in each request but the last`,
    {},
    { code: 'invalid_upload' },
  )
}

function show(ctx: Context, row: UploadRow): void {
  const { _id: id, length, expiresAt } = row
  const offset = shownOffset(row)
  ctx.set('Upload-Offset', String(offset))
  ctx.set('Upload-Expires', expiresAt.toUTCString())
  ctx.set('Cache-Control', 'no-store')
  ctx.body = { id, offset, length, expires: expiresAt.toISOString() }
}

/** @throws ValidationError for callers without an identity, who would share their uploads */
function ownerOf({ state: { principal } }: Context): string {
  const owner = principal.kind === 'root' ? 'root' : uploaderOf(principal)
  if (owner !== null) return owner
  throw new ValidationError(
    'Resumable uploads need a user or an API token',
    {},
    { code: 'invalid_upload' },
  )
}

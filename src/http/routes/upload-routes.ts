import { contentAction, pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { assertMay } from '../../people/access/permissions.ts'
import { mayReplaceFile, publicFilesOnly, uploaderOf } from '../../people/access/private-files.ts'
import { type Attachment, attachFiles, getAttachment } from '../../content/write/attach-files.ts'
import { showVersions } from '../../content/read/find-documents.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import type { Entry } from '../../content/read/row.ts'
import { ForbiddenError, NotFoundError, ValidationError } from '../../base/errors.ts'
import { type FileInfo, parseFileInfos } from '../../media/file-info.ts'
import type { MediaFile, MediaLibrary } from '../../media/media-library.ts'
import type { ReceiveOptions, Upload } from '../../media/receive-upload.ts'
import { parseEntryQuery, parseQuery } from '../../query/parse-query.ts'
import type { Query } from '../../query/query.ts'
import { bothFilters } from '../../query/ruled-type.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  type GuardedRouter,
  guardedRouter,
  type Guarded,
  permitted,
} from '../router/guarded-router.ts'
import { type DirectUploadDependencies, receiveForm, sendForm } from './direct-uploads.ts'
import type { ContentRouteDependencies } from '../content/handlers.ts'
import { listEnvelope } from '../answer/envelope.ts'
import { readOriginOf, rulesOf, writerOf } from '../reads/query-rules.ts'
import {
  addResumableRoutes,
  type ResumableDependencies,
  type ResumableHandlers,
} from './resumable-uploads.ts'
import { parameterOf, readQuery } from '../body/read-request.ts'
import {
  isHiddenFile,
  isMultipart,
  noFiles,
  receiveAuthorized,
} from '../body/receive-authorized.ts'
import type { Context } from '../router/state.ts'
import { readUploadId, storeOnce } from './upload-once.ts'
import { assertKnownParameters } from '../reads/strict-request.ts'
import { assertKnownBody, assertKnownParts } from '../reads/strict-request.ts'

export interface UploadRouteDependencies extends ContentRouteDependencies {
  readonly media: DirectUploadDependencies['media'] &
    ResumableDependencies['media'] & {
      readonly library: MediaLibrary
      readonly receive: ReceiveOptions
    }
}

const PARTS = ['files', 'fileInfo', 'ref', 'refId', 'field'] as const

const FILES = 'plugin::upload.content-api'
type FileVerb = PluginVerb<typeof FILES>

type UploadHandler = (ctx: Context, dependencies: UploadRouteDependencies) => Promise<void>

export function uploadRoutes(dependencies: UploadRouteDependencies): GuardedRouter {
  const { authenticate, readBody } = dependencies
  const router = guardedRouter('/api/upload')
  const handle = (verb: FileVerb, handler: (ctx: Context) => Promise<void>): Guarded =>
    permitted(pluginAction(FILES, verb), async (ctx) => {
      assertKnownParameters(ctx, dependencies.api, ['start', 'limit', 'id'])
      await handler(ctx)
    })
  // Checks the permission before it reads the body, so that unauthorized uploads are not received.
  const receiving = (run: UploadHandler): Guarded =>
    handle('upload', async (ctx) => {
      await readBody(ctx, () => run(ctx, dependencies))
    })
  router.post('/', authenticate, receiving(upload))
  router.post('/presign', authenticate, receiving(sendForm))
  router.post('/complete', authenticate, receiving(complete))
  const list = handle('find', (ctx) => find(ctx, dependencies))
  router.get('/files', authenticate, list)
  router.get(
    '/files/page',
    authenticate,
    handle('find', (ctx) => findFilePage(ctx, dependencies)),
  )
  const findOne = handle('findOne', async (ctx) => {
    ctx.body = await showFile(ctx, dependencies, await getFile(ctx, dependencies), ctx.querystring)
  })
  const showAddress = handle('findOne', async (ctx) => {
    ctx.body = await showFile(
      ctx,
      dependencies,
      await getFile(ctx, dependencies),
      'fields=url,formats',
    )
  })
  const destroy = handle('destroy', async (ctx) => {
    const record = await getFile(ctx, dependencies)
    const shown = await showFile(ctx, dependencies, record, '')
    if (!(await dependencies.media.library.remove(record))) throw new NotFoundError('file.notFound')
    ctx.body = shown
  })
  router.get('/files/:id', authenticate, findOne)
  router.get('/files/:id/address', authenticate, showAddress)
  router.delete('/files/:id', authenticate, destroy)
  return addResumable(router, dependencies, (handler) => handle('upload', handler))
}

function addResumable(
  router: GuardedRouter,
  dependencies: UploadRouteDependencies,
  handle: ResumableHandlers['handle'],
): GuardedRouter {
  return addResumableRoutes(router, dependencies, {
    place: { prefix: '/api/upload', route: '/resumable' },
    handle,
    assertInfo: (fileInfo) => readInfos([fileInfo], dependencies),
    store: (ctx, upload, documentId) => storeNew(ctx, dependencies, upload, [documentId]),
    respond: async (ctx, records) => {
      ctx.body = await showAll(ctx, dependencies, records, '')
    },
  })
}

/** `start` and `limit` are top-level parameters. The default limit is the maximum page size. */
async function find(ctx: Context, dependencies: UploadRouteDependencies): Promise<void> {
  const { documents, api } = dependencies
  const locales = await dependencies.locales.current()
  const { start, limit = String(api.maxLimit), ...query } = readQuery(ctx.querystring)
  const pagination = { start, limit, withCount: 'false' }
  const rules = rulesOf(ctx, dependencies, locales)
  const parsed = parseQuery({ ...query, pagination }, filePlan(dependencies), rules)
  const { entries } = await findEntries(documents.database, visibleOnly(ctx, parsed))
  ctx.body = entries.map(toFile)
}

async function findFilePage(ctx: Context, dependencies: UploadRouteDependencies): Promise<void> {
  const { documents } = dependencies
  const rules = rulesOf(ctx, dependencies, await dependencies.locales.current())
  const parsed = parseQuery(readQuery(ctx.querystring), filePlan(dependencies), rules)
  const found = await findEntries(documents.database, visibleOnly(ctx, parsed))
  ctx.body = listEnvelope({ ...found, entries: found.entries.map(toFile) }, parsed.page)
}

function visibleOnly({ state }: Context, query: Query): Query {
  const filter = bothFilters(query.filter, publicFilesOnly(state.principal, query.plan))
  return { ...query, filter }
}

async function upload(ctx: Context, dependencies: UploadRouteDependencies): Promise<void> {
  assertKnownBody(ctx, dependencies.api, ['fileInfo'])
  const { id } = readQuery(ctx.querystring)
  if (id === undefined) return create(ctx, dependencies)
  const record = typeof id === 'string' ? await dependencies.media.library.get(id) : null
  if (record === null || isHiddenFile(ctx, record)) throw new NotFoundError('Entity not found')
  if (!mayReplaceFile(ctx.state.principal, record)) {
    throw new ForbiddenError('Only the user who uploaded a file may replace it')
  }
  const changed = await change(ctx, dependencies, record)
  if (changed === null) throw new NotFoundError('Entity not found')
  ctx.body = await showFile(ctx, dependencies, changed, '')
}

async function create(ctx: Context, dependencies: UploadRouteDependencies): Promise<void> {
  if (!isMultipart(ctx)) throw noFiles()
  const { library, receive } = dependencies.media
  const id = readUploadId(ctx)
  const records = await receiveAuthorized(ctx, receive, async (received) => {
    assertKnownUpload(received, dependencies)
    assertFilled(received)
    if (received.files.length === 0) throw noFiles()
    if (id === null) return storeNew(ctx, dependencies, received)
    const store = (): Promise<readonly MediaFile[]> => storeNew(ctx, dependencies, received, [id])
    return storeOnce(ctx, library, id, { received, store })
  })
  ctx.status = 201
  ctx.body = await showAll(ctx, dependencies, records, '')
}

async function storeNew(
  ctx: Context,
  dependencies: UploadRouteDependencies,
  received: Upload,
  documentIds: readonly string[] = [],
): Promise<readonly MediaFile[]> {
  const attachment = await attachmentOf(ctx, dependencies, received)
  const attach = async (added: readonly MediaFile[]): Promise<void> => {
    if (attachment === null) return
    const files = added.map(({ documentId }) => documentId)
    const { defaultCode: locale } = await dependencies.locales.current()
    const by = { writer: writerOf(ctx, { locale }), origin: readOriginOf(ctx) }
    await attachFiles(dependencies.documents, attachment, files, by)
  }
  const infos = infosFor(received, await infosOf(received, dependencies), attachment)
  const options = { uploadedBy: uploaderOf(ctx.state.principal), documentIds, refusesTrashed: true }
  return dependencies.media.library.add(received, infos, attach, options)
}

async function complete(ctx: Context, dependencies: UploadRouteDependencies): Promise<void> {
  const records = await receiveForm(ctx, dependencies, (received) =>
    storeNew(ctx, dependencies, received),
  )
  ctx.status = 201
  ctx.body = await showAll(ctx, dependencies, records, '')
}

/** An attribute of private files makes them private, unless `fileInfo` contradicts. */
function infosFor(
  { files }: Upload,
  infos: readonly FileInfo[],
  attachment: Attachment | null,
): readonly FileInfo[] {
  if (attachment?.media.privateFiles !== true) return infos
  return files.map((_file, index) => ({ private: true, ...infos[index] }))
}

/** Changes metadata by `fileInfo`. A multipart body with a file also replaces the bytes. */
async function change(
  ctx: Context,
  dependencies: UploadRouteDependencies,
  record: MediaFile,
): Promise<MediaFile | null> {
  const { library, receive } = dependencies.media
  if (!isMultipart(ctx)) {
    const body = (ctx.request as { body?: { fileInfo?: unknown } | null }).body
    if (body?.fileInfo === undefined) throw noFiles()
    return library.edit(record, onlyOne(await readInfos([body.fileInfo], dependencies)))
  }
  return receiveAuthorized(ctx, receive, async (received) => {
    assertKnownUpload(received, dependencies)
    assertFilled(received)
    const info = onlyOne(await infosOf(received, dependencies))
    const [file, ...others] = received.files
    if (others.length > 0)
      throw new ValidationError(
        'A file is replaced by exactly one file',
        {},
        { code: 'invalid_upload' },
      )
    return file === undefined
      ? editOnly(library, record, received, info)
      : library.replace(record, received, file, info)
  })
}

function editOnly(
  library: MediaLibrary,
  record: MediaFile,
  { fields }: Upload,
  info: FileInfo,
): Promise<MediaFile | null> {
  if (!fields.has('fileInfo')) throw noFiles()
  return library.edit(record, info)
}

async function readInfos(
  sent: readonly unknown[],
  { api, locales }: Pick<UploadRouteDependencies, 'api' | 'locales'>,
  files = 1,
): Promise<readonly FileInfo[]> {
  const assertKeys = (keys: readonly string[], known: readonly string[], within: string) =>
    assertKnownParts(keys, api, known, within)
  return parseFileInfos(sent, { locales: await locales.current(), assertKeys }, files)
}

function assertKnownUpload({ fields, ignored }: Upload, { api }: UploadRouteDependencies): void {
  assertKnownParts([...fields.keys(), ...ignored], api, PARTS)
}

function infosOf(
  { fields, files }: Upload,
  dependencies: UploadRouteDependencies,
): Promise<readonly FileInfo[]> {
  // A request without a file changes the texts of one.
  return readInfos(fields.get('fileInfo') ?? [], dependencies, Math.max(1, files.length))
}

function onlyOne([info = {}]: readonly FileInfo[]): FileInfo {
  return info
}

/** Browsers send an unnamed part for an empty file input. It does not count as a file. */
function assertFilled({ files }: Upload): void {
  if (files.some(({ size }) => size === 0)) throw noFiles()
}

async function attachmentOf(
  ctx: Context,
  { documents, schema, locales }: UploadRouteDependencies,
  { fields }: Upload,
): Promise<Attachment | null> {
  const [ref, refId, field] = ['ref', 'refId', 'field'].map((name) => fields.get(name)?.at(-1))
  if (ref === undefined && refId === undefined && field === undefined) return null
  if (ref === undefined || refId === undefined || field === undefined) {
    throw new ValidationError(
      'ref, refId and field must be sent together',
      {},
      { code: 'invalid_upload' },
    )
  }
  const plan = ref.startsWith('api::') ? schema.contentTypes.get(ref) : undefined
  if (plan === undefined)
    throw new ValidationError(
      `ref: there is no content-type ${ref}`,
      {},
      { code: 'invalid_upload' },
    )
  assertMay(ctx.state.principal, contentAction(plan, 'update'))
  const { defaultCode } = await locales.current()
  return getAttachment(documents, plan, { refId, field }, defaultCode)
}

async function getFile(ctx: Context, dependencies: UploadRouteDependencies): Promise<MediaFile> {
  const record = await dependencies.media.library.get(parameterOf(ctx, 'id'))
  if (record === null || isHiddenFile(ctx, record)) throw new NotFoundError('file.notFound')
  return record
}

async function showFile(
  ctx: Context,
  dependencies: UploadRouteDependencies,
  record: MediaFile,
  querystring: string,
): Promise<Data> {
  const [shown = {}] = await showAll(ctx, dependencies, [record], querystring)
  return shown
}

async function showAll(
  ctx: Context,
  dependencies: UploadRouteDependencies,
  records: readonly MediaFile[],
  querystring: string,
): Promise<readonly Data[]> {
  const parsed = parseEntryQuery(
    readQuery(querystring),
    filePlan(dependencies),
    rulesOf(ctx, dependencies, await dependencies.locales.current()),
  )
  const { database } = dependencies.documents
  const entries = await showVersions(database, records, 'published', parsed)
  return entries.map(toFile)
}

/** The reference has this member only in responses of these routes. */
function toFile(entry: Entry): Data {
  const { url } = entry
  return { ...entry, isUrlSigned: typeof url === 'string' && url.includes('?') }
}

function filePlan({ documents }: UploadRouteDependencies): ContentTypePlan {
  return documents.contentType('plugin::upload.file')
}

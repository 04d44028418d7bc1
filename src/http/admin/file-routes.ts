import Joi from 'joi'
import { pluginAction, type PluginVerb } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import { uploaderOf } from '../../people/access/private-files.ts'
import { showVersions } from '../../content/read/find-documents.ts'
import { installedTranslations } from '../../content/read/localized-files.ts'
import { NotFoundError, ValidationError } from '../../base/errors.ts'
import { type FileInfo, parseFileInfos } from '../../media/file-info.ts'
import type { ParseRules } from '../../media/file-translations.ts'
import { findFileAttributes, findFiles, findUnusedFiles } from '../../media/find-files.ts'
import { FOLDER_CHANGE, type Folders, NEW_FOLDER } from '../../media/folders.ts'
import { type CropArea, MAX_SIDE, MIN_CROP } from '../../media/crop-area.ts'
import { revisionOfFile } from '../../media/file-records.ts'
import type { MediaFile, MediaLibrary } from '../../media/media-library.ts'
import type { ReceiveOptions, Upload } from '../../media/receive-upload.ts'
import type { ResumableUploads } from '../../media/resumable/resumable-uploads.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { sendTagged } from '../answer/entity-tag.ts'
import { payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { rulesOf } from '../reads/query-rules.ts'
import { assertKnownParts } from '../reads/strict-request.ts'
import {
  isHiddenFile,
  isMultipart,
  noFiles,
  receiveAuthorized,
} from '../body/receive-authorized.ts'
import type { Context } from '../router/state.ts'
import { readUploadId, storeOnce } from '../routes/upload-once.ts'
import { type AdminRouter, adminRouter } from '../router/admin-router.ts'
import type { EditorContentDependencies } from '../content/editor-content.ts'
import { sendUsages } from '../content/entry-routes.ts'
import { assertMatch, showOriginal } from './request/cropped-files.ts'
import { readFileSearch } from './request/read-file-search.ts'
import { readPage } from './request/page-of.ts'
import { addResumableFiles } from './resumable-files.ts'

export interface FileRouteDependencies extends EditorContentDependencies {
  readonly library: MediaLibrary
  readonly receive: ReceiveOptions
  readonly folders: Folders
  readonly resumable: ResumableUploads
}

const FILES = 'plugin::upload.content-api'
const may = (verb: PluginVerb<typeof FILES>): string => pluginAction(FILES, verb)

const MOVE = Joi.object<{ readonly ids: readonly string[]; readonly folder: string | null }>({
  ids: Joi.array().items(Joi.string().max(24)).min(1).max(500).unique().required(),
  folder: Joi.string().max(24).allow(null).required(),
})

const CHANGE = Joi.object<FileInfo & { readonly folder?: string | null }>({
  name: Joi.any(),
  alternativeText: Joi.any(),
  caption: Joi.any(),
  focalPoint: Joi.any(),
  private: Joi.any(),
  translations: Joi.any(),
  folder: Joi.string().max(24).allow(null),
})

const CROP = Joi.object<CropArea>({
  x: Joi.number().integer().min(0).max(MAX_SIDE).required(),
  y: Joi.number().integer().min(0).max(MAX_SIDE).required(),
  width: Joi.number().integer().min(MIN_CROP).max(MAX_SIDE).required(),
  height: Joi.number().integer().min(MIN_CROP).max(MAX_SIDE).required(),
})

export function fileRoutes(dependencies: FileRouteDependencies): GuardedRouter {
  const admin = adminRouter('/admin', dependencies)
  const { library } = dependencies
  admin.get('/files', may('find'), (ctx) => list(ctx, dependencies))
  admin.post('/files', may('upload'), (ctx) => upload(ctx, dependencies))
  admin.post('/files/move', may('upload'), (ctx) => move(ctx, dependencies))
  admin.get('/files/:id', may('findOne'), async (ctx) => {
    await sendDetails(ctx, dependencies, await recordOf(ctx, library))
  })
  admin.put('/files/:id', may('upload'), (ctx) => change(ctx, dependencies))
  admin.put('/files/:id/crop', may('upload'), (ctx) =>
    crop(ctx, dependencies, readInput(CROP, payloadOf(ctx))),
  )
  admin.delete('/files/:id/crop', may('upload'), (ctx) => crop(ctx, dependencies, null))
  admin.delete('/files/:id', may('destroy'), async (ctx) => {
    if (!(await library.remove(await recordOf(ctx, library)))) throw noSuchFile()
    ctx.status = 204
  })
  admin.get('/files/:id/usages', may('findOne'), async (ctx) => {
    const { documentId } = await recordOf(ctx, library)
    await sendUsages(ctx, dependencies, {
      uid: 'plugin::upload.file',
      documentIds: [documentId],
    })
  })
  addFolders(admin, dependencies)
  return addResumableFiles(admin.router, dependencies, {
    assertInfo: async (fileInfo) => parseFileInfos([fileInfo], await rulesFor(dependencies)),
    assertFolder: (folder) => assertFolder(dependencies, folder),
    store: (ctx, received, documentId) => storeNew(ctx, dependencies, received, documentId),
    show: (ctx, records) => showFiles(ctx, dependencies, records),
  })
}

function addFolders(admin: AdminRouter, { folders }: FileRouteDependencies): void {
  admin.get('/folders', may('find'), async (ctx) => {
    ctx.body = { data: await folders.list() }
  })
  admin.post('/folders', may('upload'), async (ctx) => {
    const created = await folders.create(readInput(NEW_FOLDER, payloadOf(ctx)))
    ctx.status = 201
    ctx.body = { data: created }
  })
  admin.put('/folders/:id', may('upload'), async (ctx) => {
    const input = readInput(FOLDER_CHANGE, payloadOf(ctx))
    ctx.body = { data: await folders.update(parameterOf(ctx, 'id'), input) }
  })
  admin.delete('/folders/:id', may('destroy'), async (ctx) => {
    ctx.body = { data: await folders.remove(parameterOf(ctx, 'id')) }
  })
}

async function list(ctx: Context, dependencies: FileRouteDependencies): Promise<void> {
  const { documents, schema, folders, locales } = dependencies
  const query = readQuery(ctx.querystring)
  const page = readPage(query)
  const { unused, ...search } = readFileSearch(query, await folders.ids(), await locales.current())
  const plan = filePlan(dependencies)
  const part = { start: page.start, size: page.pageSize }
  const places = findFileAttributes(plan, [...schema.contentTypes.values()])
  const { files, total, capped } = unused
    ? await findUnusedFiles(documents.database, plan, search, places, part)
    : await findFiles(documents.database, plan, search, part)
  ctx.body = {
    data: await showFiles(ctx, dependencies, files),
    meta: { pagination: page.show(total, capped) },
  }
}

async function upload(ctx: Context, dependencies: FileRouteDependencies): Promise<void> {
  const { library, receive } = dependencies
  if (!isMultipart(ctx)) throw noFiles()
  const id = readUploadId(ctx)
  const records = await receiveAuthorized(ctx, receive, async (received) => {
    assertPlain(received)
    const store = async (): Promise<readonly MediaFile[]> => {
      await assertFolder(dependencies, folderOf(received))
      return storeNew(ctx, dependencies, received, id)
    }
    return id === null ? store() : storeOnce(ctx, library, id, { received, store })
  })
  ctx.status = 201
  ctx.body = { data: await showFiles(ctx, dependencies, records) }
}

/** A folder that was deleted during a long upload does not refuse the file. It is at the root. */
async function storeNew(
  { state }: Context,
  dependencies: FileRouteDependencies,
  received: Upload,
  documentId: string | null,
): Promise<readonly MediaFile[]> {
  const { library, folders } = dependencies
  const wanted = folderOf(received)
  const folder = wanted !== null && (await folders.ids()).includes(wanted) ? wanted : null
  const sent = received.fields.get('fileInfo') ?? []
  const infos = parseFileInfos(sent, await rulesFor(dependencies), received.files.length)
  return library.add(received, infos, () => Promise.resolve(), {
    uploadedBy: uploaderOf(state.principal),
    documentIds: documentId === null ? [] : [documentId],
    refusesTrashed: true,
    folder,
  })
}

function folderOf({ fields }: Upload): string | null {
  return fields.get('folder')?.at(-1) ?? null
}

async function change(ctx: Context, dependencies: FileRouteDependencies): Promise<void> {
  const { library, receive } = dependencies
  const record = await recordOf(ctx, library)
  if (isMultipart(ctx)) {
    const replaced = await receiveAuthorized(ctx, receive, async (received) => {
      assertPlain(received)
      const [file, ...others] = received.files
      if (file === undefined || others.length > 0) throw noFiles()
      const sent = received.fields.get('fileInfo') ?? []
      const [info = {}] = parseFileInfos(sent, await rulesFor(dependencies))
      return library.replace(record, received, file, info)
    })
    ctx.body = { data: await showOne(ctx, dependencies, replaced) }
    return
  }
  const { folder, ...given } = readInput(CHANGE, payloadOf(ctx))
  if (folder !== undefined) await assertFolder(dependencies, folder)
  const [info = {}] = parseFileInfos([given], await rulesFor(dependencies, true))
  const edited = await library.edit(record, info)
  const moved =
    folder === undefined || edited === null ? edited : await library.move(edited, folder)
  ctx.body = { data: await showOne(ctx, dependencies, moved) }
}

async function crop(
  ctx: Context,
  dependencies: FileRouteDependencies,
  area: CropArea | null,
): Promise<void> {
  const { library } = dependencies
  const record = await recordOf(ctx, library)
  assertMatch(ctx, record)
  await sendDetails(ctx, dependencies, await library.crop(record, area))
}

async function sendDetails(
  ctx: Context,
  dependencies: FileRouteDependencies,
  record: MediaFile | null,
): Promise<void> {
  if (record === null) throw noSuchFile()
  const original = await showOriginal(ctx, record)
  const data = { ...(await showOne(ctx, dependencies, record)), ...(original && { original }) }
  sendTagged(ctx, { body: JSON.stringify({ data }), revision: revisionOfFile(record) })
}

async function move(ctx: Context, dependencies: FileRouteDependencies): Promise<void> {
  const { library } = dependencies
  const { ids, folder } = readInput(MOVE, payloadOf(ctx))
  await assertFolder(dependencies, folder)
  const results: object[] = []
  for (const id of ids) {
    const record = await library.get(id)
    const isMissing = record === null || isHiddenFile(ctx, record)
    const moved = isMissing ? null : await library.move(record, folder)
    results.push({ id, status: moved === null ? 404 : 200 })
  }
  ctx.body = { data: results }
}

async function assertFolder(
  { folders }: Pick<FileRouteDependencies, 'folders'>,
  folder: string | null,
): Promise<void> {
  if (folder === null || (await folders.ids()).includes(folder)) return
  throw inputError('folder', 'There is no such folder', folder, { code: 'any.unknown' })
}

async function recordOf(ctx: Context, library: MediaLibrary): Promise<MediaFile> {
  const record = await library.get(parameterOf(ctx, 'id'))
  if (record === null || isHiddenFile(ctx, record)) throw noSuchFile()
  return record
}

const LISTED_ATTRIBUTES = [
  'name',
  'alternativeText',
  'caption',
  'focalPoint',
  'width',
  'height',
  'formats',
  'thumbhash',
  'hash',
  'ext',
  'mime',
  'size',
  'url',
  'provider',
  'private',
  'createdAt',
  'updatedAt',
]

async function showOne(
  ctx: Context,
  dependencies: FileRouteDependencies,
  record: MediaFile | null,
): Promise<Data> {
  const [shown] = record === null ? [] : await showFiles(ctx, dependencies, [record])
  if (shown === undefined) throw noSuchFile()
  return shown
}

async function showFiles(
  ctx: Context,
  dependencies: FileRouteDependencies,
  records: readonly MediaFile[],
): Promise<readonly Data[]> {
  const { documents, folders } = dependencies
  const plan = filePlan(dependencies)
  const locales = await dependencies.locales.current()
  const rules = rulesOf(ctx, dependencies, locales)
  const query = parseEntryQuery({ fields: LISTED_ATTRIBUTES }, plan, rules)
  const entries = await showVersions(documents.database, records, 'published', query)
  const known = new Set(await folders.ids())
  return entries.map((entry, index) => {
    const folder = records[index]?.folder ?? null
    const translations = installedTranslations(records[index]?.translations, locales)
    return {
      ...entry,
      ...(translations !== null && { translations }),
      private: entry['private'] === true, // absent in older records
      folder: folder !== null && known.has(folder) ? folder : null,
    }
  })
}

function filePlan({ documents }: FileRouteDependencies): ContentTypePlan {
  return documents.contentType('plugin::upload.file')
}

/** Forms may have unknown keys, JSON may not. */
async function rulesFor(
  { locales }: FileRouteDependencies,
  strictQuery = false,
): Promise<ParseRules> {
  return {
    locales: await locales.current(),
    assertKeys: (keys, known, within) => assertKnownParts(keys, { strictQuery }, known, within),
  }
}

function assertPlain({ files, fields }: Upload): void {
  if (files.length === 0 || files.some(({ size }) => size === 0)) throw noFiles()
  const attaching = ['ref', 'refId', 'field'].find((name) => fields.has(name))
  if (attaching === undefined) return
  throw new ValidationError(`${attaching} is not known here`, {}, { code: 'invalid_upload' })
}

function noSuchFile(): NotFoundError {
  return new NotFoundError('There is no such file')
}

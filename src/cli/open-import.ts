import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { FileImport } from '../documents/import/import-from-source.ts'
import { type LocaleList, openLocales, readLocales } from '../locales/locales.ts'
import { HEAD_BYTES } from '../media/detect-type.ts'
import type { FileInfo } from '../media/file-info.ts'
import { cleanName } from '../media/file-name.ts'
import { openFolders } from '../media/folders.ts'
import { openImageWork } from '../media/images/image-work.ts'
import { type MediaLibrary, openMediaLibrary } from '../media/media-library.ts'
import { ensureTrash } from '../mongo/trash/trash-rows.ts'
import { assertIndexes } from '../mongo/indexes/assert-indexes.ts'
import { compileCollections } from '../mongo/indexes/collection-plan.ts'
import type { Database } from '../mongo/connection/database.ts'
import { openFileRecords } from '../media/file-records.ts'
import type { Data } from '../schema/definition.ts'
import type { Schema } from '../schema/plan.ts'
import { documentContext, openStorage, spoolFolder } from '../services.ts'
import type { OpenedImport } from './command.ts'

/**
 * What an import needs of an installation. For a dry run nothing is opened that would write. Otherwise the indexes
 * must be in place: only a start builds them, and without them an import could store what breaks a uniqueness.
 * @throws ApplicationError when they are not
 */
export async function openImport(
  { config, database, schema }: Installation,
  { dryRun }: { readonly dryRun: boolean },
): Promise<OpenedImport> {
  const { contentTypesDir } = config
  const maxFileBytes = config.upload.maxUploadBytes
  const documents = documentContext(database, schema)
  if (dryRun) {
    const locales = (): Promise<LocaleList> => readLocales(database)
    return { schema, documents, locales, destination: null, maxFileBytes, contentTypesDir }
  }
  await assertIndexes(database, [...compileCollections(schema).values()])
  await ensureTrash(database)
  const locales = await openLocales(database)
  const fileType = documents.contentType('plugin::upload.file')
  const records = openFileRecords(database, fileType, documents)
  const images = openImageWork()
  const storage = await openStorage(config, database)
  const library = openMediaLibrary({ storage, records, images })
  const spool = spoolFolder(config)
  const files = importInto(library, spool)
  const folders = await openFolders(database, fileType, documents.now)
  const destination = { documents, locales, files, storage, folders, spoolFolder: spool }
  return {
    schema,
    documents,
    locales: () => locales.current(),
    destination,
    maxFileBytes,
    contentTypesDir,
  }
}

interface Installation {
  readonly config: Config
  readonly database: Database
  readonly schema: Schema
}

function importInto(library: MediaLibrary, spool: string): FileImport {
  return {
    has: async (documentId) => (await library.get(documentId)) !== null,
    add: async (record, bytes) => {
      await mkdir(spool, { recursive: true })
      const folder = await mkdtemp(join(spool, 'import-'))
      try {
        const path = join(folder, 'file')
        await writeFile(path, bytes)
        const name = cleanName(String(record['name']))
        const type = String(record['mime'])
        const head = bytes.subarray(0, HEAD_BYTES)
        const files = [{ path, name, type, size: bytes.length, head }]
        const upload = { files, fields: new Map(), folder }
        const documentIds = [String(record['documentId'])]
        await library.add(upload, [infoOf(record, name)], () => Promise.resolve(), documentIds)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

function infoOf({ alternativeText, caption, focalPoint }: Data, name: string): FileInfo {
  return {
    name,
    alternativeText: (alternativeText ?? null) as string | null,
    caption: (caption ?? null) as string | null,
    focalPoint: (focalPoint ?? null) as NonNullable<FileInfo['focalPoint']> | null,
  }
}

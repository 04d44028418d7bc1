import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileImport } from '../transfer/import/import-from-source.ts'
import { type LocaleList, readLocales } from '../content/locales/locales.ts'
import { HEAD_BYTES } from '../media/detect-type.ts'
import type { FileInfo } from '../media/file-info.ts'
import { cleanName } from '../media/file-name.ts'
import type { MediaLibrary } from '../media/media-library.ts'
import { ensureTrash } from '../mongo/trash/trash-rows.ts'
import { assertIndexes } from '../mongo/indexes/assert-indexes.ts'
import { compileCollections } from '../mongo/indexes/collection-plan.ts'
import type { Data } from '../schema/definition.ts'
import type { Base } from '../server/services/open-base.ts'
import { openMedia } from '../server/services/open-media.ts'
import type { OpenedImport } from './command.ts'

/**
 * A dry run opens no part that writes. Otherwise the indexes must exist: without them an import
 * could store duplicates. @throws ApplicationError if indexes are missing
 */
export async function openImport(
  base: Base,
  { dryRun }: { readonly dryRun: boolean },
): Promise<OpenedImport> {
  const { config, database, schema, documents, spoolFolder } = base
  const { contentTypesDir } = config
  const maxFileBytes = config.upload.maxUploadBytes
  const parts = { schema, documents, maxFileBytes, contentTypesDir }
  if (dryRun) {
    const locales = (): Promise<LocaleList> => readLocales(database)
    return { ...parts, locales, destination: null }
  }
  await assertIndexes(database, [...compileCollections(schema).values()])
  await ensureTrash(database)
  const locales = await base.locales()
  const storage = await base.storage()
  const files = importInto(openMedia(base, storage).library, spoolFolder)
  const folders = await base.folders()
  const destination = { documents, locales, files, storage, folders, spoolFolder }
  return { ...parts, locales: () => locales.current(), destination }
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
        const upload = { files, fields: new Map(), ignored: new Set<string>(), folder }
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

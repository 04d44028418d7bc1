import { openFileStore } from '../transfer/file-store.ts'
import { type LocaleList, readLocales } from '../content/locales/locales.ts'
import { ensureComments } from '../mongo/trash/entry-comments.ts'
import { ensureReviews } from '../mongo/trash/entry-reviews.ts'
import { ensureTrash } from '../mongo/trash/trash-rows.ts'
import { assertIndexes } from '../mongo/indexes/assert-indexes.ts'
import { compileCollections } from '../mongo/indexes/collection-plan.ts'
import type { Base } from '../server/services/open-base.ts'
import { openMedia } from '../server/services/open-media.ts'
import type { OpenedImport } from './command.ts'

/** A dry run opens no part that writes. An import without indexes could store duplicates. @throws ApplicationError */
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
  await ensureComments(database)
  await ensureReviews(database)
  const locales = await base.locales()
  const storage = await base.storage()
  const { library } = await openMedia(base, storage)
  const files = openFileStore(library, spoolFolder)
  const folders = await base.folders()
  const destination = { documents, locales, files, storage, folders, spoolFolder }
  return { ...parts, locales: () => locales.current(), destination }
}

import { NotFoundError } from '../../base/errors.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { DocumentContext } from '../context.ts'
import { findUnits } from './find-units.ts'
import { readTranslated, type Translator } from './read-translated.ts'
import type { FileEntry, TranslationFile } from './translation-file.ts'

interface ExportRequest {
  readonly documentIds: readonly string[]
  readonly from: string
  readonly to: string
  readonly labelOf: (path: readonly string[]) => string
}

/**
 * The texts of the entries, with those of their translations.
 * @throws NotFoundError for an entry that the caller does not see in the locale of the source
 */
export async function exportTranslations(
  context: DocumentContext,
  translator: Translator,
  { documentIds, from, to, labelOf }: ExportRequest,
): Promise<TranslationFile> {
  const { plan, publicPlan, isShown } = translator
  const entries: FileEntry[] = []
  for (const documentId of documentIds) {
    const stored = await readTranslated(context, translator, { documentId, from, to })
    if (stored === null) throw new NotFoundError(`There is no entry ${documentId} in ${from}`)
    const units = findUnits(publicPlan, stored, null).filter(({ attribute }) => isShown(attribute))
    entries.push({
      uid: plan.uid,
      documentId,
      from,
      to,
      revision: revisionOf(stored.source),
      units: units.map(({ id, path, maxLength, source, target }) => ({
        id,
        label: labelOf(path),
        ...(maxLength !== null && { maxLength }),
        source,
        target,
      })),
    })
  }
  return { entries }
}

import { documentContext } from '../../../../src/server/services/document-context.ts'
import { type Services } from '../../../../src/server/services/open-services.ts'
import {
  importDocuments,
  type ImportProgress,
} from '../../../../src/transfer/import/import-documents.ts'
import type { Uid } from '../../../../src/schema/definition.ts'
import type { ContentTypePlan } from '../../../../src/schema/plan.ts'
import { type SamplePart, toImportedDocument } from './sample-document.ts'
import { addCovers, type Covers } from './sample-covers.ts'
import { addSampleLocales } from './sample-locales.ts'
import { beginMark, getMark, putMark } from './sample-mark.ts'
import { assertSampleTypes, type Sample } from './sample-parts.ts'

/** Receives the progress of a seed: each part begins, proceeds in batches, and ends. */
export interface SeedObserver {
  begin(plan: ContentTypePlan, count: number): void
  proceed(progress: ImportProgress): void
  end(progress: ImportProgress): void
}

export interface SeedReport extends ImportProgress {
  /** False if the signal interrupted it. */
  readonly complete: boolean
  readonly seconds: number
}

type SeedServices = Pick<Services, 'schema' | 'database' | 'locales' | 'storage'>

/**
 * Stores the missing documents of the sample. Safe to repeat.
 * @throws ConfigError unless the content-types of the sample are declared
 */
export async function seedSample(
  services: SeedServices,
  { parts }: Pick<Sample, 'parts'>,
  observer: SeedObserver,
  signal?: AbortSignal,
): Promise<SeedReport> {
  const { database, schema, locales } = services
  assertSampleTypes(schema)
  const startedAt = performance.now()
  await beginMark(database, schema)
  await addSampleLocales(locales)
  // In a complete sample a missing cover was deleted on purpose.
  const isNew = (await getMark(database))?.completedAt === null
  const covers = await addCovers(services, { drawMissing: isNew })
  const context = documentContext(database, schema)
  let [documents, added, complete] = [0, 0, true]
  for (const part of parts) {
    const plan = planOf(services, part.uid)
    observer.begin(plan, part.count)
    const report = await importDocuments(context, plan, imported(part, covers), {
      onBatch: (progress) => {
        observer.proceed(progress)
      },
      ...(signal !== undefined && { signal }),
    })
    observer.end(report)
    documents += report.documents
    added += report.added
    complete = report.complete
    if (!complete) break
  }
  if (complete) await putMark(database, { completedAt: new Date() })
  return { documents, added, complete, seconds: (performance.now() - startedAt) / 1_000 }
}

function* imported(
  part: SamplePart,
  covers: Covers,
): Generator<ReturnType<typeof toImportedDocument>> {
  for (const document of part.documents()) yield toImportedDocument(document, covers)
}

function planOf({ schema }: SeedServices, uid: Uid): ContentTypePlan {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`${uid} was asserted to be declared`)
  return plan
}

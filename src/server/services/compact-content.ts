import {
  changeCompaction,
  compactionRun,
  endCompaction,
} from '../../mongo/conversions/compaction-row.ts'
import { fenceOf } from '../../mongo/conversions/run-row.ts'
import { compileCollections } from '../../mongo/indexes/collection-plan.ts'
import { syncIndexes } from '../../mongo/indexes/sync-indexes.ts'
import { syncReservations } from '../../mongo/indexes/sync-reservations.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions } from '../../schema/definition.ts'
import { readStoredNames } from './enter-schema.ts'
import type { Base } from './open-base.ts'
import { type Compaction, compactSchema, planCompaction } from '../compaction/compact-schema.ts'

/** Moves the values and builds their indexes. @throws ConfigError, see `compactSchema` */
export async function compactContent(
  base: Base,
  definitions: Definitions,
  { isPlan, maxWaitMs }: { readonly isPlan: boolean; readonly maxWaitMs?: number },
): Promise<Compaction> {
  const { database, schema, entered, documents, extensions } = base
  const limit = maxWaitMs === undefined ? {} : { maxWaitMs }
  const { computed } = extensions
  const parts = { database, schema, computed, entered, now: documents.now, ...limit }
  if (isPlan) return planCompaction(parts)
  const { run, ...compaction } = await compactSchema(parts)
  if (run === null) return compaction
  if (await buildAgain(base, definitions, run)) await endCompaction(database, run)
  return compaction
}

/** Returns false for other declarations than those of the last start, because the next one builds their indexes. */
async function buildAgain(
  { database, extensions }: Base,
  definitions: Definitions,
  run: string,
): Promise<boolean> {
  const after = await readStoredNames(database, definitions)
  if (!after.isKnown || after.retyped.length > 0) return false
  const schema = compileSchema(after.definitions, after.storedNames, extensions.computed)
  const collections = [...compileCollections(schema).values()]
  await syncIndexes(database, collections, null, () => changeCompaction(database, run, {}))
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  await syncReservations(database, plans, fenceOf(database, compactionRun(run)))
  return true
}

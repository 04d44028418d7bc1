import { endCompaction } from '../../mongo/conversions/compaction-row.ts'
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
  const compaction = await compactSchema(parts)
  if (await buildAgain(base, definitions)) await endCompaction(database)
  return compaction
}

/** Returns false for other declarations than those of the last start, because the next one builds their indexes. */
async function buildAgain(
  { database, extensions }: Base,
  definitions: Definitions,
): Promise<boolean> {
  const after = await readStoredNames(database, definitions)
  if (!after.isKnown || after.retyped.length > 0) return false
  const schema = compileSchema(after.definitions, after.storedNames, extensions.computed)
  await syncIndexes(database, [...compileCollections(schema).values()])
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  await syncReservations(database, plans)
  return true
}

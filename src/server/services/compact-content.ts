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
  const { database, schema, entered, documents } = base
  const limit = maxWaitMs === undefined ? {} : { maxWaitMs }
  const parts = { database, schema, entered, now: documents.now, ...limit }
  if (isPlan) return planCompaction(parts)
  const compaction = await compactSchema(parts)
  await buildAgain(base, definitions)
  return compaction
}

/** A start builds the indexes of other declarations than those of the last one. */
async function buildAgain({ database, extensions }: Base, definitions: Definitions): Promise<void> {
  const after = await readStoredNames(database, definitions)
  if (!after.isKnown || after.retyped.length > 0) return
  const schema = compileSchema(after.definitions, after.storedNames, extensions.computed)
  await syncIndexes(database, [...compileCollections(schema).values()])
  const plans = [...schema.contentTypes.values()].filter(({ adopted }) => adopted === undefined)
  await syncReservations(database, plans)
}

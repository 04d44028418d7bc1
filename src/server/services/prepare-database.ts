import { headsOf } from '../../mongo/commits/heads.ts'
import { readLedger } from '../../mongo/system/schema-ledger.ts'
import type { Definitions } from '../../schema/definition.ts'
import { enterSchema } from './enter-schema.ts'
import { assertDeployment, fitContent } from './fit-content.ts'
import type { Base } from './open-base.ts'

/**
 * Creates collections and indexes like a server start, if no server has ever started on the
 * database. @throws ConfigError for a database that a server refuses
 */
export async function prepareNewDatabase(
  base: Base,
  definitions: Definitions,
  warn: (message: unknown) => void,
): Promise<void> {
  const { version } = await readLedger(base.database)
  const head = await headsOf(base.database).findOne({})
  if (version > 0 || head !== null) return
  const log = { info: () => undefined, debug: () => undefined, warn }
  await assertDeployment(base, log)
  await enterSchema(base.database, definitions)
  await fitContent(base, log)
}

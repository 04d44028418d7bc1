import type { Logger } from 'pino'
import {
  assertSameValues,
  OutdatedReleaseError,
} from '../../mongo/conversions/assert-same-values.ts'
import type { Base } from './open-base.ts'

/** Registers the process. Returns a check of the stored types for the end of the start, because a start may sleep, too. */
export async function announceEntered(
  base: Pick<Base, 'database' | 'entered'>,
  log: Pick<Logger, 'error'>,
): Promise<() => Promise<void>> {
  const assertValues = assertEntered(base, log)
  await base.database.announce(base.entered.digest, assertValues)
  return assertValues
}

/** The error of the check is logged once. */
function assertEntered(
  { database, entered }: Pick<Base, 'database' | 'entered'>,
  log: Pick<Logger, 'error'>,
): () => Promise<void> {
  let isLogged = false
  return () =>
    assertSameValues(database, entered.ledger).catch((err: unknown) => {
      if (err instanceof OutdatedReleaseError && !isLogged) {
        isLogged = true
        log.error({ err }, 'Another release has rewritten the stored values: no content is served')
      }
      throw err
    })
}

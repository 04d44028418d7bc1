import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { credentialHash } from '../access/credentials.ts'
import { openExpiringRows } from './expiring-rows.ts'
import { createId } from './random-tokens.ts'

export interface UsedTokens {
  /** Returns false if it was used before. The token must be invalid after `expiresAt`, because its row is deleted. */
  use(token: string, expiresAt: Date): Promise<boolean>
}

interface UsedRow {
  readonly _id: string
  readonly attempt: string
  readonly expiresAt: Date
}

export interface UsedTokensOptions {
  readonly db: Database
  readonly collection: string
  readonly now: () => Date
}

export async function openUsedTokens(options: UsedTokensOptions): Promise<UsedTokens> {
  const { rows, sweep } = await openExpiringRows<UsedRow>(options)
  return {
    use: async (token, expiresAt) => {
      await sweep()
      const row = { _id: credentialHash(token), attempt: createId(), expiresAt }
      try {
        await insertOnce(rows, row, 'attempt')
        return true
      } catch (error) {
        if (isDuplicateKey(error)) return false
        throw error
      }
    },
  }
}

import { openKnownDevices } from '../sign-in/known-devices.ts'
import type { AccountsContext } from './accounts.ts'
import { openSignInNotes } from './note-sign-ins.ts'
import { findDeviceAccount } from './users.ts'

export interface AccountsOptions extends Omit<
  AccountsContext,
  'behind' | 'notes' | 'knownDevices'
> {
  readonly secret: string
  readonly onBackgroundError: (error: unknown) => void
}

export interface Accounts extends AccountsContext {
  close(): Promise<void>
}

export function openAccounts(options: AccountsOptions): Accounts {
  const { onBackgroundError, secret, ...context } = options
  const running = new Set<Promise<unknown>>()
  return {
    ...context,
    knownDevices: openKnownDevices({
      secret,
      kind: 'end users',
      findAccount: (documentId) => findDeviceAccount(context, documentId),
    }),
    notes: openSignInNotes(context.db),
    behind: (work) => {
      const settled = work.catch(onBackgroundError).finally(() => running.delete(settled))
      running.add(settled)
    },
    close: async () => {
      await Promise.all(running)
    },
  }
}

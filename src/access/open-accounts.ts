import type { AccountsContext } from './accounts.ts'
import { openPasswords, type PasswordCost } from './passwords.ts'

export interface AccountsOptions extends Omit<AccountsContext, 'passwords' | 'behind'> {
  /** Absent: what is right for an installation in use. */
  readonly passwordCost?: PasswordCost
  /** Told of failures that no request waits for, such as a mail that cannot be sent. */
  readonly onBackgroundError: (error: unknown) => void
}

export interface Accounts extends AccountsContext {
  /** Waits for what is being done behind requests; call it before the database is closed. */
  close(): Promise<void>
}

export function openAccounts(options: AccountsOptions): Accounts {
  const { passwordCost, onBackgroundError, ...context } = options
  const running = new Set<Promise<unknown>>()
  return {
    ...context,
    passwords: openPasswords(passwordCost),
    behind: (work) => {
      const settled = work.catch(onBackgroundError).finally(() => running.delete(settled))
      running.add(settled)
    },
    close: async () => {
      await Promise.all(running)
    },
  }
}

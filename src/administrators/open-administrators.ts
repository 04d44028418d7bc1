import type { Actions } from '../access/actions.ts'
import { withAdministration } from '../access/administrator-actions.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Database } from '../mongo/connection/database.ts'
import { openStamped } from '../mongo/system/stamped.ts'
import { openAdminSessions } from './admin-sessions.ts'
import { type AdministratorsContext, loadStaff } from './administrators.ts'
import { openOneTimeLinks } from './one-time-links.ts'
import { openPresence } from './presence.ts'
import { openRecentWork } from './recent-work.ts'
import { openPreferences } from './preferences.ts'
import { ensureAdministrators } from './rows.ts'

export interface AdministratorsOptions {
  readonly db: Database
  /** What can be permitted to everybody. */
  readonly actions: Actions
  readonly passwords: Passwords
  readonly now: () => Date
}

/** Creates what must exist from the start; many processes may do so at once. */
export async function openAdministrators({
  db,
  actions,
  passwords,
  now,
}: AdministratorsOptions): Promise<AdministratorsContext> {
  const all = withAdministration(actions)
  await ensureAdministrators(db)
  const sessions = await openAdminSessions(db, now)
  const links = await openOneTimeLinks(db, now)
  const preferences = await openPreferences(db)
  const recent = await openRecentWork(db, now)
  const presence = await openPresence(db, now)
  const stamped = await openStamped({
    db,
    key: 'administrators',
    firstChange: 0,
    load: () => loadStaff(db, all),
    now,
  })
  const rooms = { sessions, links, preferences, recent, presence }
  return { db, actions: all, stamped, ...rooms, passwords, now }
}

import { hasCommitsAfter } from '../../mongo/commits/commits-of-user.ts'
import type { ClientName, PushClients } from '../../mongo/system/push-clients.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { SyncSources } from '../sync/read-changes.ts'
import type { SyncPage } from '../sync/read-page.ts'
import { parsePushClientId } from './push-request.ts'

/** Which mutations of a client the rows contain, as numbers. */
export interface PushedChanges {
  /** The rows of this page contain all mutations up to this one, without `failed`. */
  readonly rows: number
  /** After this page, so does the whole copy. Absent if that is not known yet. */
  readonly copy?: number
  /** Mutations that were not applied. Absent if there are none that the client has not acknowledged. */
  readonly failed?: readonly number[]
}

type HeadMoment = Pick<SyncSources, 'head' | 'moment'>

/** Null if the request names no client. Only end users have clients. @throws ValidationError */
export function pushClientOf(header: string, principal: Principal): ClientName | null {
  if (header === '' || principal.kind !== 'user') return null
  return { user: principal.documentId, client: parsePushClientId(header, ['Quire-Client']) }
}

/**
 * Call it before the page is read: without a snapshot, rows may be newer than these numbers, but not older.
 */
export async function readPushedChanges(
  clients: PushClients,
  name: ClientName | null,
  { head, moment }: HeadMoment,
): Promise<PushedChanges | null> {
  if (name === null) return null
  const { last: rows, failed } = await clients.progressAt(moment, name, head.log)
  const isBehind = await hasCommitsAfter(moment, head, name.user)
  return { rows, ...(!isBehind && { copy: rows }), ...(failed.length > 0 && { failed }) }
}

/** A copy with further pages does not contain all rows. */
export function pushedIn(
  pushed: PushedChanges | null,
  { more }: Pick<SyncPage, 'more'>,
): PushedChanges | null {
  if (pushed === null || !more) return pushed
  const { rows, failed } = pushed
  return { rows, ...(failed !== undefined && { failed }) }
}

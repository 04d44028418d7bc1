import { NotFoundError } from '../../../base/errors.ts'
import type { AssertSeen } from '../../../media/file-trash.ts'
import { pluginAction } from '../../../people/access/actions.ts'
import { may } from '../../../people/access/permissions.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import { parameterOf } from '../../body/read-request.ts'
import { isHiddenFile } from '../../body/receive-authorized.ts'
import type { Context } from '../../router/state.ts'
import type { VisibleType } from '../../../query/visible-type.ts'

export const UID_OF_FILES = 'plugin::upload.file'

const FILES = 'plugin::upload.content-api'

export type TrashVerb = 'create' | 'delete'

/** The permissions that restore a file and end its deletion. */
export const FILE_ACTIONS: Readonly<Record<TrashVerb, string>> = {
  create: pluginAction(FILES, 'upload'),
  delete: pluginAction(FILES, 'destroy'),
}

/** The trash shows files to callers that find files, private ones included. */
export function seenFiles({ state: { principal } }: Context): readonly VisibleType[] {
  if (!may(principal, pluginAction(FILES, 'find'))) return []
  return [{ type: UID_OF_FILES, locales: [NO_LOCALE], hidden: [] }]
}

export function isOfFile(ctx: Context): boolean {
  return parameterOf(ctx, 'uid') === UID_OF_FILES
}

/** Private files that the caller may not see are not in the trash for the caller. */
export function assertSeenBy(ctx: Context): AssertSeen {
  return (record) => {
    if (isHiddenFile(ctx, record)) throw new NotFoundError('This is not in the trash')
  }
}

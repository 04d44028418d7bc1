import { openDocumentHooks } from '../../content/hooks/run-hooks.ts'
import { openStampedAttributes } from '../../content/write-rules.ts'
import { openPasswords, type Passwords } from '../../people/sign-in/passwords.ts'
import type { DocumentContext } from '../../content/context.ts'
import { type ExtensionRegistry, NO_EXTENSIONS } from '../../extensions/extension-registry.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { openIdAllocator } from '../../mongo/system/id-allocator.ts'
import { newEntryId } from '../../mongo/versions/new-entry-id.ts'
import type { Uid } from '../../schema/definition.ts'
import { linkableType } from '../../schema/named-type.ts'
import { once } from '../../base/once.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'

/** One queue for all password hashes of the process. */
export const processPasswords = once(() => openPasswords())

export function documentContext(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  {
    passwords = processPasswords,
    extensions = NO_EXTENSIONS,
  }: {
    readonly passwords?: () => Pick<Passwords, 'hash'>
    readonly extensions?: ExtensionRegistry
  } = {},
): DocumentContext {
  const contentType = (uid: Uid): ContentTypePlan => {
    const plan = contentTypes.get(uid)
    if (plan === undefined) throw new Error(`there is no content-type ${uid}`)
    return plan
  }
  return {
    database,
    ids: openIdAllocator(database),
    contentType,
    linkable: (type) => linkableType({ contentTypes }, type),
    now: () => new Date(),
    newDocumentId: newEntryId,
    hooks: openDocumentHooks(extensions),
    stamped: openStampedAttributes(),
    hashPassword: (password) => passwords().hash(password),
  }
}

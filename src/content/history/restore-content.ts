import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { withPlaces } from '../../mongo/adopted/element-places.ts'
import { getWholeVersion } from '../../mongo/read/get-versions.ts'
import { retryChanged } from '../hooks/seen-versions.ts'
import { withoutLost } from '../payload/existing-references.ts'
import type { DocumentContext } from '../context.ts'
import { addressOf, updateDocument, updatePermitted } from '../write/update-document.ts'
import { isGivable, underRules, withSet } from '../write-rules.ts'
import type { WriteRequest } from '../write-target.ts'

/**
 * Null selects all attributes, or those that the permission lets the caller give. References to deleted documents
 * are omitted. @throws ValidationError, ForbiddenError
 */
export async function restoreContent(
  context: DocumentContext,
  target: WriteRequest,
  content: Data,
  only: readonly string[] | null,
): Promise<StoredVersion> {
  const { plan } = target
  const unknown = (only ?? []).find((name) => content[name] === undefined)
  if (unknown !== undefined) {
    throw new ValidationError(
      `This revision has no attribute ${unknown}`,
      { path: 'attributes', key: unknown },
      { code: 'invalid_key' },
    )
  }
  const names = only ?? Object.keys(content)
  const chosen = Object.fromEntries(names.map((name) => [name, content[name]]))
  const { data } = await withoutLost(context, plan, chosen)
  if (plan.adopted === undefined) return restore(context, target, data, only)
  return retryChanged(async () => {
    const { database } = context
    const seen = await getWholeVersion(database, plan, target.documentId, target.key, undefined)
    return restore(context, { ...target, seen }, withPlaces(plan, seen, data), only)
  })
}

function restore(
  context: DocumentContext,
  target: WriteRequest,
  data: Data,
  only: readonly string[] | null,
): Promise<StoredVersion> {
  const trusted = { ...target, isTrusted: true }
  if (only !== null) return updateDocument(context, trusted, data)
  const write = { ...addressOf(target), data, isCut: true }
  return underRules(context, target.writer.rules, write, (permit) => {
    const given = Object.entries(data).filter(([name]) => isGivable(permit, name))
    const own = withSet(Object.fromEntries(given), permit)
    return updatePermitted(context, { ...trusted, permit }, own)
  })
}

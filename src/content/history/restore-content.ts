import { isDeepStrictEqual } from 'node:util'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import { type ContentTypePlan, isNesting } from '../../schema/plan.ts'
import { withPlaces } from '../../mongo/adopted/element-places.ts'
import { getOverwritten } from '../../mongo/read/get-versions.ts'
import { retryChanged } from '../hooks/seen-versions.ts'
import { withoutLost } from '../payload/existing-references.ts'
import type { DocumentContext } from '../context.ts'
import { addressOf, updateDocument, updatePermitted } from '../write/update-document.ts'
import { isGivable, underRules, withSet } from '../write-rules.ts'
import type { WriteRequest } from '../write-target.ts'
import { pastContent } from './past-content.ts'

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
  const { plan, documentId, key } = target
  const unknown = (only ?? []).find((name) => content[name] === undefined)
  if (unknown !== undefined) {
    throw new ValidationError(
      `This revision has no attribute ${unknown}`,
      { path: 'attributes', key: unknown },
      { code: 'invalid_key' },
    )
  }
  return retryChanged(async () => {
    const seen = await getOverwritten(context.database, { plan, documentId, locale: key.locale })
    const names = only ?? differingFrom(plan, seen, content)
    const chosen = Object.fromEntries(names.map((name) => [name, content[name]]))
    const { data } = await withoutLost(context, plan, chosen)
    const placed = plan.adopted === undefined ? data : withPlaces(plan, seen, data)
    return restore(context, { ...target, seen }, placed, only)
  })
}

/** Leaves out equal components, which would get new ids and count as changed. */
function differingFrom(
  plan: ContentTypePlan,
  seen: StoredVersion | null,
  content: Data,
): readonly string[] {
  const current = seen === null ? {} : pastContent(plan, seen, () => true).content
  return Object.keys(content).filter((name) => {
    const attribute = plan.attributes.get(name)
    const isComponent = attribute !== undefined && isNesting(attribute)
    return !isComponent || !isDeepStrictEqual(content[name], current[name])
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

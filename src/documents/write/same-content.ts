import { unsetContent } from '../../mongo/versions/stored-content.ts'
import { areStoredAlike } from '../../mongo/versions/same-values.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/**
 * Whether the two versions of a locale have the same content. What is stored of an attribute that the type no longer has
 * does not count.
 */
export function haveSameContent(
  plan: ContentTypePlan,
  draft: StoredVersion,
  published: StoredVersion,
): boolean {
  return areStoredAlike(contentOf(plan, draft), contentOf(plan, published))
}

/** What a version holds of every attribute; an attribute that it has never heard of is unset. */
export function contentOf(plan: ContentTypePlan, version: Data): Data {
  return Object.fromEntries(
    [...plan.attributes.values()].map((attribute) => [
      attribute.name,
      version[attribute.name] ?? unsetContent(attribute),
    ]),
  )
}

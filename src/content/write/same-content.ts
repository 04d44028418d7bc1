import { unsetContent } from '../../mongo/versions/stored-content.ts'
import { areStoredAlike } from '../../mongo/versions/same-values.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/** Ignores attributes that are no longer declared. */
export function haveSameContent(
  plan: ContentTypePlan,
  draft: StoredVersion,
  published: StoredVersion,
): boolean {
  return areStoredAlike(contentOf(plan, draft), contentOf(plan, published))
}

export function contentOf(plan: ContentTypePlan, version: Data): Data {
  return Object.fromEntries(
    [...plan.attributes.values()].map((attribute) => [
      attribute.name,
      version[attribute.name] ?? unsetContent(attribute),
    ]),
  )
}

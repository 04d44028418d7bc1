import type { Data } from '../schema/definition.ts'
import type { ContentTypePlan } from '../schema/plan.ts'
import { invalidValue } from './query-error.ts'
import { PUBLICATION_FILTERS, type PublicationFilter } from './query.ts'

/** Content-types without drafts validate the value too. @throws ValidationError for an unknown value. */
export function parsePublicationFilter(query: Data): PublicationFilter | null {
  const asked = query['publicationFilter']
  if (asked === undefined) return null
  const known = PUBLICATION_FILTERS.find((one) => one === asked)
  if (known !== undefined) return known
  throw invalidValue('publicationFilter', `expected one of ${PUBLICATION_FILTERS.join(', ')}`)
}

/** An older name for two values of `publicationFilter`. @throws ValidationError unless `true` or `false`. */
export function parseHasPublishedVersion(query: Data): PublicationFilter | null {
  const asked = query['hasPublishedVersion']
  switch (asked) {
    case undefined:
      return null
    case 'true':
      return 'has-published-version-document'
    case 'false':
      return 'never-published-document'
    default:
      throw invalidValue('hasPublishedVersion', 'expected true or false')
  }
}

export function parsePublication(
  query: Data,
  { draftAndPublish }: ContentTypePlan,
): readonly PublicationFilter[] {
  const asked = [parsePublicationFilter(query), parseHasPublishedVersion(query)]
  return draftAndPublish ? asked.filter((one) => one !== null) : []
}

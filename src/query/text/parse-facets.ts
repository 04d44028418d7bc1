import type { AttributePlan, ContentTypePlan } from '../../schema/plan.ts'
import { isGroupedValue } from '../aggregate.ts'
import { parsePopulate, type PopulateRules } from '../populate/parse-populate.ts'
import { invalidValue } from '../query-error.ts'
import type { GroupKey, RelationNode, TextSearch, VersionSelection } from '../query.ts'

/** Each facet reads the hits again. */
export const MAX_FACETS = 5

const PATH = 'search[facets]'

/** Unknown, hidden and unsuitable attributes have the same error. @throws ValidationError */
export function parseFacets(
  given: unknown,
  plan: ContentTypePlan,
  rules: PopulateRules,
): readonly GroupKey[] {
  if (given === undefined) return []
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given
  if (!Array.isArray(names) || names.length > MAX_FACETS) {
    throw invalidValue(PATH, `expected at most ${MAX_FACETS} attributes, such as category`)
  }
  return [...new Set<unknown>(names)].map((name) => {
    const member = typeof name === 'string' ? plan.members.get(name) : undefined
    const key = member === undefined ? null : facetKey(member, plan, rules)
    if (key !== null) return key
    throw invalidValue(PATH, `${String(name).slice(0, 64)} has no facet`)
  })
}

function facetKey(
  member: AttributePlan,
  plan: ContentTypePlan,
  rules: PopulateRules,
): GroupKey | null {
  if (!isFaceted(member)) return null
  const { name } = member
  if (member.kind === 'scalar') return { kind: 'value', name, attribute: member }
  // Without the relation if the caller may not read its target.
  const [node] = parsePopulate({ [name]: { fields: ['documentId'] } }, plan, rules)
  return node === undefined ? null : { kind: 'relation', name, node: node as RelationNode }
}

/** Adopted targets have no versions to look up. */
export function isFaceted(member: AttributePlan): boolean {
  if (member.private) return false
  if (member.kind === 'relation') return member.target().adopted === undefined
  return isGroupedValue(member)
}

/** Entries of several languages have no common version of a target. @throws ValidationError */
export function assertFacetLocale(
  search: TextSearch | null,
  { locales, firstOnly }: VersionSelection,
): void {
  if (search === null || search.facets.length === 0) return
  if (locales.length <= 1 || firstOnly === true) return
  throw invalidValue(PATH, 'a search in several languages has no facets; use locale')
}

import type { Filter, RelatedFilter } from '../../query/query.ts'
import { USER_TYPE } from './operands.ts'

/** Marks relations to the signed-in user, which exists, so that reads do not look it up. */
export function withKnownUser(filter: Filter | null, user: string | null): Filter | null {
  return filter === null || user === null ? filter : marked(filter, user)
}

function marked(filter: Filter, user: string): Filter {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return { ...filter, of: filter.of.map((one) => marked(one, user)) }
    case 'not':
    case 'within':
      return { ...filter, of: marked(filter.of, user) }
    case 'related':
      return isUser(filter, user) ? { ...filter, knownId: user } : filter
    case 'compare':
      return filter
  }
}

function isUser({ relation, locales, of }: RelatedFilter, user: string): boolean {
  const [first = of, ...others] = of.kind === 'all' ? of.of : [of]
  if (locales !== 'shown' || relation.targetUid !== USER_TYPE) return false
  if (first.kind !== 'compare' || others.length > 0) return false
  const { attribute, operator, operand } = first
  return attribute.name === 'documentId' && operator === 'eq' && operand === user
}

import { compileSelection } from '@quire/engine/filter'
import { BSON, type Document } from 'mongodb'
import type { Filter, RelatedFilter } from '../../query/query.ts'
import { type ResolvedRelations, translateFilter } from '../read/translate-filter.ts'
import { isExact, namedDocuments } from './match.ts'

/** A condition that the members of a version in a commit item decide exactly. */
export interface CarriedCondition {
  /** Stored names of the members that it compares. */
  readonly names: readonly string[]
  /** The same condition for the database. A relation compares the stored documentIds, even of missing targets. */
  readonly match: Document
  /** Null if `members` lacks one of the names. */
  matches(members: Document): boolean | null
}

/** Explains why a condition cannot be carried. */
export class NotCarried extends Error {}

/** @throws NotCarried */
export function carriedCondition(filter: Filter): CarriedCondition {
  const names = new Set<string>()
  const relations = new Map<RelatedFilter, readonly string[]>()
  collect(filter, names, relations)
  const resolved: ResolvedRelations = relations
  const match = translateFilter(filter, resolved)
  const select = compileSelection(BSON.serialize(match), BSON.serialize({}))
  return {
    names: [...names],
    match,
    matches: (members) => {
      if ([...names].some((name) => !Object.hasOwn(members, name))) return null
      return select([BSON.serialize(members)]).length > 0
    },
  }
}

function collect(
  filter: Filter,
  names: Set<string>,
  relations: Map<RelatedFilter, readonly string[]>,
): void {
  switch (filter.kind) {
    case 'all':
    case 'any':
      for (const one of filter.of) collect(one, names, relations)
      return
    case 'not':
      collect(filter.of, names, relations)
      return
    case 'compare': {
      const { attribute, operator } = filter
      if (!isExact(filter)) {
        const problem = `${attribute.name}: sync cannot decide $${operator} of ${attribute.type}`
        throw new NotCarried(`${problem}, because only the database compares it exactly`)
      }
      names.add(memberOf(attribute.storedName))
      return
    }
    case 'within':
      throw new NotCarried(`${filter.component.name}: sync compares no attributes of components`)
    case 'related':
      names.add(filter.relation.storedName)
      relations.set(filter, targetsOf(filter))
  }
}

/** Authors are stored as objects. */
function memberOf(storedName: string): string {
  return storedName.split('.')[0] ?? storedName
}

function targetsOf({ relation, locales, of }: RelatedFilter): readonly string[] {
  const targets = relation.side === 'owner' && locales === 'shown' ? namedDocuments(of) : null
  if (targets === null) {
    throw new NotCarried(
      `${relation.name}: sync compares a relation with documentIds only, on the side that stores it`,
    )
  }
  return [...targets].map(String)
}

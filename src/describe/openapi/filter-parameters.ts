import { operatorsOf } from '../../query/parse-comparison.ts'
import type { Operator } from '../../query/query.ts'
import type {
  ShapePlan,
  AttributePlan,
  ContentTypePlan,
  RelationPlan,
  ScalarPlan,
} from '../../schema/plan.ts'
import { type Parameter, queryParameter } from './parameters.ts'
import { operandSchema } from './scalar-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

const BELOW: ReadonlySet<Operator> = new Set([
  'eq',
  'ne',
  'in',
  'lt',
  'lte',
  'gt',
  'gte',
  'containsi',
  'null',
])

/** Named as in a URL, because generated clients cannot send brackets otherwise. */
export function filterParameters(
  vocabulary: Vocabulary,
  plan: ContentTypePlan,
): readonly Parameter[] {
  return [...plan.members.values()].flatMap((member): readonly Parameter[] => {
    if (member.private) return []
    if (member.kind === 'scalar') {
      return isStored(member) && comparable(plan, member.name)
        ? parametersOf(member, [], () => true)
        : []
    }
    const below = leadsTo(vocabulary, member)
    if (below === null) return []
    return [...below.members.values()].flatMap((inner) =>
      inner.kind === 'scalar' &&
      isStored(inner) &&
      !inner.private &&
      comparable(plan, member.name, inner.name)
        ? parametersOf(inner, [member.name], (operator) => BELOW.has(operator))
        : [],
    )
  })
}

function isStored({ computed }: ScalarPlan): boolean {
  return computed === undefined
}

function leadsTo(
  vocabulary: Vocabulary,
  member: Exclude<AttributePlan, ScalarPlan>,
): ShapePlan | null {
  switch (member.kind) {
    case 'relation':
      return isReadable(vocabulary, member) ? member.target() : null
    case 'component':
      return member.component()
    case 'media':
    case 'dynamiczone':
      return null
  }
}

export function isReadable(vocabulary: Vocabulary, relation: RelationPlan): boolean {
  return !relation.private && vocabulary.mayRead(relation.targetUid)
}

function parametersOf(
  attribute: ScalarPlan,
  through: readonly string[],
  isNamed: (operator: Operator) => boolean,
): readonly Parameter[] {
  const path = [...through, attribute.name].map((name) => `[${name}]`).join('')
  return operatorsOf(attribute.type)
    .filter(isNamed)
    .flatMap((operator) => {
      const name = `filters${path}[$${operator}]`
      if (operator === 'near' || operator === 'within') return areaParameters(name, operator)
      return [queryParameter(name, operandSchema(attribute, operator))]
    })
}

/** Polygons are omitted, because parameters are single values and lists of them. */
function areaParameters(name: string, operator: 'near' | 'within'): readonly Parameter[] {
  const members = operator === 'near' ? NEAR : WITHIN
  return members.map((path) => queryParameter(`${name}${path}`, { type: 'number' }))
}

const NEAR = ['[latitude]', '[longitude]', '[maxDistance]']
const WITHIN = [
  ...['south', 'west', 'north', 'east'].map((side) => `[box][${side}]`),
  ...['latitude', 'longitude', 'radius'].map((member) => `[circle][${member}]`),
]

function comparable({ filterable }: ContentTypePlan, ...path: readonly string[]): boolean {
  return filterable === null || filterable.includes(path.join('.'))
}

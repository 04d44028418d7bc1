import type { Grants } from '../people/access/principal.ts'
import { givenAttributesOf, mayUnderRule, shownAttributes } from '../people/access/ruled-reads.ts'
import { restrictPlan } from '../query/ruled-type.ts'
import type { Uid } from '../schema/definition.ts'
import type {
  AttributePlan,
  ComponentPlan,
  ContentTypePlan,
  Schema,
  ShapePlan,
} from '../schema/plan.ts'

interface DescribedReader {
  readonly schema: Schema
  readonly grants: Grants
}

/**
 * A permission under a rule counts as granted. Attributes that the rules of reads hide are private, and those that the
 * rules of writes refuse are not writable.
 */
export function describedReader(schema: Schema, grants: Grants): DescribedReader {
  if (grants.rules === undefined) return { schema, grants }
  const types = new Map<Uid, ContentTypePlan>()
  const components = new Map<Uid, ComponentPlan>()
  const linked = <Plan extends ShapePlan>(plan: Plan): Plan => ({
    ...plan,
    attributes: linkAll(plan.attributes, types, components),
    members: linkAll(plan.members, types, components),
  })
  for (const plan of schema.contentTypes.values()) {
    const fields = shownAttributes({ grants }, plan)
    const shown = fields === null ? plan : restrictPlan(plan, fields)
    const given = givenAttributesOf({ grants }, plan)
    types.set(plan.uid, linked(given === null ? shown : withWritable(shown, given)))
  }
  for (const plan of schema.components.values()) components.set(plan.uid, linked(plan))
  return {
    schema: { ...schema, contentTypes: types, components },
    grants: { has: (action) => mayUnderRule({ grants }, action) },
  }
}

function withWritable(plan: ContentTypePlan, given: ReadonlySet<string>): ContentTypePlan {
  const limited = (members: ReadonlyMap<string, AttributePlan>) =>
    new Map(
      [...members].map(([name, member]): [string, AttributePlan] => [
        name,
        given.has(member.aliasOf ?? member.name) ? member : { ...member, writable: false },
      ]),
    )
  return { ...plan, attributes: limited(plan.attributes), members: limited(plan.members) }
}

type Types = ReadonlyMap<Uid, ContentTypePlan>
type Components = ReadonlyMap<Uid, ComponentPlan>

function linkAll(
  members: ReadonlyMap<string, AttributePlan>,
  types: Types,
  components: Components,
): ReadonlyMap<string, AttributePlan> {
  return new Map(
    [...members].map(([name, member]) => [name, linkMember(member, types, components)]),
  )
}

/** Copies an attribute. Its relation targets and components are those of the described schema. */
function linkMember(member: AttributePlan, types: Types, components: Components): AttributePlan {
  switch (member.kind) {
    case 'scalar':
    case 'media':
      return member
    case 'relation':
      return { ...member, target: () => types.get(member.targetUid) ?? member.target() }
    case 'component': {
      const component = member.component()
      return { ...member, component: () => components.get(component.uid) ?? component }
    }
    case 'dynamiczone':
      return {
        ...member,
        components: () =>
          new Map([...member.components()].map(([uid, one]) => [uid, components.get(uid) ?? one])),
      }
  }
}

import type { Uid } from '../../schema/definition.ts'
import { linkableType, uidsOfType } from '../../schema/named-type.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

type Types = ReadonlyMap<string, ContentTypePlan>

const cached = new WeakMap<Types, ReadonlyMap<string, Uid>>()

/** The uids by which links in blocks name types that the caller may find. Includes uids of earlier releases. */
export function linksTo(types: Types, mayRead: (uid: Uid) => boolean): ReadonlySet<string> {
  const named = cached.get(types) ?? namedTypes(types)
  cached.set(types, named)
  return new Set([...named].filter(([, uid]) => mayRead(uid)).map(([name]) => name))
}

function namedTypes(types: Types): ReadonlyMap<string, Uid> {
  const plans = [...types.values()]
  const contentTypes = new Map(plans.map((plan) => [plan.uid, plan]))
  const names = plans.flatMap(uidsOfType)
  return new Map(
    names.flatMap((name) => {
      const plan = linkableType({ contentTypes }, name)
      return plan === null ? [] : [[name, plan.uid]]
    }),
  )
}

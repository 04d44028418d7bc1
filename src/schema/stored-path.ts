import { type AttributePlan, type ComponentPlan, isNesting, type ShapePlan } from './plan.ts'

/** Rows that outlive a release, such as rules, keep stored paths. Unknown names stay as they are. */
export function storedPathOf(plan: ShapePlan, path: string): string {
  if (!plan.isRenamed()) return path
  return translate(plan, path, {
    find: ({ members }, name) => members.get(name),
    nameOf: ({ storedName }) => storedName,
  })
}

export function currentPathOf(plan: ShapePlan, storedPath: string): string {
  if (!plan.isRenamed()) return storedPath
  return translate(plan, storedPath, {
    find: ({ stored }, name) => stored.get(name),
    nameOf: ({ name }) => name,
  })
}

/** The current name of an attribute that may have an older name, such as in an archive. Null if there is none. */
export function currentAttributeName({ attributes }: ShapePlan, name: string): string | null {
  if (attributes.has(name)) return name
  return (
    [...attributes.values()].find(({ formerNames }) => formerNames.includes(name))?.name ?? null
  )
}

interface Translation {
  readonly find: (plan: ShapePlan, name: string) => AttributePlan | undefined
  readonly nameOf: (attribute: AttributePlan) => string
}

function translate(plan: ShapePlan, path: string, translation: Translation): string {
  const [first = path, ...rest] = path.split('.')
  const member = translation.find(plan, first)
  const name = member === undefined ? first : translation.nameOf(member)
  if (rest.length === 0) return name
  const inner = rest.join('.')
  const holder = member === undefined ? null : holderOf(member, rest[0] ?? '', translation)
  return `${name}.${holder === null ? inner : translate(holder, inner, translation)}`
}

/** A path into a dynamic zone names no component, so the first one with the attribute counts. */
function holderOf(
  member: AttributePlan,
  name: string,
  { find }: Translation,
): ComponentPlan | null {
  if (!isNesting(member)) return null
  const components =
    member.kind === 'component' ? [member.component()] : [...member.components().values()]
  return components.find((one) => find(one, name) !== undefined) ?? null
}

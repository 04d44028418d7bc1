import type { Data } from '../../schema/definition.ts'
import type { ShapePlan, ComponentPlan, ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import { isNesting, componentOf, type NestingPlan } from '../../schema/nesting.ts'

/** A value inside a component that must be unique under the same attribute path. */
export interface NestedUnique {
  readonly attribute: ScalarPlan
  readonly value: unknown
  /** Path from the entry, with list positions: `['links', '1', 'url']`. */
  readonly path: readonly string[]
  /**
   * Path without positions, with the components of dynamic zones. Values with the same place are
   * compared.
   */
  readonly place: string
  /** One of `nestedUniqueNames`. */
  readonly name: string
}

const known = new WeakMap<ContentTypePlan, readonly string[]>()

/**
 * The unique attributes of components, as `links(shared.link).url`: root attribute, component,
 * attribute.
 */
export function nestedUniqueNames(plan: ContentTypePlan): readonly string[] {
  const names = known.get(plan) ?? nestingOf(plan).flatMap(namesUnder)
  known.set(plan, names)
  return names
}

function namesUnder(root: NestingPlan): readonly string[] {
  const reached = new Map<string, ComponentPlan>()
  const reach = (attribute: NestingPlan): void => {
    for (const component of componentsOf(attribute)) {
      if (reached.has(component.uid)) continue // components may contain themselves
      reached.set(component.uid, component)
      nestingOf(component).forEach(reach)
    }
  }
  reach(root)
  return [...reached.values()].flatMap((component) =>
    uniqueOf(component).map((attribute) => nameOf(root, component, attribute)),
  )
}

/**
 * The values of a version that must be unique in its components, in order. Null and the empty text
 * are left out.
 */
export function nestedUniqueValues(plan: ContentTypePlan, version: Data): readonly NestedUnique[] {
  if (nestedUniqueNames(plan).length === 0) return []
  return nestingOf(plan).flatMap((root) =>
    valuesUnder(root, version[root.name], {
      root,
      path: [root.name],
      place: root.name,
      isHidden: root.private,
    }),
  )
}

interface Way {
  readonly root: NestingPlan
  readonly path: readonly string[]
  readonly place: string
  /** Errors below a private attribute contain no values. */
  readonly isHidden: boolean
}

function valuesUnder(attribute: NestingPlan, stored: unknown, way: Way): readonly NestedUnique[] {
  const isList = Array.isArray(stored)
  const elements = (isList ? stored : [stored ?? null]) as readonly (Data | null)[]
  return elements.flatMap((element, index) => {
    if (element === null) return []
    const component = componentOf(attribute, element)
    if (component === undefined) return []
    const path = isList ? [...way.path, String(index)] : way.path
    const inZone = attribute.kind === 'dynamiczone' ? `[${component.uid}]` : ''
    const inside = { ...way, path, place: `${way.place}${inZone}` }
    return [
      ...uniqueOf(component).flatMap((scalar) => valueOf(scalar, component, element, inside)),
      ...nestingOf(component).flatMap((inner) =>
        valuesUnder(inner, element[inner.name], {
          root: way.root,
          path: [...path, inner.name],
          place: `${inside.place}.${inner.name}`,
          isHidden: way.isHidden || inner.private,
        }),
      ),
    ]
  })
}

function valueOf(
  attribute: ScalarPlan,
  component: ComponentPlan,
  element: Data,
  { root, path, place, isHidden }: Way,
): readonly NestedUnique[] {
  const { name } = attribute
  const value = element[name] ?? null
  if (value === null || value === '') return []
  return [
    {
      attribute: isHidden ? { ...attribute, private: true } : attribute,
      value,
      path: [...path, name],
      place: `${place}.${name}`,
      name: nameOf(root, component, attribute),
    },
  ]
}

function nameOf(root: NestingPlan, { uid }: ComponentPlan, { name }: ScalarPlan): string {
  return `${root.name}(${uid}).${name}`
}

function nestingOf({ attributes }: ShapePlan): readonly NestingPlan[] {
  return [...attributes.values()].filter(isNesting)
}

function uniqueOf({ attributes }: ShapePlan): readonly ScalarPlan[] {
  return [...attributes.values()].filter(
    (attribute): attribute is ScalarPlan => attribute.kind === 'scalar' && attribute.unique,
  )
}

function componentsOf(attribute: NestingPlan): readonly ComponentPlan[] {
  return attribute.kind === 'component'
    ? [attribute.component()]
    : [...attribute.components().values()]
}

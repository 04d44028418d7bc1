import type { Data } from '../../schema/definition.ts'
import { componentOf, type ComponentPlan, type NestingPlan } from '../../schema/plan.ts'
import { isList } from '../payload/component-values.ts'

/**
 * The element of the translation for each element of the source:
 * - `named`: the file names it by id, or the field is no list.
 * - `begun`: the translation has no elements yet and gets those of the source.
 * - `byPosition`: both lists have the same components in the same order.
 * - `replaced`: the lists differ, so a translation would replace the list.
 */
export type MatchKind = 'named' | 'begun' | 'byPosition' | 'replaced'

export interface MatchedElement {
  /** With the uid of the component in a zone, where ids of different components can be equal. */
  readonly key: string
  readonly component: ComponentPlan
  readonly source: Data
  /** Null without one. */
  readonly target: Data | null
  /** Whether the file names an element that the translation no longer has, or no element of a list that has some. */
  readonly isGone: boolean
  /** In the list of the source. */
  readonly index: number
}

export interface Match {
  readonly kind: MatchKind
  readonly elements: readonly MatchedElement[]
}

/** Ids of elements and names of paragraphs of the translation by the keys of those of the source (`place`). */
export type NamedElements = ReadonlyMap<string, string>

/** @param named null to match the lists as they are now */
export function matchElements(
  attribute: NestingPlan,
  place: string,
  { source, target }: { readonly source: unknown; readonly target: unknown },
  named: NamedElements | null,
): Match {
  if (!isList(attribute)) return matchSingle(attribute, place, { source, target })
  const own = listOf(attribute, source)
  const others = listOf(attribute, target)
  const of = (kind: MatchKind, find: (one: Element) => Data | null, isGone = false): Match => ({
    kind,
    elements: own.flatMap((one): readonly MatchedElement[] => {
      const { id: _id, ...element } = one
      if (one.id === null) return []
      const found = find(one)
      const key = `${place}/${one.id}`
      return [{ ...element, key, target: found, isGone: isGone && found === null }]
    }),
  })
  const isNamed = own.some(({ id }) => named?.has(`${place}/${id ?? ''}`) === true)
  if (isNamed) {
    const byId = new Map(others.map(({ id, source: element }) => [id, element]))
    const find = ({ id, component }: Element): Data | null => {
      const other = named?.get(`${place}/${id ?? ''}`)
      return other === undefined ? null : (byId.get(idOf(attribute, component, other)) ?? null)
    }
    return of('named', find, true)
  }
  if (others.length === 0) return of('begun', () => null)
  const isSame =
    own.length === others.length &&
    own.every(({ component }, index) => component.uid === others[index]?.component.uid)
  if (!isSame) return of('replaced', () => null)
  return of('byPosition', ({ index }) => others[index]?.source ?? null)
}

interface Element {
  readonly id: string | null
  readonly component: ComponentPlan
  readonly source: Data
  readonly index: number
}

function matchSingle(
  attribute: NestingPlan,
  place: string,
  { source, target }: { readonly source: unknown; readonly target: unknown },
): Match {
  const [element] = listOf(attribute, [source])
  if (element === undefined) return { kind: 'named', elements: [] }
  const [other] = listOf(attribute, [target])
  const { component } = element
  const match = { key: place, component, index: 0, isGone: false }
  return {
    kind: other === undefined ? 'begun' : 'named',
    elements: [{ ...match, source: element.source, target: other?.source ?? null }],
  }
}

function listOf(attribute: NestingPlan, value: unknown): readonly Element[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  const seen = new Set<string>()
  return list.flatMap((one, index): readonly Element[] => {
    if (typeof one !== 'object' || one === null) return []
    const source = one as Data
    const component = componentOf(attribute, source)
    if (component === undefined) return []
    const given = source['id']
    const id = typeof given === 'number' ? idOf(attribute, component, String(given)) : null
    if (id !== null && seen.has(id)) return [{ id: null, component, source, index }]
    if (id !== null) seen.add(id)
    return [{ id, component, source, index }]
  })
}

function idOf({ kind }: NestingPlan, { uid }: ComponentPlan, id: string): string {
  return kind === 'dynamiczone' ? `${uid}:${id}` : id
}

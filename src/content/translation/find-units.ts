import type { Data } from '../../schema/definition.ts'
import type { SourceText } from '../../extensions/translate-provider.ts'
import type { ContentTypePlan, ShapePlan } from '../../schema/plan.ts'
import { findBlockTexts } from './block-texts.ts'
import { matchElements, type MatchKind, type NamedElements } from './match-elements.ts'
import { type TextPlan, translatedAttributes } from './translated-attributes.ts'

/**
 * Where a translation would go:
 * - `certain`: into its field.
 * - `byPosition`: into the component or paragraph at the same position, which the file does not name.
 * - `reformatted`: into a paragraph that loses formats of its own.
 * - `replaced`: into a field that gets the components or blocks of the source instead of its own.
 * - `gone`: nowhere, because the component of the translation was removed.
 */
export type Placement = 'certain' | 'byPosition' | 'reformatted' | 'replaced' | 'gone'

export interface TranslationUnit {
  /** `key` with the ids of components and the names of paragraphs of the translation: `sections/12=45/title`. */
  readonly id: string
  /** The path of the text with the ids of components of the source: `sections/12/title`. */
  readonly key: string
  /** The attribute of the entry. */
  readonly attribute: string
  /** Names of attributes, and numbers of components and blocks from 1. */
  readonly path: readonly string[]
  readonly maxLength: number | null
  readonly format: SourceText['format']
  readonly source: string
  /** Null without a translation, and if its formats do not match. */
  readonly target: string | null
  /** The translation without formats. */
  readonly current: string | null
  readonly placement: Placement
  /** Whether the text has no other tags than the source. */
  readonly accepts: (text: string) => boolean
}

export interface TranslatedVersions {
  readonly source: Data
  /** Null if the entry has no translation yet. */
  readonly target: Data | null
}

/** Texts of the source that are not empty, in the order of the content-type. */
export function findUnits(
  plan: ContentTypePlan,
  versions: TranslatedVersions,
  named: NamedElements | null,
): readonly TranslationUnit[] {
  if (!plan.localized) return []
  const root: Holder = { shape: plan, ...versions, key: '', id: '', path: [], placement: 'certain' }
  return unitsOf(root, named, true)
}

/** The key of a unit, and the components and paragraphs that its id names by the keys of their sources. */
export function parseUnitId(id: string): {
  readonly key: string
  readonly named: readonly (readonly [key: string, id: string])[]
} {
  const keys: string[] = []
  const named: (readonly [string, string])[] = []
  for (const segment of id.split('/')) {
    const [, element, other] = /^([^=]*\d)=(\d+|[0-9a-f]{12}(?:\.\d+)?)$/.exec(segment) ?? []
    keys.push(element ?? segment)
    if (other !== undefined) named.push([keys.join('/'), other])
  }
  return { key: keys.join('/'), named }
}

interface Holder extends TranslatedVersions {
  readonly shape: ShapePlan
  readonly key: string
  readonly id: string
  readonly path: readonly string[]
  readonly placement: Placement
}

function unitsOf(
  holder: Holder,
  named: NamedElements | null,
  localizedOnly: boolean,
): readonly TranslationUnit[] {
  return translatedAttributes(holder.shape, { localizedOnly }).flatMap((attribute) => {
    const { name } = attribute
    const place = { ...holder, key: within(holder.key, name), id: within(holder.id, name) }
    const path = [...holder.path, name]
    const values = { source: holder.source[name], target: holder.target?.[name] }
    if (attribute.kind === 'scalar') return textUnits(attribute, { ...place, path, values }, named)
    const { kind, elements } = matchElements(attribute, place.key, values, named)
    return elements.flatMap((element) => {
      const { key, component: shape, source, target, isGone, index } = element
      const segment = key.slice(place.key.length)
      const other = target?.['id']
      const pair = segment !== '' && typeof other === 'number' ? `=${other}` : ''
      const placement = isGone ? 'gone' : worse(holder.placement, placementOf(kind, named))
      const inner: Holder = {
        shape,
        source,
        target,
        key,
        id: `${place.id}${segment}${pair}`,
        path: segment === '' ? path : [...path, String(index + 1)],
        placement,
      }
      return unitsOf(inner, named, false)
    })
  })
}

function within(holder: string, name: string): string {
  return holder === '' ? name : `${holder}/${name}`
}

/** An export names the components of both lists, so that later moves do no harm. */
function placementOf(kind: MatchKind, named: NamedElements | null): Placement {
  if (kind === 'replaced') return 'replaced'
  return kind === 'byPosition' && named !== null ? 'byPosition' : 'certain'
}

const ORDER: readonly Placement[] = ['certain', 'byPosition', 'reformatted', 'replaced', 'gone']

function worse(one: Placement, other: Placement): Placement {
  return ORDER.indexOf(one) < ORDER.indexOf(other) ? other : one
}

function textUnits(
  { type, name, limits }: TextPlan,
  {
    key,
    id,
    path,
    placement,
    values: { source, target },
  }: Pick<Holder, 'key' | 'id' | 'path' | 'placement'> & {
    readonly values: { readonly source: unknown; readonly target: unknown }
  },
  named: NamedElements | null,
): readonly TranslationUnit[] {
  const attribute = path[0] ?? name
  if (type === 'blocks') {
    const pairOf = named && ((text: string) => named.get(`${key}/#${text}`))
    return findBlockTexts(source, target, pairOf).map((text, index) => ({
      id: `${id}/#${text.key}${text.pair === null ? '' : `=${text.pair}`}`,
      key: `${key}/#${text.key}`,
      attribute,
      path: [...path, String(index + 1)],
      maxLength: null,
      format: 'tags',
      source: text.source,
      target: text.target,
      current: text.current,
      accepts: text.accepts,
      placement: worse(placement, text.placement),
    }))
  }
  if (typeof source !== 'string' || source.trim() === '') return []
  const translated = typeof target === 'string' && target !== '' ? target : null
  const format = type === 'richtext' ? ('markdown' as const) : ('plain' as const)
  const unit = { id, key, attribute, path, format, source, target: translated, current: translated }
  return [{ ...unit, maxLength: limits.maxLength ?? null, placement, accepts: () => true }]
}

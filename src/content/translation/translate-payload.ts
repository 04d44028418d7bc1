import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, NestingPlan, ShapePlan } from '../../schema/plan.ts'
import { isList } from '../payload/component-values.ts'
import { findBlockTexts, translateBlocks } from './block-texts.ts'
import { findUnits, type TranslatedVersions } from './find-units.ts'
import { matchElements, type NamedElements } from './match-elements.ts'
import { isText, translatedAttributes } from './translated-attributes.ts'

export interface Translation {
  /** Texts by the keys of their units. */
  readonly texts: ReadonlyMap<string, string>
  readonly named: NamedElements
  /** The payload of a copy of the source (`copyPayload`), for components and values that begin with those of the source. */
  readonly copy: Data
}

/** The payload of an update that stores the texts. A new translation begins with the values of the source. */
export function translatePayload(
  plan: ContentTypePlan,
  versions: TranslatedVersions,
  translation: Translation,
): Data {
  const root = { shape: plan, ...versions, key: '', copy: translation.copy }
  const translated = translateWithin(root, translation, true)
  return versions.target === null
    ? { ...begun(plan, versions, translation.copy), ...translated }
    : translated
}

interface Holder extends TranslatedVersions {
  readonly shape: ShapePlan
  readonly key: string
  readonly copy: Data
}

/** Localized values without a text. Components with a text begin with their translation. */
function begun(plan: ContentTypePlan, versions: TranslatedVersions, copy: Data): Data {
  const withText = new Set(findUnits(plan, versions, null).map(({ attribute }) => attribute))
  return Object.fromEntries(
    Object.entries(withoutTexts(plan, copy)).filter(([name]) => {
      const attribute = plan.attributes.get(name)
      return attribute?.localized === true && !attribute.private && !withText.has(name)
    }),
  )
}

function translateWithin(holder: Holder, translation: Translation, localizedOnly: boolean): Data {
  const data: Data = {}
  for (const attribute of translatedAttributes(holder.shape, { localizedOnly })) {
    const { name } = attribute
    const key = holder.key === '' ? name : `${holder.key}/${name}`
    const source = holder.source[name]
    const target = holder.target?.[name]
    if (attribute.kind !== 'scalar') {
      if (!hasTextBelow(translation, `${key}/`)) continue
      const copy = holder.copy[name]
      data[name] = translateElements(attribute, key, { source, target, copy }, translation)
    } else if (attribute.type === 'blocks') {
      const texts = textsBelow(translation, `${key}/#`)
      const pairOf = (text: string): string | undefined => translation.named.get(`${key}/#${text}`)
      if (texts.size > 0) data[name] = translateBlocks(source, target, texts, pairOf)
    } else if (translation.texts.has(key)) {
      data[name] = translation.texts.get(key)
    }
  }
  return data
}

interface Values {
  readonly source: unknown
  readonly target: unknown
  readonly copy: unknown
}

function translateElements(
  attribute: NestingPlan,
  place: string,
  { source, target, copy }: Values,
  translation: Translation,
): unknown {
  const { kind, elements } = matchElements(attribute, place, { source, target }, translation.named)
  const isNew = kind === 'begun' || kind === 'replaced'
  const copies: readonly unknown[] = Array.isArray(copy) ? copy : [copy]
  const translated = elements.flatMap((element): readonly TranslatedElement[] => {
    const { key, component: shape, source: from, target: to, index } = element
    if (!isNew && to === null) return []
    const given = (copies[index] ?? {}) as Data
    const holder = { shape, source: from, target: to, key, copy: given }
    const inner = translateWithin(holder, translation, false)
    const zone = attribute.kind === 'dynamiczone' ? { __component: shape.uid } : {}
    const data = isNew
      ? { ...withoutTexts(shape, given), ...zone, ...inner }
      : { ...zone, id: to?.['id'], ...inner }
    return [{ target: to, data }]
  })
  if (!isList(attribute)) return translated[0]?.data ?? null
  if (isNew) return translated.map(({ data }) => data)
  const list = Array.isArray(target) ? (target as readonly Data[]) : []
  return list.map((element) => {
    const own = translated.find((one) => one.target === element)?.data
    const zone = attribute.kind === 'dynamiczone' ? { __component: element['__component'] } : {}
    return own ?? { ...zone, id: element['id'] }
  })
}

interface TranslatedElement {
  readonly target: Data | null
  readonly data: Data
}

/**
 * Values without texts, because texts of the source in a translation are easily published. Blocks of images and code
 * only are no text.
 */
function withoutTexts(shape: ShapePlan, copy: Data): Data {
  const texts = translatedAttributes(shape).filter(isText)
  const left = new Set(
    texts
      .filter(({ type, name }) => type !== 'blocks' || hasBlockTexts(copy[name]))
      .map(({ name }) => name),
  )
  return Object.fromEntries(
    Object.entries(copy)
      .filter(([name]) => !left.has(name))
      .map(([name, value]) => [name, withoutTextsBelow(shape, name, value)]),
  )
}

function hasBlockTexts(value: unknown): boolean {
  return findBlockTexts(value, null, null).length > 0
}

function withoutTextsBelow(shape: ShapePlan, name: string, value: unknown): unknown {
  const attribute = shape.attributes.get(name)
  if (attribute === undefined || value === null) return value
  if (attribute.kind !== 'component' && attribute.kind !== 'dynamiczone') return value
  const one = (element: Data): Data => {
    const uid = String(element['__component'])
    const component =
      attribute.kind === 'component' ? attribute.component() : attribute.components().get(uid)
    return component === undefined ? element : withoutTexts(component, element)
  }
  return Array.isArray(value) ? (value as readonly Data[]).map(one) : one(value as Data)
}

/** A single component has no id in the keys of its texts. */
function hasTextBelow({ texts }: Translation, place: string): boolean {
  return [...texts.keys()].some((key) => key.startsWith(place))
}

function textsBelow({ texts }: Translation, place: string): ReadonlyMap<string, string> {
  return new Map(
    [...texts].flatMap(([key, text]) =>
      key.startsWith(place) ? [[key.slice(place.length), text] as const] : [],
    ),
  )
}

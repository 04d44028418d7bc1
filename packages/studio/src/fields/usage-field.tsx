import { useQuery } from '@tanstack/react-query'
import type { Attributes, Components } from '../api/attributes.ts'
import { componentsQuery, declarationQuery } from '../api/content-types.ts'
import { fieldLabel } from '../texts/field-words.ts'
import { type Language, useTexts } from '../texts/texts.ts'

export interface UsageFieldProps {
  /** The content-type of the linking entry. */
  readonly uid: string
  /** Names of attributes, joined by dots. */
  readonly field: string
}

/** The labels of the attributes on the way to a link. */
export function UsageField({ uid, field }: UsageFieldProps) {
  const { language } = useTexts()
  const { data: declaration } = useQuery(declarationQuery(uid))
  const { data: components = [] } = useQuery(componentsQuery)
  const byUid: Components = new Map(components.map((one) => [one.uid, one]))
  return labelsOf(field.split('.'), declaration?.attributes ?? {}, byUid, language).join(' › ')
}

export function labelsOf(
  [name, ...rest]: readonly string[],
  attributes: Attributes,
  components: Components,
  language: Language,
): readonly string[] {
  if (name === undefined) return []
  const attribute = attributes[name]
  const inner = componentsOf(attribute)
    .map((uid) => components.get(uid)?.attributes ?? {})
    .find((one) => rest[0] !== undefined && Object.hasOwn(one, rest[0]))
  const label = fieldLabel(name, attribute, language)
  return [label, ...labelsOf(rest, inner ?? {}, components, language)]
}

function componentsOf(attribute: Attributes[string] | undefined): readonly string[] {
  if (attribute?.type === 'component') return [attribute.component]
  return attribute?.type === 'dynamiczone' ? attribute.components : []
}

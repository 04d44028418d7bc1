import type { StudioOptions, StudioText } from '@quire/schema/attributes'
import { labelOf } from './labels.ts'
import { type Language, useTexts } from './texts.ts'

interface Worded {
  readonly studio?: StudioOptions
}

/** The text in a language of the Studio. Falls back to English. */
export function studioText(text: StudioText | undefined, language: Language): string | undefined {
  return text === undefined || typeof text === 'string' ? text : (text[language] ?? text.en)
}

/** The declared label of an attribute, or its name in words. */
export function fieldLabel(
  name: string,
  attribute: Worded | undefined,
  language: Language,
): string {
  return studioText(attribute?.studio?.label, language) ?? labelOf(name)
}

/** The declared name of a value of an enumeration, or the value itself. */
export function valueName(
  value: string,
  attribute: Worded | undefined,
  language: Language,
): string {
  const names = attribute?.studio?.values ?? {}
  return (Object.hasOwn(names, value) ? studioText(names[value], language) : undefined) ?? value
}

export function useFieldLabel(name: string, attribute: Worded | undefined): string {
  return fieldLabel(name, attribute, useTexts().language)
}

/** Empty if the attribute declares none. */
export function usePlaceholder({ studio }: Worded): { readonly placeholder?: string } {
  const placeholder = studioText(studio?.placeholder, useTexts().language)
  return placeholder === undefined ? {} : { placeholder }
}

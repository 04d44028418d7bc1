import type { StudioText } from '@quire/schema/attributes'
import type { Definitions, Uid } from '../../schema/definition.ts'

/** The path of a text for translators, with the declared label of its attribute. */
export function unitLabels(
  { contentTypes }: Definitions,
  uid: Uid,
): (path: readonly string[]) => string {
  const attributes = contentTypes.find((type) => type.uid === uid)?.attributes ?? {}
  return ([name = '', ...rest]) =>
    [wordOf(attributes[name]?.studio?.label) ?? name, ...rest].join(' › ')
}

function wordOf(text: StudioText | undefined): string | null {
  if (text === undefined || typeof text === 'string') return text ?? null
  return text['en'] ?? Object.values(text)[0] ?? null
}

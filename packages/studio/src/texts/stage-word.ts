import { english, type TextKey } from './english.ts'
import { labelOf } from './labels.ts'
import type { Texts } from './texts.ts'

/** The Studio has words for the usual stages. */
export function stageWord(name: string, { t }: Pick<Texts, 't'>): string {
  const key = `review.stage.${name}`
  return isKey(key) ? t(key) : labelOf(name)
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(english, key)
}

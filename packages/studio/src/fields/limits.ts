import type { Attribute } from '../api/attributes.ts'
import type { Texts } from '../texts/texts.ts'
import { describePattern } from '../texts/describe-pattern.ts'

interface Limits {
  readonly unique?: boolean
  readonly regex?: string
  readonly min?: number | string
  readonly max?: number | string
  readonly minLength?: number
  readonly maxLength?: number
}

export function limitsOf(attribute: Attribute, texts: Texts): readonly string[] {
  const { t } = texts
  const { unique, regex, min, max, minLength, maxLength } = attribute as Limits
  const isCount = attribute.type === 'component' || attribute.type === 'dynamiczone'
  return [
    ...rangeOf(minLength, maxLength, 'length', texts),
    ...rangeOf(exact(min, texts), exact(max, texts), isCount ? 'count' : 'number', texts),
    ...(unique === true && attribute.type !== 'uid' ? [t('field.unique')] : []),
    ...(regex === undefined ? [] : [describePattern(regex, texts)]),
  ]
}

function rangeOf(
  min: number | string | undefined,
  max: number | string | undefined,
  of: 'length' | 'count' | 'number',
  { t }: Texts,
): readonly string[] {
  if (min !== undefined && max !== undefined) return [t(`field.${of}.between`, { min, max })]
  if (max !== undefined) return [t(`field.${of}.max`, { max })]
  return min === undefined ? [] : [t(`field.${of}.min`, { min })]
}

/** The limit of a big integer is a string. */
function exact(limit: number | string | undefined, { number }: Texts): string | undefined {
  return limit === undefined ? undefined : number(limit)
}

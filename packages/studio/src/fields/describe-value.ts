import { type BlockNode, blockText } from '../entry/block-text.ts'
import { type Attribute, type Components, isNumberType } from '../api/attributes.ts'
import {
  type ComponentValue,
  componentUid,
  type FileValue,
  type Links,
  listOf,
} from '../entry/values.ts'
import { valueName } from '../texts/field-words.ts'
import type { Texts } from '../texts/texts.ts'
import { isLocation } from '../entry/location-value.ts'

export function describeValue(
  attribute: Attribute,
  value: unknown,
  components: Components,
  texts: Texts,
): string {
  const words = filledWordsOf(attribute, value, components, texts)
  return words === '' ? texts.t('field.unset') : words
}

function filledWordsOf(
  attribute: Attribute,
  value: unknown,
  components: Components,
  texts: Texts,
): string {
  if (value === null || value === undefined) return ''
  switch (attribute.type) {
    case 'relation':
      return (value as Links).items.map(({ title }) => title).join('\n')
    case 'media':
      return (listOf(value) as readonly FileValue[]).map(({ name }) => name).join('\n')
    case 'component':
    case 'dynamiczone':
      return componentWords(attribute, value, components, texts)
    case 'blocks':
      return blockText(value as readonly BlockNode[])
    case 'enumeration':
      return valueName(value as string, attribute, texts.language)
    default:
      return plainWords(attribute.type, value, texts)
  }
}

function plainWords(type: Attribute['type'], value: unknown, { t, moment, number }: Texts): string {
  if (type === 'json') return JSON.stringify(value, null, 2)
  if (type === 'datetime') return moment(value as string)
  if (type === 'boolean') return t(`field.boolean.${value === true ? 'yes' : 'no'}`)
  if (type === 'location' && isLocation(value)) {
    return `${number(value.latitude)}, ${number(value.longitude)}`
  }
  if (isNumberType(type)) return number(value as number | string)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function componentWords(
  attribute: Attribute,
  value: unknown,
  components: Components,
  texts: Texts,
): string {
  const elements = listOf(value) as readonly ComponentValue[]
  return elements
    .map((element) => {
      const declared = components.get(componentUid(attribute, element))
      const parts = Object.entries(declared?.attributes ?? {})
        .map(([name, one]) => filledWordsOf(one, element[name], components, texts))
        .filter((part) => part !== '')
      return [declared?.displayName ?? '', ...parts].join('\n')
    })
    .join('\n\n')
}

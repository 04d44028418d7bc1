import { type Attribute, type Attributes, isNumberType } from '../../api/attributes.ts'
import { ENTRY_STATES } from '../../api/entries.ts'
import { valueName } from '../../texts/field-words.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import {
  authorMemberOf,
  type FilterWord,
  ME,
  STATE,
  takesList,
  takesValue,
} from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'

export interface FilterTextProps {
  readonly attributes: Attributes
  readonly word: FilterWord
  readonly nameOfVariable?: (variable: string) => string
}

/** A filter in words, such as `Author is Grace Hopper`. */
export function FilterText({ attributes, word, nameOfVariable }: FilterTextProps) {
  const texts = useTexts()
  const nameOf = useColumnName(attributes)
  const { at, is, variable } = word
  const value =
    variable === undefined
      ? sayConstant(word, attributes[at], texts)
      : (nameOfVariable?.(variable) ?? variable)
  return (
    <>
      <b>{nameOf(at)}</b>
      {authorMemberOf(at) === undefined && ` ${texts.t(`filter.${is}`)}`}
      {takesValue(is) && ` ${value}`}
    </>
  )
}

function sayConstant(
  { at, is, to = '', as = to, among = [] }: FilterWord,
  attribute: Attribute | undefined,
  { t, number, language }: Texts,
): string {
  const state = at === STATE ? ENTRY_STATES.find((one) => one === to) : undefined
  if (state !== undefined) return t(`list.state.${state}`)
  if (authorMemberOf(at) !== undefined && to === ME) return t('filter.me')
  if (attribute === undefined) return as
  if (takesList(is)) return among.map((one) => valueName(one, attribute, language)).join(', ')
  if (attribute.type === 'boolean') return t(to === 'true' ? 'value.yes' : 'value.no')
  if (attribute.type === 'enumeration') return valueName(to, attribute, language)
  return isNumberType(attribute.type) ? number(to) : as
}

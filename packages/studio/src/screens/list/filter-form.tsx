import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Choice, type Option } from '../../design/choice.tsx'
import { Choices } from '../../design/choices.tsx'
import type { Attribute, Attributes } from '../../api/attributes.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './filter-form.module.css'
import { FilterValue, valueOptions } from './filter-value.tsx'
import {
  authorMemberOf,
  type FilterWord,
  isCompleteWord,
  ME,
  type OperatorWord,
  operatorsAt,
  STATE,
  takesList,
  takesValue,
} from './filter-words.ts'

export interface FilterFormProps {
  readonly attributes: Attributes
  readonly options: readonly Option[]
  readonly locale: string | null
  /** The content-type of the entries. Absent without filters on authors. */
  readonly uid?: string
  /** Narrows the operators. */
  readonly operators?: readonly OperatorWord[]
  /** Operands other than values. */
  readonly variablesOf?: (name: string) => readonly Option[]
  readonly takesConstant?: (attribute: Attribute) => boolean
  readonly word?: FilterWord
  readonly onDone: (word: FilterWord) => void
}

/** The choice of a value among the variables. */
const CONSTANT = ''

export function FilterForm(props: FilterFormProps) {
  const { attributes, options, operators, variablesOf, word: given, onDone } = props
  const takesConstant = (at: string): boolean => {
    const attribute = attributes[at]
    return attribute === undefined || props.takesConstant?.(attribute) !== false
  }
  const { t } = useTexts()
  const offeredAt = (at: string): readonly OperatorWord[] =>
    operators ?? operatorsAt(at, attributes)
  const begin = (at: string): FilterWord => {
    if (at === STATE) return { at, is: 'is', to: 'draft' }
    if (authorMemberOf(at) !== undefined) return { at, is: 'is', to: ME }
    const is = offeredAt(at)[0] ?? 'is'
    const [first] = takesConstant(at) ? [] : (variablesOf?.(at) ?? [])
    return first === undefined ? { at, is } : { at, is, variable: first.id }
  }
  const [word, setWord] = useState<FilterWord>(given ?? begin(options[0]?.id ?? ''))
  const offered = offeredAt(word.at)
  const isComplete = word.at !== '' && isCompleteWord(word)
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        event.stopPropagation() // React passes it on to the form around the popover.
        if (isComplete) onDone(word)
      }}
    >
      <Choice
        label={t('filter.attribute')}
        options={options}
        value={word.at}
        autoFocus
        onChange={(at) => setWord(begin(at))}
      />
      {offered.length > 1 && (
        <Choice
          label={t('filter.operator')}
          options={offered.map((id) => ({ id, name: t(`filter.${id}`) }))}
          value={word.is}
          onChange={(is) => setWord(withOperator(word, is as OperatorWord))}
        />
      )}
      {takesValue(word.is) && (
        <Operand {...props} word={word} mayBeConstant={takesConstant(word.at)} onChange={setWord} />
      )}
      <Button type="submit" look="primary" isDisabled={!isComplete}>
        {t('filter.apply')}
      </Button>
    </Form>
  )
}

/** A value stays when one value becomes a list, or the other way round. */
function withOperator({ among = [], ...word }: FilterWord, is: OperatorWord): FilterWord {
  const { at, to = among[0] } = word
  if (!takesList(is)) return { ...word, is, ...(to !== undefined && { to }) }
  const before = among.length > 0 ? among : [to].filter((one) => one !== undefined)
  return { at, is, among: before }
}

interface OperandProps extends Pick<
  FilterFormProps,
  'attributes' | 'locale' | 'uid' | 'variablesOf'
> {
  readonly word: FilterWord
  readonly mayBeConstant: boolean
  readonly onChange: (word: FilterWord) => void
}

function Operand(props: OperandProps) {
  const { attributes, locale, uid, variablesOf, word, mayBeConstant, onChange } = props
  const texts = useTexts()
  const { t } = texts
  const { at, is, variable } = word
  const attribute = attributes[at]
  if (takesList(is) && attribute !== undefined) {
    return (
      <Choices
        label={t('filter.values')}
        options={valueOptions(attribute, texts) ?? []}
        chosen={word.among ?? []}
        onChange={(among) => onChange({ at, is, among })}
      />
    )
  }
  const variables = variablesOf?.(at) ?? []
  const constant = mayBeConstant ? [{ id: CONSTANT, name: t('filter.constant') }] : []
  return (
    <>
      {variables.length > 0 && (
        <Choice
          label={t('filter.operand')}
          options={[...constant, ...variables]}
          value={variable ?? CONSTANT}
          onChange={(id) => onChange({ at, is, ...(id !== CONSTANT && { variable: id }) })}
        />
      )}
      {variable === undefined && mayBeConstant && (
        <FilterValue
          key={at}
          word={word}
          attribute={attribute}
          locale={locale}
          uid={uid}
          onChange={(to, as) => onChange({ at, is, to, ...(as !== undefined && { as }) })}
        />
      )}
    </>
  )
}

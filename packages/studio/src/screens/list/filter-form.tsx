import { useState } from 'react'
import { Form } from 'react-aria-components'
import { Button } from '../../design/button.tsx'
import { Choice, type Option } from '../../design/choice.tsx'
import { Drawing, Icon } from '../../design/icons/icon.tsx'
import { TYPE_ICONS } from '../../design/icons/type-icons.ts'
import type { Attributes } from '../../api/attributes.ts'
import type { Declaration } from '../../api/content-types.ts'
import { useSession } from '../../api/session.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './filter-form.module.css'
import { FilterValue } from './filter-value.tsx'
import {
  type FilterWord,
  type OperatorWord,
  operatorsOf,
  OWN_ATTRIBUTES,
  STATE,
  takesValue,
} from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'
import type { List } from './use-list.ts'

export interface FilterFormProps {
  readonly list: List
  readonly word?: FilterWord
  readonly onDone: (word: FilterWord) => void
}

export function FilterForm({ list, word: given, onDone }: FilterFormProps) {
  const { t } = useTexts()
  const { declaration } = list
  const attributes: Attributes = { ...declaration.attributes, ...OWN_ATTRIBUTES }
  const options = useFilterable(attributes, useMayFilterByState(declaration))
  const [word, setWord] = useState<FilterWord>(given ?? begin(options[0]?.id ?? '', attributes))
  const attribute = attributes[word.at]
  const operators = attribute === undefined ? [] : operatorsOf(attribute)
  const isComplete = word.at !== '' && (!takesValue(word.is) || (word.to ?? '') !== '')
  return (
    <Form
      className={styles['form'] ?? ''}
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) onDone(word)
      }}
    >
      <Choice
        label={t('filter.attribute')}
        options={options}
        value={word.at}
        autoFocus
        onChange={(at) => setWord(begin(at, attributes))}
      />
      {operators.length > 1 && (
        <Choice
          label={t('filter.operator')}
          options={operators.map((id) => ({ id, name: t(`filter.${id}`) }))}
          value={word.is}
          onChange={(is) => setWord({ ...word, is: is as OperatorWord })}
        />
      )}
      {takesValue(word.is) && (
        <FilterValue
          key={word.at}
          word={word}
          attribute={attribute}
          locale={list.locale}
          onChange={(to, as) =>
            setWord({ at: word.at, is: word.is, to, ...(as !== undefined && { as }) })
          }
        />
      )}
      <Button type="submit" look="primary" isDisabled={!isComplete}>
        {t('filter.apply')}
      </Button>
    </Form>
  )
}

function begin(at: string, attributes: Attributes): FilterWord {
  const attribute = attributes[at]
  if (at === STATE) return { at, is: 'is', to: 'draft' }
  return { at, is: (attribute === undefined ? [] : operatorsOf(attribute))[0] ?? 'is' }
}

function useFilterable(attributes: Attributes, hasState: boolean): readonly Option[] {
  const nameOf = useColumnName(attributes)
  const names = Object.entries(attributes)
    .filter(([, attribute]) => operatorsOf(attribute).length > 0)
    .map(([name]) => name)
  return [...(hasState ? [STATE] : []), ...names].map((id) => {
    const type = attributes[id]?.type
    const icon = type === undefined ? <Icon name="eye" /> : <Drawing path={TYPE_ICONS[type]} />
    return { id, name: nameOf(id), icon }
  })
}

/** The server refuses the filter if a rule can hide the other version of an entry. */
function useMayFilterByState({ uid, draftAndPublish }: Declaration): boolean {
  const { conditional } = useSession()
  return (
    draftAndPublish &&
    ['find', 'readDrafts'].every((verb) => !conditional.includes(`${uid}.${verb}`))
  )
}

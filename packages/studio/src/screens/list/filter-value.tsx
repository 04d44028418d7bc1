import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import type { Attribute } from '../../api/attributes.ts'
import { declarationQuery } from '../../api/content-types.ts'
import { ENTRY_STATES, entriesQuery, peopleQuery, titleOf } from '../../api/entries.ts'
import { textQuery } from '../../api/text-search.ts'
import { Choice } from '../../design/choice.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { valueName } from '../../texts/field-words.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './filter-form.module.css'
import { authorMemberOf, type FilterWord, ME, STATE } from './filter-words.ts'
import { type NumberType } from '@quire/schema/attributes'
import { isNumberType } from '../../api/attributes.ts'
import { parseNumber } from '../../fields/number/parse-number.ts'
import { problemOfNumber } from '../../fields/number/problem-of-number.ts'
import { useDelayed } from '../../design/use-delayed.ts'

export interface FilterValueProps {
  readonly word: FilterWord
  readonly attribute: Attribute | undefined
  readonly locale: string | null
  readonly uid: string | undefined
  /** `as` is the text shown for the value. */
  readonly onChange: (to: string, as?: string) => void
}

const INPUT_TYPES: Readonly<Partial<Record<Attribute['type'], string>>> = {
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  timestamp: 'datetime-local',
}

export function FilterValue({ word, attribute, locale, uid, onChange }: FilterValueProps) {
  const texts = useTexts()
  const { t } = texts
  const { to = '', at } = word
  if (at === STATE) {
    const options = ENTRY_STATES.map((id) => ({ id, name: t(`list.state.${id}`) }))
    return <Choice label={t('filter.value')} options={options} value={to} onChange={onChange} />
  }
  if (uid !== undefined && authorMemberOf(at) !== undefined) {
    return <PersonValue uid={uid} word={word} onChange={onChange} />
  }
  if (attribute?.type === 'relation') {
    return <RelatedValue uid={attribute.target} word={word} locale={locale} onChange={onChange} />
  }
  const options = attribute === undefined ? null : valueOptions(attribute, texts)
  if (options !== null) {
    return (
      <Choice
        label={t('filter.value')}
        options={options}
        value={to === '' ? null : to}
        onChange={(id) => onChange(id, options.find((one) => one.id === id)?.name)}
      />
    )
  }
  if (attribute !== undefined && isNumberType(attribute.type)) {
    return <NumberValue type={attribute.type} to={to} onChange={onChange} />
  }
  return (
    <TextInput
      label={t('filter.value')}
      type={INPUT_TYPES[attribute?.type ?? 'string'] ?? 'text'}
      defaultValue={to}
      onChange={(value) => onChange(value)}
    />
  )
}

/** Null for an attribute without a list of values. */
export function valueOptions(attribute: Attribute, { t, language }: Texts) {
  if (attribute.type === 'boolean') {
    return [
      { id: 'true', name: t('value.yes') },
      { id: 'false', name: t('value.no') },
    ]
  }
  if (attribute.type !== 'enumeration') return null
  return attribute.enum?.map((id) => ({ id, name: valueName(id, attribute, language) })) ?? null
}

interface NumberValueProps extends Pick<FilterValueProps, 'onChange'> {
  readonly type: NumberType
  readonly to: string
}

function NumberValue({ type, to, onChange }: NumberValueProps) {
  const texts = useTexts()
  const [problem, setProblem] = useState<string | null>(null)
  const change = (typed: string): void => {
    const parsed = parseNumber(type, typed, texts.language)
    setProblem(problemOfNumber(parsed, texts))
    onChange(parsed.kind === 'value' ? String(parsed.value ?? '') : '')
  }
  return (
    <TextInput
      label={texts.t('filter.value')}
      inputMode="decimal"
      defaultValue={to === '' ? '' : texts.number(to)}
      onChange={change}
      {...(problem !== null && { error: problem })}
    />
  )
}

interface PersonValueProps extends Pick<FilterValueProps, 'word' | 'onChange'> {
  readonly uid: string
}

/** The chosen person stays an option, also without the right to read the type. */
function PersonValue({ uid, word: { to = '', as = to }, onChange }: PersonValueProps) {
  const { t } = useTexts()
  const people = useQuery(peopleQuery(uid)).data ?? []
  const isKnown = to === ME || to === '' || people.some(({ id }) => id === to)
  const options = [
    { id: ME, name: t('filter.me') },
    ...(isKnown ? [] : [{ id: to, name: as }]),
    ...people,
  ]
  return (
    <Choice
      label={t('filter.value')}
      options={options}
      value={to === '' ? null : to}
      onChange={(id) => onChange(id, options.find((one) => one.id === id)?.name)}
    />
  )
}

interface RelatedValueProps extends Omit<FilterValueProps, 'attribute' | 'uid'> {
  readonly uid: string
}

const MAX_SUGGESTIONS = 8

function RelatedValue({ uid, word, locale, onChange }: RelatedValueProps) {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const search = useDelayed(setText)
  const declaration = useQuery(declarationQuery(uid)).data
  const titleField = declaration?.titleField ?? null
  const { data: found, error } = useQuery({
    ...entriesQuery(uid, {
      ...(declaration?.localized === true && locale !== null && { locale }),
      ...(text !== '' && textQuery(declaration, text)),
      fields: [titleField ?? 'documentId'],
      pagination: { pageSize: MAX_SUGGESTIONS, withCount: false },
    }),
    enabled: declaration !== undefined,
    placeholderData: keepPreviousData,
  })
  const none = error === null ? t('list.nothing') : t('filter.unsearched')
  return (
    <>
      <TextInput label={t('filter.value')} type="search" onChange={search} />
      <ListBox
        aria-label={t('filter.value')}
        className={styles['matches'] ?? ''}
        selectionMode="single"
        selectedKeys={word.to === undefined ? [] : [word.to]}
        onSelectionChange={(keys) => {
          const entry = found?.data.find(({ documentId }) => keys !== 'all' && keys.has(documentId))
          if (entry !== undefined) onChange(entry.documentId, titleOf(entry, titleField))
        }}
        items={found?.data ?? []}
        renderEmptyState={() => <p className={styles['none']}>{none}</p>}
      >
        {(entry) => (
          <ListBoxItem
            id={entry.documentId}
            textValue={titleOf(entry, titleField)}
            className={styles['match'] ?? ''}
          >
            {titleOf(entry, titleField)}
          </ListBoxItem>
        )}
      </ListBox>
    </>
  )
}

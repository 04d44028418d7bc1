import { type RefObject, useRef } from 'react'
import type { Attributes } from '../../api/attributes.ts'
import type { Declaration } from '../../api/content-types.ts'
import { useSession } from '../../api/session.ts'
import { Choice, type Option } from '../../design/choice.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import { notify } from '../../design/toasts.tsx'
import { stageWord } from '../../texts/stage-word.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './filter-bar.module.css'
import { AddFilter, type FilterChip, FilterChips } from './filter-chips.tsx'
import type { FilterFormProps } from './filter-form.tsx'
import {
  type FilterItem,
  type FilterMatch,
  isFilterGroup,
  mayMatchAny,
  withGroup,
} from './filter-groups.ts'
import { FilterText } from './filter-text.tsx'
import { AUTHOR_NAMES, type FilterWord, OWN_ATTRIBUTES, STAGE, STATE } from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'
import { useFilterable } from './use-filterable.tsx'
import type { List } from './use-list.ts'

export function FilterBar({ list }: { readonly list: List }) {
  const texts = useTexts()
  const { t } = texts
  const { declaration } = list
  const attributes: Attributes = {
    ...stageAttribute(declaration, texts),
    ...declaration.attributes,
    ...OWN_ATTRIBUTES,
  }
  const filterable = useFilterable(attributes)
  const state: Option = { id: STATE, name: t('list.state'), icon: <Icon name="eye" /> }
  const nameOf = useColumnName(attributes)
  const options = [
    ...(useMayFilterByState(declaration) ? [state] : []),
    ...filterable,
    ...AUTHOR_NAMES.map((id) => ({ id, name: nameOf(id), icon: <Icon name="person" /> })),
  ]
  const form = { attributes, options, locale: list.locale, uid: declaration.uid }
  return (
    <div className={styles['bar']}>
      <SearchBox
        value={list.search.q}
        onSearch={(q) => list.change({ q: q === '' ? undefined : q, within: undefined })}
      />
      <ListFilters list={list} form={form} />
    </div>
  )
}

type FilterOptions = Omit<FilterFormProps, 'word' | 'onDone'>

interface ListFiltersProps {
  readonly list: List
  readonly form: FilterOptions
}

/** All filters match, or any of them. Groups are joined the other way. */
function ListFilters({ list, form }: ListFiltersProps) {
  const { t } = useTexts()
  const { filters = [], match } = list.search
  const add = useRef<HTMLButtonElement>(null)
  const put = (items: readonly FilterItem[]): void =>
    list.change({
      filters: items.length === 0 ? undefined : items,
      match: mayMatchAny(items) ? match : undefined,
    })
  const drop = (items: readonly FilterItem[]): void => {
    put(items)
    notify(t('list.filterRemoved'), list.cameBy())
  }
  const inGroups = form.options.filter(({ id }) => id !== STATE && id !== STAGE)
  const groupForm = { ...form, options: inGroups }
  const chips = filters.map((item, at): FilterChip => {
    if (!isFilterGroup(item)) return chipOfWord(item, form.attributes)
    const props = { match, of: item.of, form: groupForm, next: add }
    const group = (
      <GroupChips
        {...props}
        onChange={(of) => put(withGroup(filters, at, of))}
        onRemove={(of) => drop(withGroup(filters, at, of))}
      />
    )
    return { word: null, text: null, group }
  })
  return (
    <>
      {mayMatchAny(filters) && (
        <Choice
          isInline
          label={t('rule.joined')}
          options={(['all', 'any'] as const).map((id) => ({ id, name: t(`rule.joined.${id}`) }))}
          value={match ?? 'all'}
          onChange={(id) => list.change({ match: id === 'any' ? 'any' : undefined })}
        />
      )}
      <FilterChips
        {...(match === 'any' ? groupForm : form)}
        label={t('list.filters')}
        labels={{
          add: t('list.addFilter'),
          edit: t('list.editFilter'),
          remove: t('list.removeFilter'),
        }}
        chips={chips}
        addButton={add}
        onAdd={(word) => put([...filters, word])}
        onChange={(at, word) => put(filters.with(at, word))}
        onRemove={(at) => drop(filters.toSpliced(at, 1))}
        {...(filters.length > 0 && {
          more: (
            <AddFilter
              {...groupForm}
              label={t(match === 'any' ? 'list.addAllGroup' : 'list.addAnyGroup')}
              onDone={(word) => put([...filters, { of: [word] }])}
            />
          ),
        })}
      />
    </>
  )
}

function chipOfWord(word: FilterWord, attributes: Attributes): FilterChip {
  return { word, text: <FilterText attributes={attributes} word={word} /> }
}

interface GroupChipsProps {
  /** Of the list around the group. */
  readonly match: FilterMatch | undefined
  readonly of: readonly FilterWord[]
  readonly form: FilterOptions
  readonly next: RefObject<HTMLButtonElement | null>
  readonly onChange: (of: readonly FilterWord[]) => void
  readonly onRemove: (of: readonly FilterWord[]) => void
}

function GroupChips({ match, of, form, next, onChange, onRemove }: GroupChipsProps) {
  const { t } = useTexts()
  const label = t(match === 'any' ? 'list.allOf' : 'list.anyOf')
  return (
    <div role="group" aria-label={label} className={styles['group']}>
      <span className={styles['joined']}>{label}</span>
      <FilterChips
        {...form}
        label={label}
        labels={{
          add: t(match === 'any' ? 'list.addAnd' : 'list.addOr'),
          edit: t('list.editFilter'),
          remove: t('list.removeFilter'),
        }}
        chips={of.map((word) => chipOfWord(word, form.attributes))}
        onAdd={(word) => onChange([...of, word])}
        onChange={(at, word) => onChange(of.with(at, word))}
        onRemove={(at) => onRemove(of.toSpliced(at, 1))}
        {...(of.length === 1 && { next })}
      />
    </div>
  )
}

/** Filters show the stage like an enumeration. */
function stageAttribute({ stages }: Declaration, texts: Texts): Attributes {
  if (stages === undefined) return {}
  const values = Object.fromEntries(stages.map((name) => [name, stageWord(name, texts)]))
  return { [STAGE]: { type: 'enumeration', enum: stages, studio: { values } } }
}

/** The server refuses the filter if a rule can hide the other version of an entry. */
function useMayFilterByState({ uid, draftAndPublish }: Declaration): boolean {
  const { conditional } = useSession()
  return (
    draftAndPublish &&
    ['find', 'readDrafts'].every((verb) => !conditional.includes(`${uid}.${verb}`))
  )
}

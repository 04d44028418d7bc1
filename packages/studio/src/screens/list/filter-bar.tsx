import type { Attributes } from '../../api/attributes.ts'
import type { Declaration } from '../../api/content-types.ts'
import { useSession } from '../../api/session.ts'
import type { Option } from '../../design/choice.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import { notify } from '../../design/toasts.tsx'
import { stageWord } from '../../texts/stage-word.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './filter-bar.module.css'
import { FilterChips } from './filter-chips.tsx'
import { FilterText } from './filter-text.tsx'
import { AUTHOR_NAMES, type FilterWord, OWN_ATTRIBUTES, STAGE, STATE } from './filter-words.ts'
import { useColumnName } from './use-column-name.ts'
import { useFilterable } from './use-filterable.tsx'
import type { List } from './use-list.ts'

export function FilterBar({ list }: { readonly list: List }) {
  const texts = useTexts()
  const { t } = texts
  const { declaration } = list
  const filters = list.search.filters ?? []
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
  const put = (words: readonly FilterWord[]): void =>
    list.change({ filters: words.length === 0 ? undefined : words })
  return (
    <div className={styles['bar']}>
      <SearchBox
        value={list.search.q}
        onSearch={(q) => list.change({ q: q === '' ? undefined : q, within: undefined })}
      />
      <FilterChips
        label={t('list.filters')}
        labels={{
          add: t('list.addFilter'),
          edit: t('list.editFilter'),
          remove: t('list.removeFilter'),
        }}
        chips={filters.map((word) => ({
          word,
          text: <FilterText attributes={attributes} word={word} />,
        }))}
        attributes={attributes}
        options={options}
        locale={list.locale}
        uid={declaration.uid}
        onAdd={(word) => put([...filters, word])}
        onChange={(at, word) => put(filters.with(at, word))}
        onRemove={(at) => {
          put(filters.toSpliced(at, 1))
          notify(t('list.filterRemoved'), list.cameBy())
        }}
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

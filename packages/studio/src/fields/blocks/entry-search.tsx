import { useEffect, useRef, useState } from 'react'
import {
  Autocomplete,
  Input,
  type Key,
  ListBox,
  ListBoxItem,
  SearchField,
} from 'react-aria-components'
import type { TypeSummary } from '../../api/content-types.ts'
import type { EntryState } from '../../api/entries.ts'
import { type FoundInType, MIN_SEARCH_LENGTH, useFoundInTypes } from '../../api/found-in-types.ts'
import { StateMark } from '../../design/state-mark.tsx'
import type { EntryTarget } from '../../entry/entry-target.ts'
import { useTexts } from '../../texts/texts.ts'
import options from '../../design/found-options.module.css'
import styles from './link-form.module.css'
import { type TargetNames, targetNames } from './target-names.ts'

const MAX_SHOWN_PER_TYPE = 5

export interface EntrySearchProps {
  /** The types of the entries; all readable types if absent. */
  readonly isOffered?: (type: TypeSummary) => boolean
  readonly onChoose: (target: EntryTarget, title: string) => void
}

interface FoundTarget extends TargetNames {
  readonly id: string
  readonly target: EntryTarget
  readonly state: EntryState | undefined
}

/** Finds entries of all types, single types included. */
export function EntrySearch({ isOffered = () => true, onChoose }: EntrySearchProps) {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const wanted = text.trim()
  const { found, isCurrent, isLoading } = useFoundInTypes(wanted, { withSingles: true })
  const items = found.filter(({ type }) => isOffered(type)).flatMap(targetsOf)
  const input = useRef<HTMLInputElement>(null)
  // Not `autoFocus`: the form has no position before its first effects.
  useEffect(() => input.current?.focus(), [])
  const choose = (key: Key): void => {
    const chosen = items.find(({ id }) => id === key)
    if (chosen !== undefined) onChoose(chosen.target, chosen.title)
  }
  const none = isCurrent && !isLoading ? 'relation.none' : 'relation.looking'
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <SearchField aria-label={t('blocks.findEntry')} className={styles['find'] ?? ''}>
        <Input ref={input} className={styles['url'] ?? ''} placeholder={t('blocks.findEntry')} />
      </SearchField>
      {wanted !== '' && (
        <ListBox<FoundTarget>
          aria-label={t('blocks.foundEntries')}
          items={items}
          onAction={choose}
          className={styles['found'] ?? ''}
          renderEmptyState={() => (
            <p className={options['none']}>
              {t(wanted.length < MIN_SEARCH_LENGTH ? 'blocks.typeMore' : none)}
            </p>
          )}
        >
          {({ id, title, typeName, state }) => (
            <ListBoxItem
              id={id}
              textValue={typeName === '' ? title : `${title}, ${typeName}`}
              className={options['option'] ?? ''}
            >
              <span className={options['title']}>{title}</span>{' '}
              <span className={styles['type']}>{typeName}</span>{' '}
              {state !== undefined && <StateMark state={state} />}
            </ListBoxItem>
          )}
        </ListBox>
      )}
    </Autocomplete>
  )
}

function targetsOf({ type, entries, states }: FoundInType): readonly FoundTarget[] {
  return entries.slice(0, MAX_SHOWN_PER_TYPE).map((entry) => ({
    id: `${type.uid} ${entry.documentId}`,
    target: { type: type.uid, documentId: entry.documentId },
    ...targetNames(type, entry),
    state: type.draftAndPublish ? states[entry.documentId] : undefined,
  }))
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ComboBox, Input, type Key, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { useTypes } from '../../api/content-types.ts'
import { entriesQuery } from '../../api/entries.ts'
import { StateMark } from '../../design/state-mark.tsx'
import { type Link, toLink } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { useOpenEntry } from '../open-entry.ts'
import styles from './relation-field.module.css'

const TYPING_PAUSE = 200
const SHOWN = 20
const NEW = 'new'

export interface LinkSearchProps {
  readonly target: string
  readonly label: string
  /** Those of these documentIds that are linked already; null until it is known. */
  readonly useTaken: (ids: readonly string[]) => ReadonlySet<string> | null
  readonly onChoose: (link: Link) => void
  /** Begins a new entry with the text as its title; absent where nobody may. */
  readonly onNew: ((title: string) => void) | undefined
}

/** Finds an entry of the target by any of its texts. */
export function LinkSearch({ target, label, useTaken, onChoose, onNew }: LinkSearchProps) {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  // What is chosen empties the text, which would open the list again under the hand.
  // The list is closed when its value changes: it has one for as long as that takes.
  const [chosen, setChosen] = useState<Key | null>(null)
  useEffect(() => {
    if (chosen !== null) setChosen(null)
  }, [chosen])
  const [trigger, setTrigger] = useState<'focus' | 'manual'>('focus')
  const { found, isKnown } = useFound(target, text, isOpen)
  const taken = useTaken(found.map(({ documentId }) => documentId))
  const isSettled = isKnown && taken !== null
  const items: readonly Found[] = [
    ...(taken === null ? [] : found.filter(({ documentId }) => !taken.has(documentId))),
    ...(onNew === undefined || !isSettled
      ? []
      : [{ documentId: NEW, title: t('relation.new', { name: text }) }]),
  ]
  const choose = (key: Key | null): void => {
    const link = items.find(({ documentId }) => documentId === key)
    if (link === undefined) return
    if (link.documentId === NEW) onNew?.(text)
    else onChoose(link)
    setChosen(key)
    setTrigger('manual')
    setText('')
  }
  const type = (typed: string): void => {
    setTrigger('focus')
    setText(typed)
  }
  return (
    <ComboBox
      aria-label={label}
      items={items}
      value={chosen}
      onChange={choose}
      inputValue={text}
      onInputChange={type}
      onBlur={() => setTrigger('focus')}
      onOpenChange={setOpen}
      menuTrigger={trigger}
      allowsEmptyCollection
      className={styles['find'] ?? ''}
    >
      <Input className={styles['search'] ?? ''} placeholder={label} />
      <Popover className={styles['popover'] ?? ''} placement="bottom start">
        <ListBox<Found>
          className={styles['options'] ?? ''}
          renderEmptyState={() => (
            <p className={styles['none']}>
              {isSettled ? t('relation.none') : t('relation.looking')}
            </p>
          )}
        >
          {(link) => (
            <ListBoxItem
              id={link.documentId}
              textValue={link.title}
              className={`${styles['option']} ${link.documentId === NEW ? styles['new'] : ''}`}
            >
              <span className={styles['optionTitle']}>{link.title}</span>
              {link.state !== undefined && <StateMark state={link.state} />}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

interface Found extends Link {
  readonly state?: 'draft' | 'published' | 'changed' | undefined
}

interface FoundLinks {
  readonly found: readonly Found[]
  /** False until they are what the server finds for the text. */
  readonly isKnown: boolean
}

function useFound(target: string, text: string, isOpen: boolean): FoundLinks {
  const { reading, locale } = useOpenEntry()
  const type = useTypes().find(({ uid }) => uid === target)
  const [asked, ask] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => ask(text), TYPING_PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  const titleField = reading.titleFieldOf(target)
  const { data, isPlaceholderData } = useQuery({
    ...entriesQuery(target, {
      ...(asked.trim() !== '' && { _q: asked.trim() }),
      ...(titleField !== null && { fields: [titleField], sort: titleField }),
      pagination: { pageSize: SHOWN, withCount: false },
      status: 'draft',
      ...(type?.localized === true && locale !== null && { locale }),
    }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const found = (data?.data ?? []).map((entry) => ({
    ...toLink(entry, titleField),
    state: type?.draftAndPublish === true ? data?.meta.states?.[entry.documentId] : undefined,
  }))
  const isKnown = data !== undefined && asked === text && !isPlaceholderData
  if (isKnown) return { found, isKnown }
  // Until the answer is there, what was found before must not be chosen for what is typed now.
  const wanted = text.trim().toLowerCase()
  return { found: found.filter(({ title }) => title.toLowerCase().includes(wanted)), isKnown }
}

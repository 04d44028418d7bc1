import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { ComboBox, Input, ListBox, ListBoxItem, Popover } from 'react-aria-components'
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
  /** The documentIds that are linked already. */
  readonly taken: ReadonlySet<string>
  readonly onChoose: (link: Link) => void
  /** Begins a new entry with the text as its title; absent where nobody may. */
  readonly onNew: ((title: string) => void) | undefined
}

/** Finds an entry of the target by any of its texts. */
export function LinkSearch({ target, label, taken, onChoose, onNew }: LinkSearchProps) {
  const { t } = useTexts()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const found = useFound(target, text, isOpen).filter(({ documentId }) => !taken.has(documentId))
  const items: readonly Found[] = [
    ...found,
    ...(onNew === undefined ? [] : [{ documentId: NEW, title: t('relation.new', { name: text }) }]),
  ]
  const choose = (key: unknown): void => {
    const link = items.find(({ documentId }) => documentId === key)
    if (link === undefined) return
    if (link.documentId === NEW) onNew?.(text)
    else onChoose(link)
    setText('')
  }
  return (
    <ComboBox
      aria-label={label}
      items={items}
      value={null}
      onChange={choose}
      inputValue={text}
      onInputChange={setText}
      onOpenChange={setOpen}
      menuTrigger="focus"
      allowsEmptyCollection
      className={styles['find'] ?? ''}
    >
      <Input className={styles['search'] ?? ''} placeholder={label} />
      <Popover className={styles['popover'] ?? ''} placement="bottom start">
        <ListBox<Found>
          className={styles['options'] ?? ''}
          renderEmptyState={() => <p className={styles['none']}>{t('relation.none')}</p>}
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

function useFound(target: string, text: string, isOpen: boolean): readonly Found[] {
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
  // Until the answer is there, what was found before must not be chosen for what is typed now.
  if (asked === text && !isPlaceholderData) return found
  return found.filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase()))
}

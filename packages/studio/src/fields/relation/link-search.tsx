import { use, useEffect, useState } from 'react'
import {
  ComboBox,
  ComboBoxStateContext,
  Input,
  type Key,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components'
import { entryNameOf, useTypes } from '../../api/content-types.ts'
import { StateMark } from '../../design/state-mark.tsx'
import type { Link } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { labelOf } from '../../texts/labels.ts'
import options from '../../design/found-options.module.css'
import styles from './relation-field.module.css'
import { type FoundLink, type Unsearched, useFoundLinks } from './use-found-links.ts'

const NEW_ENTRY_KEY = 'new'

export interface LinkSearchProps {
  readonly target: string
  readonly label: string
  /** The given documentIds that are already linked; null until loaded. */
  readonly useTaken: (ids: readonly string[]) => ReadonlySet<string> | null
  readonly onChoose: (link: Link) => void
  /** Creates an entry with the text as its title; absent without permission. */
  readonly onNew: ((title: string) => void) | undefined
}

export function LinkSearch({ target, label, useTaken, onChoose, onNew }: LinkSearchProps) {
  const { t, language } = useTexts()
  const type = useTypes().find(({ uid }) => uid === target)
  const newOne = t('palette.new', { name: type === undefined ? '' : entryNameOf(type, language) })
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  // Choosing an option clears the text, and the empty text would open the list again. A change of
  // the value closes the list, so a value is set for that moment.
  const [chosen, setChosen] = useState<Key | null>(null)
  useEffect(() => {
    if (chosen !== null) setChosen(null)
  }, [chosen])
  const [trigger, setTrigger] = useState<'input' | 'manual'>('input')
  const { found, isKnown, unsearched, titleField } = useFoundLinks(target, text, isOpen)
  const taken = useTaken(found.map(({ documentId }) => documentId))
  const isSettled = isKnown && taken !== null
  const items: readonly FoundLink[] = [
    ...(taken === null ? [] : found.filter(({ documentId }) => !taken.has(documentId))),
    ...(onNew === undefined || !isSettled
      ? []
      : [
          {
            documentId: NEW_ENTRY_KEY,
            title: text.trim() === '' ? newOne : t('relation.new', { name: text }),
          },
        ]),
  ]
  const choose = (key: Key | null): void => {
    const link = items.find(({ documentId }) => documentId === key)
    if (link === undefined) return
    if (link.documentId === NEW_ENTRY_KEY) onNew?.(text)
    else onChoose(link)
    setChosen(key)
    setTrigger('manual')
    setText('')
  }
  const changeText = (typed: string): void => {
    setTrigger('input')
    setText(typed)
  }
  return (
    <ComboBox
      aria-label={label}
      items={items}
      value={chosen}
      onChange={choose}
      inputValue={text}
      onInputChange={changeText}
      onBlur={() => setTrigger('input')}
      onOpenChange={setOpen}
      menuTrigger={trigger}
      allowsEmptyCollection
      className={styles['find'] ?? ''}
    >
      <SearchInput label={label} />
      <Popover className={styles['popover'] ?? ''} placement="bottom start">
        <ListBox<FoundLink>
          className={styles['options'] ?? ''}
          renderEmptyState={() => (
            <p className={options['none']}>
              {isSettled && unsearched === null && t('relation.none')}
              {!isSettled && t('relation.looking')}
            </p>
          )}
        >
          {(link) => (
            <ListBoxItem
              id={link.documentId}
              textValue={link.title}
              className={`${options['option']} ${link.documentId === NEW_ENTRY_KEY ? styles['new'] : ''}`}
            >
              <span className={options['title']}>{link.title}</span>
              {link.state !== undefined && <StateMark state={link.state} />}
            </ListBoxItem>
          )}
        </ListBox>
        {unsearched !== null && <UnsearchedNote {...unsearched} titleField={titleField} />}
      </Popover>
    </ComboBox>
  )
}

/** Opens the list on a press, but not when the focus moves through. */
function SearchInput({ label }: { readonly label: string }) {
  const state = use(ComboBoxStateContext)
  return (
    <Input
      className={styles['search'] ?? ''}
      placeholder={label}
      onClick={() => state?.open(null, 'manual')}
    />
  )
}

function UnsearchedNote({
  why,
  hasBeginnings,
  titleField,
}: Unsearched & { readonly titleField: string | null }) {
  const { t } = useTexts()
  const name = labelOf(titleField ?? 'documentId')
  const slow = hasBeginnings ? 'relation.onlyBeginnings' : 'relation.tooMany'
  return (
    <p role="status" className={styles['unsearched']}>
      {why === 'failed' ? t('relation.failed') : t(slow, { name })}
    </p>
  )
}

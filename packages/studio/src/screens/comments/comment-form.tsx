import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { type CommentInput, MAX_COMMENT_LENGTH } from '../../api/comments.ts'
import type { Person } from '../../api/entries.ts'
import { Button } from '../../design/button.tsx'
import { useTexts } from '../../texts/texts.ts'
import inputs from '../../fields/inputs/inputs.module.css'
import styles from './comments.module.css'
import { type Mention, mentionAt, mentionedIn, withMention } from './mentions.ts'

export interface CommentFormProps {
  readonly label: string
  readonly action: string
  readonly people: readonly Person[]
  readonly first?: { readonly text: string; readonly mentions: readonly Person[] }
  /** Each other number than 0 moves the focus to the text. */
  readonly turn: number
  readonly isBusy: boolean
  readonly onSubmit: (input: CommentInput, onDone: () => void) => void
  readonly onCancel?: () => void
}

export function CommentForm(props: CommentFormProps) {
  const { label, action, people, first, turn, isBusy, onSubmit, onCancel } = props
  const { t } = useTexts()
  const id = useId()
  const { area, text, setText, chosen, choose, box } = useCommentText(first, people, turn)
  const submit = (): void => {
    if (text.trim() === '' || isBusy) return
    const mentions = mentionedIn(text, chosen)
    onSubmit({ text: text.trim(), mentions }, () => {
      setText('')
      choose([])
    })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (box.onKeyDown(event)) return
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault()
      submit()
    } else if (event.key === 'Escape' && onCancel !== undefined) onCancel()
  }
  const option = (index: number): string => `${id}-${index}`
  const { mention, active } = box
  return (
    <div className={styles['form']} data-comments>
      <textarea
        ref={area}
        className={`${inputs['input']} ${inputs['area']} ${styles['area']}`}
        rows={2}
        value={text}
        maxLength={MAX_COMMENT_LENGTH}
        aria-label={label}
        placeholder={label}
        aria-autocomplete="list"
        {...(mention !== null && {
          'aria-controls': id,
          'aria-activedescendant': option(active),
        })}
        onChange={(event) => {
          setText(event.target.value)
          box.follow(event.target)
        }}
        onSelect={(event) => box.follow(event.currentTarget)}
        onBlur={box.close}
        onKeyDown={onKeyDown}
      />
      {mention !== null && (
        <People {...{ id, mention, active }} optionId={option} onChoose={box.choose} />
      )}
      <div className={styles['buttons']}>
        <Button small isDisabled={text.trim() === ''} isPending={isBusy} onPress={submit}>
          {action}
        </Button>
        {onCancel !== undefined && (
          <Button small look="quiet" onPress={onCancel}>
            {t('action.cancel')}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The text, the chosen people, and the list of people. */
function useCommentText(first: CommentFormProps['first'], people: readonly Person[], turn: number) {
  const area = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState(first?.text ?? '')
  const [chosen, choose] = useState<readonly Person[]>(first?.mentions ?? [])
  const moveTo = useRef<number | null>(null)
  useEffect(() => {
    if (turn > 0) area.current?.focus()
  }, [turn])
  // The next key must not be typed at the end.
  useLayoutEffect(() => {
    if (moveTo.current !== null) area.current?.setSelectionRange(moveTo.current, moveTo.current)
    moveTo.current = null
  })
  const box = useMentions(text, people, (person, at) => {
    const caret = area.current?.selectionStart ?? text.length
    const next = withMention(text, caret, { at, person })
    setText(next.text)
    choose([...chosen, person])
    moveTo.current = next.caret
  })
  return { area, text, setText, chosen, choose, box }
}

interface PeopleProps {
  readonly id: string
  readonly mention: Mention
  readonly active: number
  readonly optionId: (index: number) => string
  readonly onChoose: (person: Person) => void
}

function People({ id, mention, active, optionId, onChoose }: PeopleProps) {
  const { t } = useTexts()
  return (
    <ul id={id} role="listbox" aria-label={t('comments.people')} className={styles['people']}>
      {mention.offered.map((person, index) => (
        <li
          key={person.id}
          id={optionId(index)}
          role="option"
          aria-selected={index === active}
          className={styles['person']}
          onMouseDown={(event) => {
            event.preventDefault() // keeps the focus in the text
            onChoose(person)
          }}
        >
          {person.name}
        </li>
      ))}
    </ul>
  )
}

/** The list of people for the name in front of the caret. */
function useMentions(
  text: string,
  people: readonly Person[],
  onChoose: (person: Person, at: number) => void,
) {
  const [mention, setMention] = useState<Mention | null>(null)
  const [active, setActive] = useState(0)
  const close = (): void => setMention(null)
  const choose = (person: Person): void => {
    if (mention !== null) onChoose(person, mention.at)
    close()
  }
  return {
    mention,
    active: Math.min(active, (mention?.offered.length ?? 1) - 1),
    close,
    choose,
    follow: ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): void => {
      const found =
        selectionStart === selectionEnd ? mentionAt(value, selectionStart, people) : null
      if (found?.at !== mention?.at || value !== text) setActive(0)
      setMention(found)
    },
    onKeyDown: (event: KeyboardEvent): boolean => {
      if (mention === null || event.metaKey || event.ctrlKey || event.altKey) return false
      const { offered } = mention
      const steps: Readonly<Record<string, () => void>> = {
        ArrowDown: () => setActive((active + 1) % offered.length),
        ArrowUp: () => setActive((active + offered.length - 1) % offered.length),
        Enter: () => offered[active] && choose(offered[active]),
        Tab: () => offered[active] && choose(offered[active]),
        Escape: close,
      }
      const step = steps[event.key]
      if (step === undefined) return false
      event.preventDefault()
      event.stopPropagation()
      step()
      return true
    },
  }
}

import { compareTexts } from '@quire/merge/compare-texts'
import { useDeferredValue, useMemo } from 'react'
import { useSession } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { MarkedWords } from '../../design/marked-words.tsx'
import type { Attribute } from '../../api/attributes.ts'
import type { Conflict } from '../../entry/merge.ts'
import { authorOf } from '../../texts/author-of.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import type { Place } from '../field-props.ts'
import { addressAt, useOpenEntry } from '../open-entry.ts'
import { describeValue } from '../describe-value.ts'
import styles from './conflict-choice.module.css'

export interface ConflictChoiceProps {
  readonly attribute: Attribute
  readonly place: Place
  readonly conflict: Conflict
}

/** Names the author of the other version, and marks the words that differ. */
export function ConflictChoice({ attribute, place, conflict }: ConflictChoiceProps) {
  const { form, reading } = useOpenEntry()
  const { administrator } = useSession()
  const texts = useTexts()
  const { t, moment } = texts
  const address = addressAt(place)
  const mine = form.get(address)
  const { theirs, by } = conflict
  const textOf = (value: unknown) => describeValue(attribute, value, reading.components, texts)
  const runs = useRuns(textOf(mine), textOf(theirs))
  const side = (title: string, of: 'from' | 'to', action: string, choose: () => void) => (
    <div className={styles['side']}>
      <p className={styles['who']}>{title}</p>
      <div className={styles['value']}>
        <MarkedWords runs={runs} side={of} isEqual />
      </div>
      <Button small onPress={choose}>
        {action}
      </Button>
    </div>
  )
  const words = wordsOf(by, administrator.id, texts)
  return (
    <div className={styles['conflict']} role="group" aria-label={words.title}>
      <p className={styles['title']} title={by ? moment(by.at) : undefined}>
        {words.title}
      </p>
      <div className={styles['sides']}>
        {side(t('conflict.mine'), 'from', t('conflict.keepMine'), () => form.settle(address, mine))}
        {side(words.theirs, 'to', t('conflict.takeTheirs'), () => form.settle(address, theirs))}
      </div>
    </div>
  )
}

/** The comparison follows while the user types, and never delays a key. */
function useRuns(mine: string, theirs: string) {
  const [from, to] = [useDeferredValue(mine), useDeferredValue(theirs)]
  return useMemo(() => compareTexts(from, to), [from, to])
}

function wordsOf(by: Conflict['by'], me: string, { t, ago }: Texts) {
  if (!by) return { title: t('conflict.title'), theirs: t('conflict.theirs') }
  const when = ago(by.at)
  if (by.kind === 'administrator' && by.id === me) {
    return { title: t('conflict.titleOwn', { when }), theirs: t('conflict.theirsOwn') }
  }
  if (by.kind === 'root') {
    return { title: t('conflict.titleByRoot', { when }), theirs: t('conflict.theirsOfRoot') }
  }
  const name = authorOf(by, t)
  return {
    title: t('conflict.titleBy', { name, when }),
    theirs: t('conflict.theirsOf', { name }),
  }
}

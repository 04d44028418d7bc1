import { Link as RouterLink } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import type { EntryState } from '../../api/entries.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import type { Link } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { Grip } from '../reorder/grip.tsx'
import { type Handles, useReorder } from '../reorder/use-reorder.ts'
import styles from './relation-field.module.css'

interface LinkListProps {
  readonly items: readonly Link[]
  readonly states: Readonly<Record<string, EntryState>>
  readonly type: string | null
  readonly isOrdered: boolean
  readonly onMove: (from: number, to: number) => void
  readonly onRemove: ((documentId: string) => void) | undefined
  readonly actionsOf?: (link: Link) => ReactNode
}

export function LinkList(props: LinkListProps) {
  const { items, states, type, isOrdered, onMove, onRemove, actionsOf } = props
  const keys = useMemo(() => items.map(({ documentId }) => documentId), [items])
  const { handles, drag } = useReorder(keys, (key, to) => onMove(keys.indexOf(key), to))
  if (items.length === 0) return null
  const landing = (index: number): string => {
    if (drag?.to === index) return styles['landBefore'] ?? ''
    return drag?.to === items.length && index === items.length - 1
      ? (styles['landAfter'] ?? '')
      : ''
  }
  return (
    <ul className={styles['links']}>
      {items.map((link, index) => (
        <li
          key={link.documentId}
          ref={handles.itemRef(link.documentId)}
          className={`${styles['link']} ${landing(index)}`}
          data-dragged={drag?.key === link.documentId || undefined}
        >
          <LinkRow
            {...{ link, handles, type }}
            state={states[link.documentId]}
            position={index + 1}
            count={items.length}
            isOrdered={isOrdered && items.length > 1}
            actions={actionsOf?.(link)}
            onRemove={onRemove === undefined ? undefined : () => onRemove(link.documentId)}
          />
        </li>
      ))}
    </ul>
  )
}

interface LinkRowProps {
  readonly link: Link
  readonly state: EntryState | undefined
  /** The API name of the type; null for a type without a screen. */
  readonly type: string | null
  readonly handles: Handles
  readonly position: number
  readonly count: number
  readonly isOrdered: boolean
  readonly actions: ReactNode
  readonly onRemove: (() => void) | undefined
}

function LinkRow({
  link,
  state,
  type,
  handles,
  position,
  count,
  isOrdered,
  actions,
  onRemove,
}: LinkRowProps) {
  const { t } = useTexts()
  const { title, documentId } = link
  return (
    <>
      {isOrdered && <Grip {...{ handles, position, count }} itemKey={documentId} label={title} />}
      {type === null ? (
        <span className={styles['title']}>{title}</span>
      ) : (
        <RouterLink
          to="/content/$type/$documentId"
          params={{ type, documentId }}
          className={styles['title']}
        >
          {title}
        </RouterLink>
      )}
      {state !== undefined && <StateMark state={state} />}
      {actions}
      {onRemove !== undefined && (
        <Button
          look="quiet"
          square
          small
          aria-label={t('action.remove', { name: title })}
          onPress={onRemove}
        >
          <Icon name="close" size={14} />
        </Button>
      )}
    </>
  )
}

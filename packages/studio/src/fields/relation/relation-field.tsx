import { Link as RouterLink } from '@tanstack/react-router'
import { useMemo } from 'react'
import { apiNameOf, listTitleOf, useTypes } from '../../api/content-types.ts'
import type { EntryState } from '../../api/entries.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icon.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import { isToMany, type RelationAttribute } from '../../entry/declaration.ts'
import { type Link, type Links, NO_LINKS } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { labelOf } from '../labels.ts'
import { useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { Grip } from '../reorder/grip.tsx'
import { type Handles, moved, useReorder } from '../reorder/use-reorder.ts'
import { LinkSearch } from './link-search.tsx'
import { useLinkStates } from './link-states.ts'
import styles from './relation-field.module.css'

/** Entries at the other end, in order; one of them where the relation is to one. */
export function RelationField({ attribute, name, place }: FieldProps<RelationAttribute>) {
  const links = useValue<Links | null>(place) ?? NO_LINKS
  const set = useSetValue<Links>(place)
  const { isReadOnly, locale, createLinked } = useOpenEntry()
  const { t } = useTexts()
  const isMany = isToMany(attribute)
  const { items, more } = links
  const keys = useMemo(() => items.map(({ documentId }) => documentId), [items])
  const states = useLinkStates(attribute.target, items, locale)
  const type = useTypes().find(({ uid }) => uid === attribute.target)
  const isFixed = isReadOnly || attribute.writable === false
  const add = (link: Link): void => {
    if (!keys.includes(link.documentId)) set({ items: isMany ? [...items, link] : [link], more })
  }
  const remove = (key: string): void =>
    set({ items: items.filter(({ documentId }) => documentId !== key), more })
  const onNew =
    type !== undefined && createLinked !== undefined
      ? (title: string) => createLinked(attribute.target, title, add)
      : undefined
  const count = more ? `${items.length}+` : String(items.length)
  const searchLabel = t('relation.search', {
    name: type === undefined ? labelOf(name) : listTitleOf(type).toLowerCase(),
  })
  return (
    <FieldFrame
      {...{ attribute, name, place }}
      isGroup
      note={isMany && items.length > 0 ? t('relation.count', { count }) : undefined}
    >
      {(names) => (
        <div className={styles['box']} role="group" aria-labelledby={names['aria-labelledby']}>
          <LinkList
            {...{ items, states }}
            type={type === undefined ? null : apiNameOf(type)}
            isOrdered={isMany && !isFixed}
            onMove={(from, to) => set({ items: moved(items, from, to), more })}
            onRemove={isFixed ? undefined : remove}
          />
          {more && <p className={styles['more']}>{t('relation.more', { count: items.length })}</p>}
          {!isFixed && (isMany || items.length === 0) && (
            <LinkSearch
              target={attribute.target}
              label={searchLabel}
              taken={new Set(keys)}
              onChoose={add}
              onNew={onNew}
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

interface LinkListProps {
  readonly items: readonly Link[]
  readonly states: Readonly<Record<string, EntryState>>
  readonly type: string | null
  readonly isOrdered: boolean
  readonly onMove: (from: number, to: number) => void
  readonly onRemove: ((documentId: string) => void) | undefined
}

function LinkList({ items, states, type, isOrdered, onMove, onRemove }: LinkListProps) {
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
  /** What names its type in addresses; null for one that has no screen. */
  readonly type: string | null
  readonly handles: Handles
  readonly position: number
  readonly count: number
  readonly isOrdered: boolean
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

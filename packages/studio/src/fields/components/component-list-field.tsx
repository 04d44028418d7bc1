import { focusField, focusFirst } from '../focus.ts'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem } from '../../design/menu.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { useOpenEntry } from '../open-entry.ts'
import { useReorder } from '../reorder/use-reorder.ts'
import { type CardAction, ComponentCard } from './component-card.tsx'
import { type ListAttribute, useListActions, useOutline } from './component-list.ts'
import { ComponentIcon } from './component-icon.tsx'
import styles from './components.module.css'
import { useClip } from './use-clip.ts'

/** Longer lists start collapsed. */
const MAX_EXPANDED_COMPONENTS = 5

const NONE: readonly string[] = []

function componentsOf(attribute: ListAttribute): readonly string[] {
  return attribute.type === 'component' ? [attribute.component] : attribute.components
}

export function ComponentListField({ attribute, name, place }: FieldProps<ListAttribute>) {
  const outline = useOutline(attribute, place)
  const actions = useListActions(attribute, place)
  const clip = useClip(attribute)
  const { reading, isReadOnly } = useOpenEntry()
  const { t } = useTexts()
  const notify = useOwnNotices()
  const keys = useMemo(() => outline.map(({ key }) => key), [outline])
  const [folded, setFolded] = useState<ReadonlySet<string>>(
    () => new Set(keys.length > MAX_EXPANDED_COMPONENTS ? keys : []),
  )
  const { handles, drag } = useReorder(keys, actions.move)
  const { list, fresh, left } = useCardFocus(keys)
  const nameOf = useCallback(
    (uid: string) => reading.components.get(uid)?.displayName ?? uid,
    [reading],
  )
  const act = useCallback(
    (action: CardAction, key: string, uid = ''): void => {
      if (action === 'fold') setFolded((now) => toggled(now, key))
      else if (action === 'duplicate') fresh.current = actions.duplicate(key)
      else if (action === 'copy') {
        const copied = actions.get(key)
        const { uid: of = '' } = outline.find((one) => one.key === key) ?? {}
        if (copied !== undefined) void clip.copy(of, copied)
      } else if (action === 'above') fresh.current = actions.add(uid, key)
      else if (action === 'remove') {
        const removed = outline.find((one) => one.key === key)?.uid ?? ''
        left.current = keys.indexOf(key)
        notify(t('component.removed', { name: nameOf(removed) }), actions.remove(key))
      } else actions.move(key, keys.indexOf(key) + (action === 'up' ? -1 : 1))
    },
    [actions, clip, fresh, keys, left, nameOf, notify, outline, t],
  )
  const isFixed = isReadOnly || attribute.writable === false
  const isFull = attribute.max !== undefined && keys.length >= attribute.max
  const components = useMemo(() => componentsOf(attribute), [attribute])
  const add = (uid: string): void => {
    fresh.current = actions.add(uid)
  }
  const paste = async (): Promise<void> => {
    const pasted = await clip.paste()
    if (pasted !== null) fresh.current = actions.append(pasted)
  }
  const isAllFolded = keys.length > 0 && keys.every((key) => folded.has(key))
  const note = keys.length > 1 && (
    <Button look="quiet" small onPress={() => setFolded(new Set(isAllFolded ? [] : keys))}>
      {t(isAllFolded ? 'component.unfoldAll' : 'component.foldAll')}
    </Button>
  )
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup note={note}>
      {(names) => (
        <div ref={list} role="group" {...groupNames(names)} className={styles['list']}>
          {outline.map(({ key, uid }, index) => (
            <div
              key={key}
              ref={handles.itemRef(key)}
              data-item={key}
              className={`${styles['item']} ${landing(drag, index, keys.length)}`}
              data-dragged={drag?.key === key || undefined}
            >
              <ComponentCard
                declared={reading.components.get(uid)}
                {...{ uid, isFixed, handles }}
                itemKey={key}
                place={`${place}/${key}`}
                position={index + 1}
                count={keys.length}
                isFolded={folded.has(key)}
                addable={isFull ? NONE : components}
                onAct={act}
              />
            </div>
          ))}
          {!isFixed && (
            <div className={styles['adders']} data-adders>
              <Adder {...{ attribute, nameOf, isFull }} onAdd={add} />
              <Button look="quiet" isDisabled={isFull} onPress={() => void paste()}>
                {t('component.paste')}
              </Button>
            </div>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

/** After a change, focuses the new card, or the one in the place of a removed card. */
function useCardFocus(keys: readonly string[]) {
  const list = useRef<HTMLDivElement>(null)
  const fresh = useRef<string | null>(null)
  const left = useRef<number | null>(null)
  useEffect(() => {
    if (left.current !== null) focusCard(list.current, Math.min(left.current, keys.length - 1))
    left.current = null
    if (fresh.current === null) return
    const card = cardOf(list.current, fresh.current)
    focusField(card)
    card?.scrollIntoView({ block: 'nearest' })
    fresh.current = null
  }, [keys])
  return { list, fresh, left }
}

interface AdderProps {
  readonly attribute: ListAttribute
  readonly nameOf: (uid: string) => string
  readonly isFull: boolean
  readonly onAdd: (uid: string) => void
}

function Adder({ attribute, nameOf, isFull, onAdd }: AdderProps) {
  const { t } = useTexts()
  const { reading } = useOpenEntry()
  const [first = '', ...others] = componentsOf(attribute)
  if (others.length === 0) {
    return (
      <Button isDisabled={isFull} onPress={() => onAdd(first)}>
        <Icon name="plus" size={14} />
        {t('component.add', { name: nameOf(first) })}
      </Button>
    )
  }
  return (
    <Dropdown
      placement="bottom start"
      onAction={(uid) => onAdd(String(uid))}
      trigger={
        <Button isDisabled={isFull}>
          <Icon name="plus" size={14} />
          {t('component.addAny')}
        </Button>
      }
    >
      {[first, ...others].map((uid) => (
        <DropdownItem
          key={uid}
          id={uid}
          icon={<ComponentIcon icon={reading.components.get(uid)?.icon} />}
          hint={reading.components.get(uid)?.description}
        >
          {nameOf(uid)}
        </DropdownItem>
      ))}
    </Dropdown>
  )
}

function groupNames(names: {
  readonly 'aria-labelledby': string
  readonly 'aria-describedby'?: string
}) {
  const { 'aria-labelledby': labelledBy, 'aria-describedby': describedBy } = names
  return {
    'aria-labelledby': labelledBy,
    ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
  }
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(key)) next.add(key)
  return next
}

function landing(drag: { readonly to: number } | null, index: number, count: number): string {
  if (drag === null) return ''
  if (drag.to === index) return styles['landBefore'] ?? ''
  return drag.to === count && index === count - 1 ? (styles['landAfter'] ?? '') : ''
}

function focusCard(list: HTMLElement | null, index: number): void {
  const card = `:scope > [data-item]:nth-child(${index + 1})`
  focusFirst(list, [
    `${card} [aria-expanded]:not([aria-haspopup])`,
    ':scope > [data-adders] button',
  ])
}

function cardOf(list: HTMLElement | null, key: string): HTMLElement | null | undefined {
  return list?.querySelector<HTMLElement>(`[data-item="${CSS.escape(key)}"]`)
}

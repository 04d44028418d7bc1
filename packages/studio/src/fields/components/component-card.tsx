import { memo } from 'react'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Dropdown, DropdownItem, DropdownSection } from '../../design/menu.tsx'
import type { ComponentDeclaration } from '../../api/attributes.ts'
import type { ComponentValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Place } from '../field-props.ts'
import { useFromValue, useOpenEntry, useProblems } from '../open-entry.ts'
import { Grip } from '../reorder/grip.tsx'
import { FieldPresence, usePresentAt } from '../presence/field-presence.tsx'
import type { Handles } from '../reorder/use-reorder.ts'
import { type BlockNode, blockText } from '../../entry/block-text.ts'
import { ComponentIcon } from './component-icon.tsx'
import { ComponentFields } from './component-fields.tsx'
import styles from './components.module.css'

export interface ComponentCardProps {
  readonly declared: ComponentDeclaration | undefined
  readonly uid: string
  readonly itemKey: string
  /** The place of the component, not of its list. */
  readonly place: Place
  readonly position: number
  readonly count: number
  readonly isFolded: boolean
  readonly isFixed: boolean
  readonly handles: Handles
  /** The components that can be added, none in a full list. */
  readonly addable: readonly string[]
  readonly onAct: (action: CardAction, key: string, uid?: string) => void
}

export type CardAction = 'fold' | 'duplicate' | 'copy' | 'remove' | 'up' | 'down' | 'above'

export const ComponentCard = memo(function ComponentCard(props: ComponentCardProps) {
  const {
    declared,
    uid,
    itemKey,
    place,
    position,
    count,
    isFolded,
    isFixed,
    handles,
    addable,
    onAct,
  } = props
  const { t } = useTexts()
  const name = declared?.displayName ?? uid
  const people = usePresentAt(place, isFolded)
  const summary = useFromValue<ComponentValue | undefined, string>(place, (value) =>
    isFolded ? summaryOf(declared, value) : '',
  )
  return (
    <div
      role="group"
      aria-label={t('component.nth', { name, position, of: count })}
      className={styles['card']}
      data-card={place}
    >
      <div className={styles['head']}>
        {!isFixed && <Grip {...{ handles, itemKey, position, count }} label={name} />}
        <button
          type="button"
          className={styles['fold']}
          aria-expanded={!isFolded}
          onClick={() => onAct('fold', itemKey)}
        >
          <span className={styles['icon']}>
            <ComponentIcon icon={declared?.icon} />
          </span>
          <span className={styles['name']}>{name}</span>
          <span className={styles['summary']}>{summary}</span>
          <FieldPresence people={people} isInline />
          <Trouble {...{ place, isFolded }} />
          <Icon name={isFolded ? 'down' : 'up'} size={14} />
        </button>
        {!isFixed && <CardMenu {...{ name, itemKey, position, count, addable, onAct }} />}
      </div>
      {!isFolded && <ComponentFields attributes={declared?.attributes ?? {}} place={place} />}
    </div>
  )
})

interface CardMenuProps extends Pick<
  ComponentCardProps,
  'itemKey' | 'position' | 'count' | 'addable' | 'onAct'
> {
  readonly name: string
}

function CardMenu({ name, itemKey, position, count, addable, onAct }: CardMenuProps) {
  const { t } = useTexts()
  const { reading } = useOpenEntry()
  return (
    <Dropdown
      onAction={(id) => {
        const [action, added] = String(id).split(' ')
        onAct(action as CardAction, itemKey, added)
      }}
      trigger={
        <Button look="quiet" square small aria-label={t('component.actions', { name, position })}>
          <Icon name="more" />
        </Button>
      }
    >
      <DropdownItem id="duplicate">{t('component.duplicate')}</DropdownItem>
      <DropdownItem id="copy">{t('component.copy')}</DropdownItem>
      <DropdownItem id="up" isDisabled={position === 1}>
        {t('component.up')}
      </DropdownItem>
      <DropdownItem id="down" isDisabled={position === count}>
        {t('component.down')}
      </DropdownItem>
      <DropdownItem id="remove" tone="danger">
        {t('component.remove')}
      </DropdownItem>
      {addable.length > 0 && (
        <DropdownSection title={t('component.addAbove')}>
          {addable.map((one) => (
            <DropdownItem
              key={one}
              id={`above ${one}`}
              icon={<ComponentIcon icon={reading.components.get(one)?.icon} />}
            >
              {reading.components.get(one)?.displayName ?? one}
            </DropdownItem>
          ))}
        </DropdownSection>
      )}
    </Dropdown>
  )
}

function Trouble({ place, isFolded }: { readonly place: Place; readonly isFolded: boolean }) {
  const { form } = useOpenEntry()
  const { t } = useTexts()
  const own = useProblems(place)
  const isWithin = useFromValue(place, () => form.isWrongWithin(place))
  return own !== undefined || isWithin ? (
    <span className={styles['trouble']} data-problem={isFolded || undefined}>
      {t('component.wrong')}
    </span>
  ) : null
}

const SUMMARY_LENGTH = 120

function summaryOf(
  declared: ComponentDeclaration | undefined,
  value: ComponentValue | undefined,
): string {
  for (const [name, { type }] of Object.entries(declared?.attributes ?? {})) {
    const held = value?.[name]
    const text =
      type === 'blocks' && Array.isArray(held)
        ? blockText(held as BlockNode[])
        : typeof held === 'string'
          ? held
          : ''
    if (type !== 'password' && text.trim() !== '') return text.trim().slice(0, SUMMARY_LENGTH)
  }
  return ''
}

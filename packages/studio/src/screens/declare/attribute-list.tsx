import { type Fault } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Drawing, Icon } from '../../design/icons/icon.tsx'
import { Notice } from '../../design/notice.tsx'
import { Grip } from '../../fields/reorder/grip.tsx'
import { moved, useReorder } from '../../fields/reorder/use-reorder.ts'
import { TYPE_ICONS } from '../../design/icons/type-icons.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import styles from './declare.module.css'
import { type DraftAttribute, readAt } from './draft.ts'
import { placedText } from './placed-text.ts'
import { isKnownType } from './option-table.ts'

export interface AttributeListProps {
  readonly attributes: readonly DraftAttribute[]
  /** Faults of the server; paths start with the attribute name. */
  readonly faults: readonly Fault[]
  readonly onChange: (attributes: readonly DraftAttribute[]) => void
  readonly onEdit: (attribute: DraftAttribute) => void
  readonly onRemove: (attribute: DraftAttribute) => void
}

export function AttributeList(props: AttributeListProps) {
  const { attributes, faults, onChange, onEdit, onRemove } = props
  const texts = useTexts()
  const { t } = texts
  const keys = attributes.map(({ key }) => key)
  const { handles, drag } = useReorder(keys, (key, to) =>
    onChange(moved(attributes, keys.indexOf(key), to)),
  )
  if (attributes.length === 0) {
    return <Notice title={t('declare.noAttributes')}>{t('declare.noAttributesHint')}</Notice>
  }
  return (
    <ul className={styles['list']} aria-label={t('declare.attributes')}>
      {attributes.map((attribute, index) => {
        const { key, name, options } = attribute
        const faulty = faults
          .filter(({ path }) => path[0] === name)
          .map(({ path: [, ...path], message }) => placedText({ path, message }, texts))
        return (
          <li
            key={key}
            ref={handles.itemRef(key)}
            className={`${styles['item']} ${landing(drag, index, keys.length)}`}
            data-dragged={drag?.key === key || undefined}
          >
            <Grip
              handles={handles}
              itemKey={key}
              label={name}
              position={index + 1}
              count={keys.length}
            />
            <span className={styles['icon']}>
              {isKnownType(options['type']) && <Drawing path={TYPE_ICONS[options['type']]} />}
            </span>
            <div className={styles['text']}>
              <div className={styles['name']}>{name}</div>
              <div className={styles['rules']}>{rulesOf(attribute, texts).join(' · ')}</div>
              {faulty.map((text) => (
                <div key={text} role="alert" className={styles['fault']}>
                  {text}
                </div>
              ))}
            </div>
            <div className={styles['actions']}>
              <Button
                look="quiet"
                small
                aria-label={t('declare.edit', { name })}
                onPress={() => onEdit(attribute)}
              >
                {t('settings.edit')}
              </Button>
              <Button
                look="quiet"
                square
                small
                aria-label={t('declare.remove', { name })}
                onPress={() => onRemove(attribute)}
              >
                <Icon name="trash" />
              </Button>
            </div>
          </li>
        )
      })}
    </ul>
  )
}

function landing(drag: { readonly to: number } | null, index: number, count: number): string {
  if (drag === null) return ''
  if (drag.to === index) return styles['landBefore'] ?? ''
  return drag.to === count && index === count - 1 ? (styles['landAfter'] ?? '') : ''
}

const FLAGS = ['required', 'unique', 'private', 'repeatable', 'multiple'] as const

function rulesOf({ options, otherSide }: DraftAttribute, { t }: Texts): readonly string[] {
  const { type, relation, target, component, components, targetField } = options
  const named = [target, component, components, targetField].flat().filter((one) => one)
  const arrow = named.length === 0 ? '' : ` → ${named.join(', ')}`
  const kind = isKnownType(type) ? t(`declare.type.${type}`) : String(type)
  return [
    kind + (typeof relation === 'string' ? ` (${relation})` : '') + arrow,
    ...(otherSide === null ? [] : [`↔ ${otherSide}`]),
    ...FLAGS.filter((flag) => options[flag] === true).map((flag) => t(`declare.${flag}`)),
    ...(readAt(options, 'pluginOptions', 'i18n', 'localized') === true
      ? [t('declare.localizedAttribute')]
      : []),
  ]
}

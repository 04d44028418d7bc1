import { Link } from '@tanstack/react-router'
import { apiNameOf, entryNameOf, useTypes } from '../../api/content-types.ts'
import {
  addToRelease,
  type ItemFault,
  type NewItem,
  type Release,
  type ReleaseItem,
  removeFromRelease,
} from '../../api/releases.ts'
import { useMay } from '../../api/session.ts'
import { sayError } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Row, Rows } from '../../design/list-rows.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import { useAction } from '../../design/use-action.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './planning.module.css'

export interface ReleaseItemsProps {
  readonly release: Release
  readonly faults: readonly ItemFault[]
  readonly isOpen: boolean
}

/** Items that cannot be published come first. */
export function ReleaseItems({ release, faults, isOpen }: ReleaseItemsProps) {
  const { t } = useTexts()
  const may = useMay()
  const faulty = new Map(faults.map((fault) => [fault.item, fault]))
  const items = release.items.toSorted(
    (a, b) => Number(faulty.has(b.id)) - Number(faulty.has(a.id)),
  )
  const mayRemove = isOpen && may('admin::releases.update')
  return (
    <Rows label={t('releases.items')}>
      {items.map((item) => (
        <Item
          key={item.id}
          release={release}
          item={item}
          fault={faulty.get(item.id)}
          mayRemove={mayRemove}
        />
      ))}
    </Rows>
  )
}

const TO_DO = { publish: 'releases.itemPublish', unpublish: 'releases.itemUnpublish' } as const
const DONE = { publish: 'releases.itemPublished', unpublish: 'releases.itemUnpublished' } as const

interface ItemProps {
  readonly release: Release
  readonly item: ReleaseItem
  readonly fault: ItemFault | undefined
  readonly mayRemove: boolean
}

function Item({ release, item, fault, mayRemove }: ItemProps) {
  const texts = useTexts()
  const { t } = texts
  const action = useAction()
  const type = useTypes().find(({ uid }) => uid === item.uid)
  const isDone = release.state === 'published'
  const name = item.title === '' ? t('trash.untitled') : item.title
  const notes = [
    t(isDone ? DONE[item.action] : TO_DO[item.action]),
    type === undefined ? null : entryNameOf(type, texts.language),
    item.locale === undefined ? null : texts.locale(item.locale),
  ]
  return (
    <Row
      title={<ItemLink item={item} name={name} />}
      note={
        <>
          {notes.filter((note) => note !== null).join(' · ')}
          {fault !== undefined && (
            <span className={styles['failure']}>{sayError(fault, texts)}</span>
          )}
        </>
      }
    >
      {item.state !== null && <StateMark state={item.state} />}
      {mayRemove && (
        <Button
          look="quiet"
          square
          small
          aria-label={t('releases.removeItem', { name })}
          isPending={action.isBusy}
          onPress={() =>
            action.run(() => removeFromRelease(release.id, item.id), {
              changes: ['releases'],
              says: t('releases.itemRemoved', { name }),
              undo: () => () => addToRelease(release.id, [againOf(item)]),
            })
          }
        >
          <Icon name="close" size={14} />
        </Button>
      )}
    </Row>
  )
}

function againOf({ uid, documentId, action, locale }: ReleaseItem): NewItem {
  return { uid, documentId, action, locale: locale ?? null }
}

function ItemLink({ item, name }: { readonly item: ReleaseItem; readonly name: string }) {
  const type = useTypes().find(({ uid }) => uid === item.uid)
  if (type === undefined) return <span>{name}</span>
  const to = type.kind === 'singleType' ? '/content/$type' : '/content/$type/$documentId'
  return (
    <Link
      to={to}
      params={{ type: apiNameOf(type), documentId: item.documentId }}
      search={item.locale === undefined ? {} : { locale: item.locale }}
      className={styles['link']}
    >
      {name}
    </Link>
  )
}

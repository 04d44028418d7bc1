import { useState } from 'react'
import { apiNameOf, entriesNameOf, useTypes } from '../../api/content-types.ts'
import { Button } from '../../design/button.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { TextInput } from '../../design/text-input.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { useDelayed } from '../../design/use-delayed.ts'
import type { RelationAttribute } from '../../api/attributes.ts'
import { type Link, type Links, INITIAL_LINKS } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { labelOf } from '../../texts/labels.ts'
import { useOpenEntry } from '../open-entry.ts'
import { LinkList } from './link-list.tsx'
import { LinkSearch } from './link-search.tsx'
import { useLinkStates } from './link-states.ts'
import styles from './relation-field.module.css'
import { useLongLinks } from './use-long-links.ts'

interface LongRelationProps extends FieldProps<RelationAttribute> {
  readonly links: Links
}

/**
 * A relation with only its first entries in the form. The rest is read by pages and searched on the
 * server.
 */
export function LongRelation({ attribute, name, place, links }: LongRelationProps) {
  const { t, number, language } = useTexts()
  const { isReadOnly, createLinked } = useOpenEntry()
  const [text, setText] = useState('')
  const search = useDelayed(setText)
  const { target } = attribute
  const long = useLongLinks(place, target, links, text)
  const type = useTypes().find(({ uid }) => uid === target)
  const isFixed = isReadOnly || attribute.writable === false
  const onNew =
    type !== undefined && createLinked !== undefined
      ? (title: string) => createLinked(target, title, long.add)
      : undefined
  const count = long.count === undefined ? `${INITIAL_LINKS}+` : number(long.count)
  return (
    <FieldFrame {...{ attribute, name, place }} isGroup note={t('relation.count', { count })}>
      {(names) => (
        <div className={styles['box']} role="group" aria-labelledby={names['aria-labelledby']}>
          <div className={styles['within']}>
            <TextInput
              aria-label={t('relation.within')}
              type="search"
              input={{ placeholder: t('relation.within') }}
              onChange={(typed) => search(typed.trim())}
            />
          </div>
          <LongList
            long={long}
            target={target}
            type={type === undefined ? null : apiNameOf(type)}
            isFixed={isFixed}
            isSearched={text !== ''}
          />
          {!isFixed && (
            <LinkSearch
              target={target}
              label={t('relation.search', {
                name: type === undefined ? labelOf(name) : entriesNameOf(type, language),
              })}
              useTaken={long.useTaken}
              onChoose={long.add}
              onNew={onNew}
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

interface LongListProps {
  readonly long: ReturnType<typeof useLongLinks>
  readonly target: string
  readonly type: string | null
  readonly isFixed: boolean
  readonly isSearched: boolean
}

/** The loaded entries, the entries moved to the end, and a button to load more. */
function LongList({ long, target, type, isFixed, isSearched }: LongListProps) {
  const { t } = useTexts()
  const { locale } = useOpenEntry()
  const { items, end, move } = long
  const states = useLinkStates(target, [...items, ...end], locale)
  const notify = useOwnNotices()
  const remove = (key: string): void => {
    const link = [...items, ...end].find(({ documentId }) => documentId === key)
    const undo = long.remove(key)
    if (undo !== undefined) notify(t('component.removed', { name: link?.title ?? key }), undo)
  }
  const shared = { states, type, onRemove: isFixed ? undefined : remove }
  const actionsOf = (link: Link) => (
    <>
      <Button
        look="quiet"
        square
        small
        aria-label={t('relation.toStart', { name: link.title })}
        onPress={() => move(link, 'start')}
      >
        <Icon name="up" size={14} />
      </Button>
      <Button
        look="quiet"
        square
        small
        aria-label={t('relation.toEnd', { name: link.title })}
        onPress={() => move(link, 'end')}
      >
        <Icon name="down" size={14} />
      </Button>
    </>
  )
  return (
    <>
      <LinkList
        {...shared}
        items={items}
        isOrdered={!isFixed && !isSearched}
        onMove={long.reorder}
        {...(!isFixed && isSearched && { actionsOf })}
      />
      {long.isRead && items.length === 0 && <p className={styles['more']}>{t('relation.none')}</p>}
      {long.hasMore && (
        <div className={styles['more']}>
          <Button look="quiet" small isDisabled={long.isReading} onPress={long.readMore}>
            {t('relation.showMore', { count: INITIAL_LINKS })}
          </Button>
        </div>
      )}
      {end.length > 0 && (
        <>
          <p className={styles['more']}>{t('relation.atTheEnd')}</p>
          <LinkList {...shared} items={end} isOrdered={false} onMove={() => undefined} />
        </>
      )}
    </>
  )
}

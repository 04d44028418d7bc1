import { useEffect, useMemo, useRef } from 'react'
import { apiNameOf, entriesNameOf, useTypes } from '../../api/content-types.ts'
import { lazyPart } from '../../design/load-part.tsx'
import { OpenedPart } from '../../design/opened-part.tsx'
import { useOwnNotices } from '../../design/use-own-notices.ts'
import { isToMany, type RelationAttribute } from '../../api/attributes.ts'
import { type Link, type Links, NO_LINKS } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import type { FieldProps } from '../field-props.ts'
import { FieldFrame } from '../frame/field-frame.tsx'
import { focusFirst } from '../focus.ts'
import { labelOf } from '../../texts/labels.ts'
import { addressAt, useOpenEntry, useSetValue, useValue } from '../open-entry.ts'
import { moved } from '../reorder/use-reorder.ts'
import { LinkList } from './link-list.tsx'
import { LinkSearch } from './link-search.tsx'
import { useLinkStates } from './link-states.ts'
import styles from './relation-field.module.css'

const LongRelation = lazyPart(async () => (await import('./long-relation.tsx')).LongRelation)

export function RelationField(props: FieldProps<RelationAttribute>) {
  const links = useValue<Links | null>(props.place) ?? NO_LINKS
  return links.more ? (
    <OpenedPart>
      <LongRelation {...props} links={links} />
    </OpenedPart>
  ) : (
    <ShortRelation {...props} links={links} />
  )
}

function ShortRelation({
  attribute,
  name,
  place,
  links,
}: FieldProps<RelationAttribute> & { readonly links: Links }) {
  const set = useSetValue<Links>(place)
  const { form, isReadOnly, locale, createLinked } = useOpenEntry()
  const notify = useOwnNotices()
  const { t, language } = useTexts()
  const isMany = isToMany(attribute)
  const { items } = links
  const keys = useMemo(() => items.map(({ documentId }) => documentId), [items])
  const taken = useMemo(() => new Set(keys), [keys])
  const states = useLinkStates(attribute.target, items, locale)
  const type = useTypes().find(({ uid }) => uid === attribute.target)
  const isFixed = isReadOnly || attribute.writable === false
  const box = useRef<HTMLDivElement>(null)
  /** The index to focus after the next render, because the pressed element is removed. */
  const toFocus = useRef<number | null>(null)
  useEffect(() => {
    if (toFocus.current === null) return
    const at = Math.min(toFocus.current, keys.length - 1) + 1
    toFocus.current = null
    focusFirst(box.current, [`li:nth-child(${at}) a`, `li:nth-child(${at}) button`, 'input'])
  }, [keys])
  const add = (link: Link): void => {
    if (!isMany) toFocus.current = 0
    if (!keys.includes(link.documentId))
      set({ items: isMany ? [...items, link] : [link], more: false })
  }
  const remove = (key: string): void => {
    const at = keys.indexOf(key)
    const link = items[at]
    if (link === undefined) return
    toFocus.current = at
    set({ items: items.toSpliced(at, 1), more: false })
    notify(t('component.removed', { name: link.title }), () => {
      toFocus.current = at
      form.change<Links | null>(addressAt(place), (now) =>
        putBack(now ?? NO_LINKS, link, at, isMany),
      )
    })
  }
  const onNew =
    type !== undefined && createLinked !== undefined
      ? (title: string) => createLinked(attribute.target, title, add)
      : undefined
  const searchLabel = t('relation.search', {
    name: type === undefined ? labelOf(name) : entriesNameOf(type, language),
  })
  return (
    <FieldFrame
      {...{ attribute, name, place }}
      isGroup
      note={
        isMany && items.length > 0
          ? t('relation.count', { count: String(items.length) })
          : undefined
      }
    >
      {(names) => (
        <div
          ref={box}
          className={styles['box']}
          role="group"
          aria-labelledby={names['aria-labelledby']}
        >
          <LinkList
            {...{ items, states }}
            type={type === undefined ? null : apiNameOf(type)}
            isOrdered={isMany && !isFixed}
            onMove={(from, to) => set({ items: moved(items, from, to), more: false })}
            onRemove={isFixed ? undefined : remove}
          />
          {!isFixed && (isMany || items.length === 0) && (
            <LinkSearch
              target={attribute.target}
              label={searchLabel}
              useTaken={() => taken}
              onChoose={add}
              onNew={onNew}
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

/** Restores a link at its old index, unless it is there again. */
function putBack(now: Links, link: Link, at: number, isMany: boolean): Links {
  if (!isMany) return { items: [link], more: false }
  if (now.items.some(({ documentId }) => documentId === link.documentId)) return now
  return { ...now, items: now.items.toSpliced(at, 0, link) }
}

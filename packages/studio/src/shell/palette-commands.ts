import { useQueries } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import {
  apiNameOf,
  declarationQuery,
  entryNameOf,
  listTitleOf,
  type TypeSummary,
} from '../api/content-types.ts'
import { entriesQuery, titleOf } from '../api/entries.ts'
import { useMay } from '../api/session.ts'
import { useTexts } from '../texts/texts.ts'
import { SECTIONS } from '../screens/settings/sections.ts'
import { useReadableTypes } from './readable-types.ts'

/** A line of the palette. */
export interface Command {
  readonly id: string
  readonly text: string
  readonly note?: string
  readonly run: () => void
}

/** The screens. */
export function usePlaces(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const navigate = useNavigate()
  const sections = SECTIONS.filter(({ action }) => action === null || may(action))
  return [
    { id: 'home', text: t('nav.home'), run: () => void navigate({ to: '/' }) },
    ...(may('plugin::upload.content-api.find')
      ? [{ id: 'media', text: t('nav.media'), run: () => void navigate({ to: '/media' }) }]
      : []),
    ...useReadableTypes().map((type) => ({
      id: type.uid,
      text: listTitleOf(type),
      run: () => void navigate({ to: '/content/$type', params: { type: apiNameOf(type) } }),
    })),
    ...sections.map(({ id, title }) => ({
      id: `settings ${id}`,
      text: t(title),
      note: t('settings.title'),
      run: () => void navigate({ to: '/settings/$section', params: { section: id } }),
    })),
  ]
}

/** A new entry of each type that the person may create. */
export function useCreations(): readonly Command[] {
  const { t } = useTexts()
  const may = useMay()
  const open = useOpenEntry()
  return useReadableTypes()
    .filter(({ uid, kind }) => kind === 'collectionType' && may(`${uid}.create`))
    .map((type) => ({
      id: `new ${type.uid}`,
      text: t('palette.new', { name: entryNameOf(type) }),
      run: () => open(type, 'new'),
    }))
}

const SEARCHED_TYPES = 6
const FOUND_OF_EACH = 4
const SHORTEST = 2
const PATIENCE_MS = 150

/** Entries with a text in them: of a few types, so that a keystroke costs little. */
export function useFoundEntries(text: string): readonly Command[] {
  const open = useOpenEntry()
  const wanted = useSettled(text)
  const types = useReadableTypes()
    .filter(({ kind }) => kind === 'collectionType')
    .slice(0, SEARCHED_TYPES)
  const isSearching = wanted.length >= SHORTEST
  const declarations = useQueries({
    queries: types.map(({ uid }) => ({ ...declarationQuery(uid), enabled: isSearching })),
  }).map(({ data }) => data)
  const found = useQueries({
    queries: types.map(({ uid }, at) => ({
      ...entriesQuery(uid, {
        _q: wanted,
        fields: [declarations[at]?.titleField ?? 'documentId'],
        pagination: { pageSize: FOUND_OF_EACH, withCount: false },
      }),
      enabled: isSearching && declarations[at] !== undefined,
    })),
  })
  if (!isSearching) return []
  return types.flatMap((type, at) =>
    (found[at]?.data?.data ?? []).map((entry) => ({
      id: entry.documentId,
      text: titleOf(entry, declarations[at]?.titleField ?? null),
      note: listTitleOf(type),
      run: () => open(type, entry.documentId),
    })),
  )
}

function useOpenEntry(): (type: TypeSummary, documentId: string) => void {
  const navigate = useNavigate()
  return (type, documentId) =>
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId },
    })
}

/** The text, once nobody types any more. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

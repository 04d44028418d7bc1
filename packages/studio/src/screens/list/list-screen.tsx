import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Selection } from 'react-aria-components'
import { apiNameOf, entryNameOf, listTitleOf, type TypeSummary } from '../../api/content-types.ts'
import { useMay } from '../../api/session.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { FailedRead } from '../../design/failed-read.tsx'
import { Skeleton } from '../../design/late.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ImportMenu } from '../translation/list-translations.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { ColumnsMenu } from './columns-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import { ListFoot } from './list-foot.tsx'
import { isByRelevance } from './list-query.ts'
import { ListTable } from './list-table.tsx'
import { type List, useList } from './use-list.ts'
import { ViewsMenu } from './views-menu.tsx'

const EMPTY_SELECTION: Selection = new Set()

export function ListScreen({ type }: { readonly type: TypeSummary }) {
  const { t, number } = useTexts()
  const list = useList(type)
  const [selected, select] = useState(EMPTY_SELECTION)
  const [isEverything, setEverything] = useState(false)
  const total = list.entries.data?.meta.pagination.total
  const clear = (): void => {
    select(EMPTY_SELECTION)
    setEverything(false)
  }
  // Entries that are no longer visible must not stay selected.
  const shown = JSON.stringify([list.search, list.locale])
  const [shownBefore, remember] = useState(shown)
  if (shown !== shownBefore) {
    remember(shown)
    clear()
  }
  return (
    <Page
      title={listTitleOf(type)}
      note={total === undefined ? undefined : number(total)}
      actions={
        <>
          <LocaleChoice list={list} />
          <ViewsMenu list={list} />
          <ColumnsMenu list={list} />
          <ImportMenu type={type} list={list} />
          <NewButton type={type} list={list} />
        </>
      }
      bar={<FilterBar list={list} />}
      foot={<ListFoot list={list} keys={t('list.keys')} />}
    >
      <Entries
        type={type}
        list={list}
        selected={isEverything ? 'all' : selected}
        onSelect={(keys) => {
          setEverything(false)
          select(keys)
        }}
      />
      <BulkBar
        type={type}
        list={list}
        selected={selected}
        isEverything={isEverything}
        onEverything={() => setEverything(true)}
        onClear={clear}
      />
    </Page>
  )
}

interface EntriesProps {
  readonly type: TypeSummary
  readonly list: List
  readonly selected: Selection
  readonly onSelect: (selected: Selection) => void
}

function Entries({ type, list, selected, onSelect }: EntriesProps) {
  const { t } = useTexts()
  const { data, error, refetch } = list.entries
  if (error !== null) {
    return (
      <FailedRead error={error} onRetry={() => void refetch()}>
        {list.search.sort !== undefined && (
          <Button onPress={() => list.change({ sort: undefined })}>{t('list.usualOrder')}</Button>
        )}
      </FailedRead>
    )
  }
  if (data === undefined) return <Skeleton lines={10} />
  if (data.data.length > 0) {
    return <ListTable type={type} list={list} selected={selected} onSelect={onSelect} />
  }
  const isNarrowed = list.search.q !== undefined || list.search.filters !== undefined
  if (!isNarrowed) {
    return (
      <Notice
        title={t('list.empty', { name: listTitleOf(type) })}
        action={<NewButton type={type} list={list} />}
      >
        {t('list.emptyHint')}
      </Notice>
    )
  }
  const everything = (
    <>
      {isByRelevance(list) && (
        <Button onPress={() => list.change({ within: true })}>{t('list.within')}</Button>
      )}
      <Button
        onPress={() =>
          list.change({ q: undefined, within: undefined, filters: undefined, match: undefined })
        }
      >
        {t('list.showAll')}
      </Button>
    </>
  )
  return (
    <Notice title={t('list.nothing')} action={everything}>
      {t('list.nothingHint')}
    </Notice>
  )
}

function LocaleChoice({ list }: { readonly list: List }) {
  const texts = useTexts()
  if (list.locale === null || list.locales.length < 2) return null
  return (
    <Choice
      isInline
      label={texts.t('list.language')}
      options={list.locales.map(({ code }) => ({ id: code, name: texts.locale(code) }))}
      value={list.locale}
      onChange={(code) =>
        list.change({ locale: code === list.locales[0]?.code ? undefined : code })
      }
    />
  )
}

function NewButton({ type, list }: { readonly type: TypeSummary; readonly list: List }) {
  const { t, language } = useTexts()
  const may = useMay()
  const navigate = useNavigate()
  if (!may(`${type.uid}.create`, list.locale ?? undefined)) return null
  const begin = (): void => {
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId: 'new' },
      search: list.search.locale === undefined ? {} : { locale: list.search.locale },
    })
  }
  return (
    <Button look="primary" onPress={begin}>
      {t('palette.new', { name: entryNameOf(type, language) })}
    </Button>
  )
}

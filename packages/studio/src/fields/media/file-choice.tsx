import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { GridList, GridListItem, type Selection } from 'react-aria-components'
import { request } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Notice } from '../../design/notice.tsx'
import { TextInput } from '../../design/text-input.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { type FileKind, isOfKind, KIND_PARAMETER } from './file-kinds.ts'
import { FileThumb } from './file-thumb.tsx'
import styles from './file-choice.module.css'

export interface FileChoiceProps {
  /** Empty: all kinds of files. */
  readonly kinds: readonly FileKind[]
  /** The attribute takes either private or public files. */
  readonly isPrivate: boolean
  readonly isMultiple: boolean
  readonly onChosen: (files: readonly FileValue[]) => void
  readonly onClose: () => void
}

export function FileChoice({ kinds, isPrivate, isMultiple, onChosen, onClose }: FileChoiceProps) {
  const { t } = useTexts()
  const [search, setSearch] = useState('')
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const files = useFiles(search, kinds, isPrivate)
  const done = (ids: ReadonlySet<string>): void => {
    onChosen(files.filter(({ documentId }) => ids.has(documentId)))
    onClose()
  }
  const select = (selection: Selection): void => {
    const ids = new Set(
      selection === 'all' ? files.map(({ documentId }) => documentId) : [...selection].map(String),
    )
    if (isMultiple) choose(ids)
    else if (ids.size > 0) done(ids)
  }
  return (
    <Dialog
      title={t('media.choose')}
      isOpen
      onClose={onClose}
      form="wide"
      {...(isMultiple && {
        actions: (
          <Button look="primary" isDisabled={chosen.size === 0} onPress={() => done(chosen)}>
            {t('media.add', { count: chosen.size })}
          </Button>
        ),
      })}
    >
      <div className={styles['choice']}>
        <TextInput
          label={t('media.search')}
          value={search}
          onChange={setSearch}
          autoFocus
          type="search"
        />
        <GridList
          aria-label={t('media.files')}
          className={styles['grid'] ?? ''}
          layout="grid"
          items={files}
          selectionMode={isMultiple ? 'multiple' : 'single'}
          selectionBehavior={isMultiple ? 'toggle' : 'replace'}
          selectedKeys={chosen}
          onSelectionChange={select}
          renderEmptyState={() => <Notice title={t('media.none')}>{t('media.none.hint')}</Notice>}
        >
          {(file) => (
            <GridListItem
              id={file.documentId}
              textValue={file.name}
              className={styles['file'] ?? ''}
            >
              <FileThumb file={file} size={96} />
              <span className={styles['name']}>{file.name}</span>
            </GridListItem>
          )}
        </GridList>
      </div>
    </Dialog>
  )
}

const MAX_SHOWN_FILES = 60

function useFiles(
  search: string,
  kinds: readonly FileKind[],
  isPrivate: boolean,
): readonly FileValue[] {
  const [kind] = kinds
  const text = search.trim()
  const { data } = useQuery({
    queryKey: ['files', 'choice', text, kinds, isPrivate],
    queryFn: async ({ signal }) => {
      const query = {
        ...(text !== '' && { search: text }),
        // The API filters by one kind only, so several kinds are filtered here.
        ...(kind !== undefined && kinds.length === 1 && { kind: KIND_PARAMETER[kind] }),
        private: isPrivate,
        sort: 'createdAt:desc',
        pagination: { pageSize: MAX_SHOWN_FILES },
      }
      return (await request<readonly FileValue[]>('GET', '/admin/files', { query, signal })).data
    },
    placeholderData: keepPreviousData,
  })
  return (data ?? []).filter(({ mime }) => isOfKind(mime, kinds))
}

import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { shownFileName } from '../../api/file-entry.ts'
import { useState } from 'react'
import { FileTrigger, GridList, GridListItem, type Selection } from 'react-aria-components'
import { FILES_PER_PAGE, type FilesMeta, foldersQuery, pathTo } from '../../api/files.ts'
import { request } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { Choice } from '../../design/choice.tsx'
import { Dialog } from '../../design/dialog.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { Notice } from '../../design/notice.tsx'
import { SearchBox } from '../../design/search-box.tsx'
import type { FileValue } from '../../entry/values.ts'
import { useTexts } from '../../texts/texts.ts'
import { acceptOf, FILE_KINDS, type FileKind, isOfKind, KIND_PARAMETER } from './file-kinds.ts'
import { FileThumb } from './file-thumb.tsx'
import styles from './file-choice.module.css'

export interface FileChoiceProps {
  /** Empty: all kinds of files. */
  readonly kinds: readonly FileKind[]
  /** The attribute takes either private or public files. */
  readonly isPrivate: boolean
  readonly isMultiple: boolean
  readonly onChosen: (files: readonly FileValue[]) => void
  /** Absent: no files can be uploaded here. */
  readonly onUpload?: (files: readonly File[]) => void
  readonly onClose: () => void
}

type Chosen = ReadonlyMap<string, FileValue>

export function FileChoice(props: FileChoiceProps) {
  const { kinds, isPrivate, isMultiple, onChosen, onUpload, onClose } = props
  const { t } = useTexts()
  const [search, setSearch] = useState<FileSearch>({ text: '', folder: ALL, kind: ALL })
  const [chosen, choose] = useState<Chosen>(new Map())
  const { files, hasMore, showMore } = useFiles(search, kinds, isPrivate)
  const done = (taken: Chosen): void => {
    onChosen([...taken.values()])
    onClose()
  }
  const select = (selection: Selection): void => {
    // Files of an earlier search stay chosen.
    const known = new Map([...chosen, ...files.map((file) => [file.documentId, file] as const)])
    const ids = selection === 'all' ? known.keys() : selection
    const taken = new Map(
      [...ids].flatMap((id) => {
        const file = known.get(String(id))
        return file === undefined ? [] : [[file.documentId, file] as const]
      }),
    )
    if (isMultiple) choose(taken)
    else if (taken.size > 0) done(taken)
  }
  const take = (given: readonly File[]): void => {
    onUpload?.(given)
    onClose()
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
        <div className={styles['bar']}>
          <SearchBox
            value={search.text}
            onSearch={(text) => setSearch((before) => ({ ...before, text }))}
            autoFocus
          />
          <FolderChoice
            value={search.folder}
            onChange={(folder) => setSearch((before) => ({ ...before, folder }))}
          />
          <KindChoice
            kinds={kinds}
            value={search.kind}
            onChange={(kind) => setSearch((before) => ({ ...before, kind }))}
          />
          {onUpload !== undefined && (
            <UploadButton kinds={kinds} isMultiple={isMultiple} onSelect={take} />
          )}
        </div>
        <GridList
          aria-label={t('media.files')}
          className={styles['grid'] ?? ''}
          layout="grid"
          items={files}
          selectionMode={isMultiple ? 'multiple' : 'single'}
          selectionBehavior={isMultiple ? 'toggle' : 'replace'}
          selectedKeys={new Set(chosen.keys())}
          onSelectionChange={select}
          renderEmptyState={() => <Notice title={t('media.none')}>{t('media.none.hint')}</Notice>}
        >
          {(file) => (
            <GridListItem
              id={file.documentId}
              textValue={shownFileName(file)}
              className={styles['file'] ?? ''}
            >
              <FileThumb file={file} size={96} />
              <span className={styles['name']}>{shownFileName(file)}</span>
            </GridListItem>
          )}
        </GridList>
        {hasMore && <Button onPress={showMore}>{t('media.more')}</Button>}
      </div>
    </Dialog>
  )
}

const ALL = 'all'

interface PartProps {
  readonly value: string
  readonly onChange: (id: string) => void
}

/** Not there without folders. */
function FolderChoice({ value, onChange }: PartProps) {
  const { t } = useTexts()
  const { data: folders = [] } = useQuery(foldersQuery)
  if (folders.length === 0) return null
  const named = folders.map(({ id }) => ({
    id,
    name: pathTo(id, folders)
      .map(({ name }) => name)
      .join(' / '),
  }))
  const options = [
    { id: ALL, name: t('media.allFolders') },
    { id: 'root', name: t('media.noFolder') },
    ...named.toSorted((one, other) => one.name.localeCompare(other.name)),
  ]
  return <Choice isInline label={t('media.folder')} {...{ options, value, onChange }} />
}

/** Not there for a field of one kind. */
function KindChoice({ kinds, value, onChange }: PartProps & Pick<FileChoiceProps, 'kinds'>) {
  const { t } = useTexts()
  if (kinds.length === 1) return null
  const options = [
    { id: ALL, name: t('media.allKinds') },
    ...(kinds.length === 0 ? FILE_KINDS : kinds).map((kind) => ({
      id: KIND_PARAMETER[kind],
      name: t(`media.kind.${KIND_PARAMETER[kind]}`),
    })),
  ]
  return <Choice isInline label={t('media.kind')} {...{ options, value, onChange }} />
}

interface UploadButtonProps extends Pick<FileChoiceProps, 'kinds' | 'isMultiple'> {
  readonly onSelect: (files: readonly File[]) => void
}

function UploadButton({ kinds, isMultiple, onSelect }: UploadButtonProps) {
  const { t } = useTexts()
  const accept = acceptOf(kinds)
  return (
    <FileTrigger
      allowsMultiple={isMultiple}
      {...(accept !== undefined && { acceptedFileTypes: accept.split(',') })}
      onSelect={(list) => onSelect([...(list ?? [])])}
    >
      <Button>
        <Icon name="upload" size={14} />
        {t('media.upload')}
      </Button>
    </FileTrigger>
  )
}

interface FileSearch {
  readonly text: string
  /** An id, `root`, or `all`. */
  readonly folder: string
  /** A value of the API, or `all`. */
  readonly kind: string
}

interface FoundFiles {
  readonly files: readonly FileValue[]
  readonly hasMore: boolean
  readonly showMore: () => void
}

function useFiles(
  { text, folder, kind }: FileSearch,
  kinds: readonly FileKind[],
  isPrivate: boolean,
): FoundFiles {
  const [only] = kinds
  const single = kinds.length === 1 && only !== undefined ? KIND_PARAMETER[only] : undefined
  const wanted = kind === ALL ? single : kind
  const query = {
    ...(text !== '' && { search: text }),
    ...(folder !== ALL && { folder }),
    // The API filters by one kind only, so several kinds are filtered below.
    ...(wanted !== undefined && { kind: wanted }),
    private: isPrivate,
    sort: 'createdAt:desc',
  }
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['files', 'choice', query],
    queryFn: ({ pageParam: page, signal }) =>
      request<readonly FileValue[], FilesMeta>('GET', '/admin/files', {
        query: { ...query, pagination: { page, pageSize: FILES_PER_PAGE } },
        signal,
      }),
    initialPageParam: 1,
    getNextPageParam: ({ meta: { pagination } }) =>
      pagination.page < pagination.pageCount ? pagination.page + 1 : null,
    placeholderData: keepPreviousData,
  })
  const files = new Map(
    // A file that was uploaded meanwhile moves another one to the next page.
    data?.pages.flatMap((page) => page.data).map((file) => [file.documentId, file]),
  )
  return {
    files: [...files.values()].filter(({ mime }) => isOfKind(mime, kinds)),
    hasMore: hasNextPage,
    showMore: () => void fetchNextPage(),
  }
}

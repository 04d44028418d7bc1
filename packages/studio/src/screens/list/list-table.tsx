import { useNavigate } from '@tanstack/react-router'
import {
  Cell as TableCell,
  Column as TableColumn,
  Row,
  type Selection,
  Table,
  TableBody,
  TableHeader,
} from 'react-aria-components'
import { targetOf } from '../../api/attributes.ts'
import { apiNameOf, listTitleOf, type TypeSummary } from '../../api/content-types.ts'
import { type Entry, type EntryAuthor, titleOf } from '../../api/entries.ts'
import { Checkbox } from '../../design/checkbox.tsx'
import { Icon } from '../../design/icons/icon.tsx'
import { StateMark } from '../../design/state-mark.tsx'
import { Cell, Thumbnail } from '../../fields/cell.tsx'
import { stageWord } from '../../texts/stage-word.ts'
import { type Texts, useTexts } from '../../texts/texts.ts'
import { authorMemberOf, STAGE } from './filter-words.ts'
import { type Column, isSortable, LOCALES_COLUMN, pictureOf } from './columns.ts'
import styles from './list-table.module.css'
import { useColumnName } from './use-column-name.ts'
import type { List } from './use-list.ts'

export interface ListTableProps {
  readonly type: TypeSummary
  readonly list: List
  readonly selected: Selection
  readonly onSelect: (selected: Selection) => void
}

const TITLE = '$title'

/** Arrow keys move, Space selects, Enter opens. */
export function ListTable({ type, list, selected, onSelect }: ListTableProps) {
  const { t } = useTexts()
  const navigate = useNavigate()
  const nameOf = useColumnName(list.declaration.attributes)
  const { declaration, columns, search, change, entries } = list
  const titleField = declaration.titleField ?? 'documentId'
  const [sorted = '', direction] = (search.sort ?? '').split(':')
  const open = (documentId: string): void => {
    void navigate({
      to: '/content/$type/$documentId',
      params: { type: apiNameOf(type), documentId },
      search: search.locale === undefined ? {} : { locale: search.locale },
    })
  }
  const isTitleSortable = titleField !== 'documentId'
  return (
    <div className={styles['scroll']}>
      <Table
        aria-label={listTitleOf(type)}
        className={`${styles['table']} ${entries.isPlaceholderData ? styles['stale'] : ''}`}
        selectionMode="multiple"
        selectedKeys={selected}
        onSelectionChange={onSelect}
        onRowAction={(key) => open(String(key))}
        sortDescriptor={{
          column: sorted === titleField ? TITLE : sorted,
          direction: direction === 'asc' ? 'ascending' : 'descending',
        }}
        onSortChange={({ column, direction }) => {
          const name = column === TITLE ? titleField : String(column)
          change({ sort: `${name}:${direction === 'ascending' ? 'asc' : 'desc'}` })
        }}
      >
        <TableHeader>
          <TableColumn className={`${styles['head']} ${styles['tick']}`}>
            <Checkbox slot="selection" />
          </TableColumn>
          <TableColumn
            id={TITLE}
            isRowHeader
            allowsSorting={isTitleSortable}
            className={styles['head'] ?? ''}
          >
            {(state) => <HeadText {...state}>{nameOf(titleField)}</HeadText>}
          </TableColumn>
          {columns.map((column) => (
            <TableColumn
              key={column.name}
              id={column.name}
              allowsSorting={isSortable(column)}
              className={styles['head'] ?? ''}
            >
              {(state) => <HeadText {...state}>{nameOf(column.name)}</HeadText>}
            </TableColumn>
          ))}
        </TableHeader>
        <TableBody items={entries.data?.data ?? []} dependencies={[columns, entries.data]}>
          {(entry) => (
            <Row
              id={entry.documentId}
              className={styles['row'] ?? ''}
              textValue={titleOf(entry, declaration.titleField)}
            >
              <TableCell className={styles['tick'] ?? ''}>
                <Checkbox slot="selection" aria-label={t('list.select')} />
              </TableCell>
              <TableCell className={styles['title'] ?? ''}>
                <TitleCell entry={entry} list={list} />
              </TableCell>
              {columns.map((column) => (
                <TableCell key={column.name} className={styles['cell'] ?? ''}>
                  <ColumnCell entry={entry} column={column} list={list} />
                </TableCell>
              ))}
            </Row>
          )}
        </TableBody>
      </Table>
    </div>
  )
}

interface HeadTextProps {
  readonly allowsSorting: boolean
  readonly sortDirection?: 'ascending' | 'descending' | undefined
  readonly children: string
}

function HeadText({ allowsSorting, sortDirection, children }: HeadTextProps) {
  return (
    <span className={styles['headText']}>
      {children}
      {allowsSorting && sortDirection !== undefined && (
        <Icon name={sortDirection === 'ascending' ? 'up' : 'down'} size={12} />
      )}
    </span>
  )
}

function TitleCell({ entry, list }: { readonly entry: Entry; readonly list: List }) {
  const { titleField } = list.declaration
  const picture = pictureOf(list.declaration)
  return (
    <span className={styles['titleInside']}>
      {picture !== null && <Thumbnail value={entry[picture]} />}
      <span className={styles['titleText']}>{titleOf(entry, titleField)}</span>
    </span>
  )
}

interface ColumnCellProps {
  readonly entry: Entry
  readonly column: Column
  readonly list: List
}

function ColumnCell({ entry, column, list }: ColumnCellProps) {
  const { name, attribute } = column
  if (attribute === undefined) return <FactCell entry={entry} column={column} list={list} />
  const titleField = list.titles[targetOf(attribute) ?? ''] ?? null
  return <Cell attribute={attribute} value={entry[name]} titleField={titleField} />
}

/** The columns that are no attributes. */
function FactCell({ entry, column: { name }, list }: ColumnCellProps) {
  const texts = useTexts()
  const { documentId } = entry
  const { states, stages, authors } = list.entries.data?.meta ?? {}
  const author = authorMemberOf(name)
  if (author !== undefined) return authorName(authors?.[documentId]?.[author], texts)
  if (name === LOCALES_COLUMN) return <LocaleMarks entry={entry} list={list} />
  if (name === STAGE) return stageText(stages?.[documentId], texts)
  const state = states?.[documentId]
  return state === undefined ? null : <StateMark state={state} />
}

function stageText(stage: string | undefined, texts: Texts): string {
  return stage === undefined ? '' : stageWord(stage, texts)
}

/** Empty for writers without an identity, such as commands and the public. */
function authorName(author: EntryAuthor | null | undefined, { t }: Texts): string {
  if (author === null || author === undefined) return ''
  if (author.name !== null) return author.name
  if (author.kind === 'user') return t('author.user')
  return t(author.kind === 'apiToken' ? 'list.removedApp' : 'list.removedPerson')
}

function LocaleMarks({ entry, list }: { readonly entry: Entry; readonly list: List }) {
  const texts = useTexts()
  const others = (entry['localizations'] ?? []) as readonly { readonly locale?: string }[]
  const codes = [entry.locale ?? list.locale, ...others.map(({ locale }) => locale)]
  const known = list.locales.map(({ code }) => code).filter((code) => codes.includes(code))
  return (
    <span className={styles['locales']}>
      {known.map((code) => (
        <abbr key={code} title={texts.locale(code)} className={styles['locale']}>
          {code}
        </abbr>
      ))}
    </span>
  )
}
